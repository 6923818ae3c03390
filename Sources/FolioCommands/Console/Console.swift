import Foundation

/// Where a command speaks: results to standard output, everything said to a person to standard
/// error.
final class Console {
    private(set) var output: ByteSink
    /// The file that results go to in the place of standard output.
    private var file: OutputFile?
    private let messages: ByteSink
    /// Results and errors as JSON.
    let isJSON: Bool
    /// Standard error is a terminal, and nobody asked for silence.
    let showsProgress: Bool
    let usesColor: Bool
    let interruption: Interruption
    /// Whether the command has changed or made a document or a file, so that what fails after it
    /// does not mean that nothing was done.
    var hasWritten = false

    init(isJSON: Bool, allowsProgress: Bool, interruption: Interruption) {
        output = ByteSink(descriptor: STDOUT_FILENO)
        messages = ByteSink(descriptor: STDERR_FILENO)
        self.isJSON = isJSON
        self.interruption = interruption
        let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        showsProgress = allowsProgress && isTerminal
        usesColor = isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// A line of the result.
    func print(_ line: String) {
        output.write(line)
        output.write(0x0A)
    }

    /// The result as JSON.
    func print(_ value: JSONValue) {
        var writer = JSONWriter(output)
        writer.value(value)
        output.write(0x0A)
    }

    /// Something said to a person.
    func say(_ line: String) {
        messages.write(line)
        messages.write(0x0A)
        messages.flush()
    }

    /// A line that the next one replaces; for terminals.
    func showTransient(_ line: String) {
        messages.write("\r\u{1B}[K" + line)
        messages.flush()
    }

    func report(_ error: CommandError) {
        output.flush()
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

    /// Sends all results into a file, which is there when `finish()` has put it there.
    /// - Parameters:
    ///   - sources: What the command reads: the file must lie in none of it.
    ///   - targets: What it makes: neither in that.
    func sendResults(to path: String, of sources: [String], besides targets: [String]) throws {
        let file = try OutputFile(path: path, of: sources, besides: targets, interruption: interruption)
        self.file = file
        output = file.sink
    }

    /// Hands on what is left of the results.
    func finish() throws {
        if let file { try file.finish() } else { try output.finish() }
    }

    /// How many columns the terminal has that results go to; nil where they go elsewhere.
    var resultColumns: Int? {
        guard file == nil, isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
