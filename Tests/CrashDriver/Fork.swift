import CrashSupervisor
import FileSystem
import Foundation
import Glibc

/// Work in a forked child, watched or not.
///
/// This process itself starts no thread, opens no database and takes no lock, and must not: each
/// child is then as a fresh process would be.
enum Fork {
    /// What happens to which calls of a child on paths beneath a folder.
    struct Plan {
        var root: String
        var isWatched = true
        var fault = CRASH_NOTHING
        /// Of `crash_calls`.
        var calls: UInt32 = 0
        var error: Int32 = 0
        var point = 0
        /// Nil for all that follow.
        var length: Int? = 1
        var suffix: String?
        var trace: String?
    }

    struct Outcome {
        /// How many calls there were that the plan was about.
        let calls: Int
        let hasFired: Bool
        /// Nil where the child was killed.
        let exit: Int32?
        let signal: Int32
        let hung: Bool
        /// The first call that the fault met, with its path.
        let place: String
        /// What the child said, line by line.
        let lines: [String]
    }

    private final class Work {
        let body: @Sendable (Voice) async -> Void
        init(_ body: @escaping @Sendable (Voice) async -> Void) { self.body = body }
    }

    static func run(_ plan: Plan, _ body: @escaping @Sendable (Voice) async -> Void) throws -> Outcome {
        let work = Work(body)
        var report = crash_report()
        let result = withExtendedLifetime(work) {
            plan.root.withCString { root in
                withOptionalText(plan.suffix) { suffix in
                    withOptionalText(plan.trace) { trace in
                        var raw = crash_plan(
                            root: root, fault: plan.fault, calls: plan.calls, error: plan.error, point: plan.point,
                            length: plan.length ?? 0, suffix: suffix,
                            trace: trace, watched: plan.isWatched ? 1 : 0)
                        return crash_run(&raw, play, Unmanaged.passUnretained(work).toOpaque(), &report)
                    }
                }
            }
        }
        defer { free(report.output) }
        guard result == 0 else { throw FileSystemError(operation: "watch", path: plan.root, errno: -result) }
        let output =
            report.output.map {
                String(decoding: UnsafeRawBufferPointer(start: $0, count: report.output_length), as: UTF8.self)
            } ?? ""
        return Outcome(
            calls: report.calls, hasFired: report.fired != 0, exit: report.exit_status < 0 ? nil : report.exit_status,
            signal: report.signal,
            hung: report.hung != 0, place: text(&report.call) + " " + text(&report.path),
            lines: output.split(separator: "\n").map(String.init))
    }

    /// The child's whole life. Tasks run on threads that this process has only now.
    private static let play: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { output, context in
        guard let context else { _exit(70) }
        let body = Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().body
        Task {
            await body(Voice(descriptor: output))
            _exit(0)
        }
        while true { pause() }
    }

    private static func withOptionalText<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return text.withCString(body)
    }

    private static func text<Characters>(_ characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// What a child says to its parent: one line at a time.
struct Voice: Sendable {
    let descriptor: Int32

    func say(_ line: String) {
        var bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { _exit(70) }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
