import Folio

/// Objects as `key: value` lines, each value on one line, an empty line between two objects.
///
/// A backslash stands for what it begins: `\n`, `\r`, `\t` and `\u{…}` for characters that would
/// break or disturb the line, `\\` for itself. Nil and texts that could be taken for something else
/// are marked as in tables.
struct LineWriter {
    private let sink: ByteSink
    private var isFirst = true

    init(_ sink: ByteSink) {
        self.sink = sink
    }

    mutating func object(_ members: [(name: String, text: String)]) {
        if !isFirst { sink.write(0x0A) }
        isFirst = false
        for (name, text) in members {
            sink.write(Self.escaped(name))
            sink.write(text.isEmpty ? ":" : ": ")
            sink.write(Self.escaped(text))
            sink.write(0x0A)
        }
    }

    private static func escaped(_ text: String) -> String { Printable.line(text.replacing("\\", with: "\\\\")) }
}
