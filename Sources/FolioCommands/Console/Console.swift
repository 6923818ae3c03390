import Foundation

/// Where a command speaks: results to standard output, everything said to a person to standard error.
final class Console {
    let output: ByteSink
    private let messages: ByteSink
    /// Results and errors as JSON.
    let isJSON: Bool
    /// Standard error is a terminal, and nobody asked for silence.
    let showsProgress: Bool
    let usesColour: Bool
    let interruption: Interruption

    init(isJSON: Bool, allowsProgress: Bool, interruption: Interruption) {
        output = ByteSink(descriptor: STDOUT_FILENO)
        messages = ByteSink(descriptor: STDERR_FILENO)
        self.isJSON = isJSON
        self.interruption = interruption
        let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        showsProgress = allowsProgress && isTerminal
        usesColour = isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
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
        say(usesColour ? "\u{1B}[31m" + line + "\u{1B}[0m" : line)
        for line in error.excerpt { say("  " + line) }
        if let hint = error.hint { say("hint: " + Printable.line(hint)) }
    }

    /// Writes a result that was gathered in memory to a file, or to standard output where none is named.
    func deliver(_ sink: ByteSink, of source: String, to path: String?) throws {
        guard let path, path != "-" else {
            output.write(sink.text)
            return
        }
        let file = try OutputFile(path: path, of: source, interruption: interruption)
        file.sink.write(sink.text)
        try file.finish()
    }
}
