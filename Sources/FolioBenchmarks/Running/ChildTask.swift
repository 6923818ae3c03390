import Folio
import Foundation

/// What a child process of the benchmark does: one contestant, one workload, once.
enum ChildTask {
    static let flag = "--child"
    static let templateFlag = "--template"
    static let packFlag = "--pack"

    /// Runs the task that `arguments` name and prints its measurement; returns false if they name
    /// none.
    static func runIfAsked(_ arguments: [String]) async throws -> Bool {
        let measurement: Measurement
        if arguments.count == 5, arguments[0] == flag, let workload = Workload(rawValue: arguments[1]),
            let contestant = Contestant(rawValue: arguments[2]),
            let size = Int(arguments[3])
        {
            let document = URL(fileURLWithPath: arguments[4], isDirectory: true)
            switch contestant {
            case .folio: measurement = try await FolioWorkloads.run(workload, size: size, document: document)
            case .hand:
                measurement = try await HandWorkloads.run(workload, size: size, document: document)
            }
        } else if arguments.count == 3, arguments[0] == packFlag {
            let watch = Stopwatch()
            try await PersistentDocument.pack(
                URL(fileURLWithPath: arguments[1], isDirectory: true), to: URL(fileURLWithPath: arguments[2]))
            measurement = watch.measurement(checksum: 0)
        } else if arguments.count == 4, arguments[0] == templateFlag,
            let template = Workload.Template(rawValue: arguments[1]), let size = Int(arguments[2])
        {
            measurement = try await FolioWorkloads.make(
                template, of: size, at: URL(fileURLWithPath: arguments[3], isDirectory: true))
        } else {
            return false
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
        return true
    }
}
