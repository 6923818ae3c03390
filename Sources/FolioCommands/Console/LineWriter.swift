import Folio

/// Writes objects as `key: value` lines, with each value on one line and an empty line between
/// objects.
///
/// Backslash escapes are used: `\n`, `\r`, `\t` and `\u{…}` for characters that would break the
/// line, and `\\` for a backslash. Nil and ambiguous texts are marked as in tables.
struct LineWriter {
    private let sink: ByteSink
    private var isFirst = true

    init(_ sink: ByteSink) {
        self.sink = sink
    }

    mutating func object(_ members: [(name: String, text: String)]) {
        written(members.map { (Self.escaped($0.name), Self.escaped($0.text)) })
    }

    /// Writes members whose texts are printable, as those of a table.
    mutating func written(_ members: [(name: String, text: String)]) {
        if !isFirst { sink.write(0x0A) }
        isFirst = false
        for (name, text) in members {
            sink.write(name)
            sink.write(text.isEmpty ? ":" : ": ")
            sink.write(text)
            sink.write(0x0A)
        }
    }

    private static func escaped(_ text: String) -> String { Printable.line(text.replacing("\\", with: "\\\\")) }
}
