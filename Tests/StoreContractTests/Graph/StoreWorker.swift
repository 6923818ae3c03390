import Foundation
import TestSupport

/// Another process that works on a store.
enum StoreWorker {
    /// It stands beside the test bundle in the build folder.
    private static let binary: URL = {
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("StoreWorker").path) {
            folder.deleteLastPathComponent()
        }
        return folder.appendingPathComponent("StoreWorker")
    }()

    static func start(_ arguments: String...) throws -> (process: Process, output: Pipe) {
        let process = Process(), output = privatePipe()
        process.executableURL = binary
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    /// What a worker has printed when it has ended.
    static func lines(_ worker: (process: Process, output: Pipe)) -> [String] {
        let data = worker.output.fileHandleForReading.readDataToEndOfFile()
        worker.process.waitUntilExit()
        let status = worker.process.terminationStatus
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init) + (status == 0 ? [] : ["failure: it ended with \(status)"])
    }
}
