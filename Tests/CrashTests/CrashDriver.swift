import Foundation
import TestSupport

/// The driver of the crash tests: a process of its own, since it forks, which a process with
/// threads had better not.
enum CrashDriver {
    /// An operation on a form, as the driver names them.
    struct Sweep: Sendable {
        let operation: String
        let form: String
    }

    struct Tally: Sendable, CustomStringConvertible {
        var points = 0
        var failures: [String] = []
        var description = ""
    }

    /// Where `FOLIO_CRASH_DRIVER` says, if it does: one that is built for release is faster.
    private static let binary =
        ProcessInfo.processInfo.environment["FOLIO_CRASH_DRIVER"].map { URL(fileURLWithPath: $0) }
        ?? builtProgram("CrashDriver")

    /// The driver's exit code where the machine does not allow what it is asked to do.
    static let unavailable: Int32 = 69

    /// Whether the machine lets a process be watched: some containers do not.
    static let canWatch: Bool = (try? run(["probe"]))?.status == 0

    static func sweeps() throws -> [Sweep] {
        try run(["list"]).lines.map { line in
            let words = line.split(separator: " ").map(String.init)
            return Sweep(operation: words[0], form: words[1])
        }
    }

    static func sweep(_ sweep: Sweep, step: Int, first: Int, faults: String) throws -> Tally {
        tally(try run(["sweep", sweep.operation, sweep.form, "\(step)", "\(first)", faults]))
    }

    static func tally(_ outcome: (status: Int32, lines: [String])) -> Tally {
        var tally = Tally()
        for line in outcome.lines {
            if line.hasPrefix("points "), let count = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
            {
                tally.points += count
            } else {
                tally.failures.append(line)
            }
        }
        if outcome.status != 0 { tally.failures.append("the driver ended with \(outcome.status)") }
        tally.description = outcome.lines.joined(separator: "\n")
        return tally
    }

    static func run(_ arguments: [String]) throws -> (status: Int32, lines: [String]) {
        let process = Process(), output = privatePipe()
        process.executableURL = binary
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        )
    }
}
