import Foundation

/// The program that shows output page by page on a terminal: that of `FOLIO_PAGER` or `PAGER`, or
/// less.
///
/// It is started once the output is longer than the screen. Output that fits goes to the terminal.
final class Pager: OutputPager {
    private let command: String
    private let rows: Int, columns: Int
    private let interruption: Interruption
    /// The rows of the screen that the output has filled so far.
    private var filledRows = 0
    private var column = 0

    private enum State {
        case waiting
        /// The program runs and reads from the descriptor.
        case running(pid_t, descriptor: Int32)
        /// Output goes to the terminal: it was short, or the program can't be started.
        case ended
        /// The program has ended before the output.
        case closed
    }
    private var state = State.waiting
    /// The first output for the program, which the terminal gets if the program can't be run. A
    /// shell tells that only when it ends. A pipe that nobody reads takes less.
    private var kept: [UInt8] = []
    private static let keptCount = 1 << 18

    private static let usualRows = 24, usualColumns = 80
    /// The exit codes of a shell that can't run a program.
    private static let unable: Set<Int32> = [126, 127]

    /// Whether the program runs, so that the terminal is its.
    var isRunning: Bool { if case .running = state { true } else { false } }
    /// Whether the user has ended the program before the end of the output.
    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// The pager for standard output; nil if that is no terminal, or the user wants none.
    static func forStandardOutput(_ interruption: Interruption) -> Pager? {
        let environment = ProcessInfo.processInfo.environment
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        let chosen = environment["FOLIO_PAGER"] ?? environment["PAGER"]
        // less needs a terminal that can be addressed.
        if chosen == nil, environment["TERM"] == "dumb" { return nil }
        let command = (chosen ?? "less").trimmingCharacters(in: .whitespaces)
        guard !command.isEmpty, command != "cat" else { return nil }
        var size = winsize()
        _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
        return Pager(
            command, rows: size.ws_row > 0 ? Int(size.ws_row) : usualRows,
            columns: size.ws_col > 0 ? Int(size.ws_col) : usualColumns, interruption)
    }

    private init(_ command: String, rows: Int, columns: Int, _ interruption: Interruption) {
        self.command = command
        self.rows = rows
        self.columns = columns
        self.interruption = interruption
    }

    /// Writes all bytes to the program or the terminal. What a closed program does not read is
    /// dropped.
    /// - Returns: The number of the error of the terminal, or 0.
    func write(_ bytes: [UInt8]) -> Int32 {
        if case .waiting = state, isLongerThanScreen(with: bytes) { start() }
        switch state {
        case .waiting, .ended: return Self.writeAll(bytes, to: STDOUT_FILENO)
        case .running(_, let descriptor):
            if kept.count < Self.keptCount { kept += bytes.prefix(Self.keptCount - kept.count) }
            guard Self.writeAll(bytes, to: descriptor) != 0 else { return 0 }
            return finish()
        case .closed: return 0
        }
    }

    /// Waits until the user has ended the program.
    /// - Returns: The number of the error of the terminal, or 0.
    func finish() -> Int32 {
        switch state {
        case .waiting: state = .ended
        case .running: if case .ended = end() { return replay() }
        case .ended, .closed: break
        }
        return 0
    }

    /// Writes to the terminal what a program got that could not be run.
    private func replay() -> Int32 {
        defer { kept = [] }
        return Self.writeAll(kept, to: STDOUT_FILENO)
    }

    /// Closes the pipe and waits for the program. The state is `ended` if it could not be run.
    private func end() -> State {
        guard case .running(let process, let descriptor) = state else { return state }
        close(descriptor)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        interruption.pagerEnded()
        let hasExited = status & 0x7F == 0
        if hasExited, Self.unable.contains((status >> 8) & 0xFF) {
            state = .ended
        } else {
            state = .closed
            kept = []
        }
        return state
    }

    private func isLongerThanScreen(with bytes: [UInt8]) -> Bool {
        for byte in bytes {
            if byte == 0x0A {
                filledRows += 1
                column = 0
            } else if byte & 0xC0 != 0x80 {
                column += 1
                if column > columns {
                    filledRows += 1
                    column = 1
                }
            }
            // The last row is that of the shell's prompt.
            if filledRows >= rows { return true }
        }
        return false
    }

    // MARK: The process

    /// Starts the program; the state is `ended` if it can't be started.
    private func start() {
        state = .ended
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        // A name and words are run without a shell, so that a missing program is known at once.
        let isPlain = command.allSatisfy { $0 == " " || $0.isLetter || $0.isNumber || "/._-+,:@".contains($0) }
        let words = isPlain ? command.split(separator: " ").map(String.init) : ["/bin/sh", "-c", command]
        guard let process = Self.spawn(words, input: ends[0]) else {
            close(ends[1])
            return
        }
        interruption.pagerBegan(process)
        state = .running(process, descriptor: ends[1])
    }

    private static func spawn(_ words: [String], input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // The command ignores SIGPIPE; the program is not to inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var variables = ProcessInfo.processInfo.environment
        // F: end where all fits, R: colors, X: leave the text on the screen. lv takes -c for
        // colors.
        if variables["LESS"] == nil { variables["LESS"] = "FRX" }
        if variables["LV"] == nil { variables["LV"] = "-c" }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + environment { free(pointer) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, arguments[0]!, &actions, &attributes, &arguments, &environment) == 0 else {
            return nil
        }
        return process
    }

    /// - Returns: The number of the error, or 0.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress! + written, $0.count - written)
            }
            if count >= 0 { written += count } else if errno != EINTR { return errno }
        }
        return 0
    }
}
