import Foundation

/// How long the command takes to say its version and to describe a document, beside SQLite's shell.
enum StartWorkload {
    static let repetitions = 20

    /// Why it can't be run here; nil where it can.
    static func obstacle(beside program: URL) -> String? {
        missingCommand(beside: program) ?? (shell == nil ? "there is no sqlite3 in PATH" : nil)
    }

    static func missingCommand(beside program: URL) -> String? {
        if FileManager.default.isExecutableFile(atPath: command(beside: program).path) { return nil }
        return "there is no folio beside this program: swift build -c release --product folio"
    }

    static func folio(_ document: URL, isInfo: Bool) throws -> Measurement {
        guard let program = Bundle.main.executableURL else {
            throw BenchmarkError("can't find this program's own file")
        }
        return try measure(command(beside: program), isInfo ? ["info", document.path] : ["--version"])
    }

    static func hand(_ store: String, isInfo: Bool) throws -> Measurement {
        guard let shell else { throw BenchmarkError("there is no sqlite3 in PATH") }
        return try measure(shell, isInfo ? [store, ".tables"] : ["--version"])
    }

    static func command(beside program: URL) -> URL {
        program.deletingLastPathComponent().appendingPathComponent("folio")
    }

    private static var shell: URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
            URL(fileURLWithPath: "\($0)/sqlite3")
        }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The fastest of several starts: what is slower waited for others. Started by hand, since
    /// Foundation's `Process` sees the end of a short one late.
    static func measure(_ program: URL, _ arguments: [String], repetitions: Int = repetitions) throws -> Measurement {
        var words: [UnsafeMutablePointer<CChar>?] = ([program.path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        // What it says to a person would stand among the results; a failure is told by its status.
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var fastest: Measurement?
        for _ in 0..<repetitions {
            var id: pid_t = 0, status: Int32 = 0, usage = rusage()
            let watch = Stopwatch()
            guard posix_spawn(&id, program.path, &actions, nil, &words, environ) == 0,
                wait4(id, &status, 0, &usage) == id
            else {
                throw BenchmarkError("can't run \(program.path)")
            }
            var measured = watch.measurement(checksum: UInt64(truncatingIfNeeded: status))
            guard status == 0 else {
                throw BenchmarkError("\(program.lastPathComponent) \(arguments.joined(separator: " ")) failed")
            }
            func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3 }
            (measured.cpuMs, measured.peakMiB) = (
                milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime), Double(usage.ru_maxrss) / 1024
            )
            if measured.wallMs < fastest?.wallMs ?? .infinity { fastest = measured }
        }
        guard let fastest else { throw BenchmarkError("nothing was measured") }
        return fastest
    }
}
