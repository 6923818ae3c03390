import Foundation
import TestSupport

/// Another process that works on a store.
enum StoreWorker {
    private static let binary = builtProgram("StoreWorker")

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
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            + (status == 0 ? [] : ["failure: it ended with \(status)"])
    }
}
