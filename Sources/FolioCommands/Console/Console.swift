import Foundation

/// The output of a command: results to standard output, messages for people to standard error.
final class Console {
    private(set) var output: ByteSink
    /// The file that replaces standard output for the results.
    private var file: OutputFile?
    private let messages: ByteSink
    /// Whether results and errors are printed as JSON.
    let isJSON: Bool
    /// Whether standard error is a terminal that progress may be shown on.
    var showsProgress: Bool { allowsProgress && !isPaging }
    private let allowsProgress: Bool
    /// Whether standard error is a terminal, which a pager may own.
    private let saysToTerminal: Bool
    /// What is said while a pager owns the terminal.
    private var heldMessages: [String] = []
    let usesColor: Bool
    let interruption: Interruption
    /// Whether the command has changed or created a document or a file. If so, a later error does
    /// not mean that nothing was done.
    var hasWritten = false

    init(isJSON: Bool, allowsProgress: Bool, interruption: Interruption) {
        output = ByteSink(descriptor: STDOUT_FILENO)
        messages = ByteSink(descriptor: STDERR_FILENO)
        self.isJSON = isJSON
        self.interruption = interruption
        let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        saysToTerminal = isatty(STDERR_FILENO) == 1
        self.allowsProgress = allowsProgress && isTerminal
        usesColor = isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// For callers without a terminal: results go to a sink, and what is said to a person nowhere.
    init(isJSON: Bool, sink: ByteSink) {
        output = sink
        messages = ByteSink(descriptor: nil)
        self.isJSON = isJSON
        interruption = Interruption()
        allowsProgress = false
        saysToTerminal = false
        usesColor = false
    }

    /// Prints a line of the result.
    func print(_ line: String) {
        output.write(line)
        output.write(0x0A)
    }

    /// Prints the result as JSON.
    func print(_ value: JSONValue) {
        var writer = JSONWriter(output)
        writer.value(value)
        output.write(0x0A)
    }

    /// Prints a message for people, after the pager if one is shown.
    func say(_ line: String) {
        if isPaging, saysToTerminal { return heldMessages.append(line) }
        messages.write(line)
        messages.write(0x0A)
        messages.flush()
    }

    /// Shows a line on the terminal that the next one replaces.
    func showTransient(_ line: String) {
        guard !isPaging else { return }
        messages.write("\r\u{1B}[K" + line)
        messages.flush()
    }

    func report(_ error: InterchangeError) {
        output.flush()
        endPaging()
        if isJSON {
            var writer = JSONWriter(messages, style: .compact)
            writer.value(error.json)
            messages.write(0x0A)
            messages.flush()
            return
        }
        let line = Printable.line(error.line)
        say(usesColor ? "\u{1B}[31m" + line + "\u{1B}[0m" : line)
        for line in error.excerpt { say("  " + line) }
        if let hint = error.hint { say("hint: " + Printable.line(hint)) }
    }

    // MARK: Results in a file

    /// Redirects all results to a file, which appears at its path with `finish()`.
    /// - Parameters:
    ///   - sources: The files that the command reads. The file must not be within one of them.
    ///   - targets: The files that the command creates. The file must not be within one of them.
    func sendResults(to path: String, of sources: [String], besides targets: [String]) throws {
        let file = try OutputFile(path: path, of: sources, besides: targets, registry: interruption)
        self.file = file
        output = file.sink
    }

    /// Writes the remaining results.
    func finish() throws {
        defer { endPaging() }
        if let file { try file.finish() } else { try output.finish() }
    }

    // MARK: The pager

    private var isPaging: Bool { output.pager?.isRunning ?? false }

    /// Shows results that are longer than the screen in the user's pager.
    func usePager() { output.pager = Pager.forStandardOutput(interruption) }

    /// Waits until the user has ended the pager, and says what was held.
    func endPaging() {
        _ = output.pager?.finish()
        let lines = heldMessages
        heldMessages = []
        for line in lines { say(line) }
    }

    /// The number of columns of the terminal that results go to; nil if they don't go to a
    /// terminal.
    var resultColumns: Int? {
        guard file == nil, isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
