/// Rows under headings, in columns as wide as what they hold.
struct Table {
    private let headings: [String]
    private var rows: [[String]] = []
    /// Columns of numbers, set flush right.
    private let alignsRight: [Bool]
    private static let widest = 60

    init(headings: [String], alignsRight: [Bool] = []) {
        self.headings = headings.map(Printable.line)
        self.alignsRight = alignsRight + Array(repeating: false, count: max(0, headings.count - alignsRight.count))
    }

    mutating func append(_ cells: [String]) {
        rows.append(cells.map { Self.shorten(Printable.line($0)) })
    }

    private static func shorten(_ text: String) -> String {
        guard text.utf8.count > widest, Printable.width(text) > widest else { return text }
        var shown = ""
        var width = 0
        for character in text {
            width += Printable.width(String(character))
            if width > widest - 1 { break }
            shown.append(character)
        }
        return shown + "…"
    }

    func write(to sink: ByteSink) {
        var widths = headings.map(Printable.width)
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], Printable.width(cell)) }
        }
        write(headings, widths, sink)
        write(widths.map { String(repeating: "-", count: $0) }, widths, sink)
        for row in rows { write(row, widths, sink) }
    }

    private func write(_ cells: [String], _ widths: [Int], _ sink: ByteSink) {
        var line = ""
        for (column, cell) in cells.enumerated() {
            let space = String(repeating: " ", count: widths[column] - Printable.width(cell))
            if column > 0 { line += "  " }
            line += alignsRight[column] ? space + cell : cell + space
        }
        while line.last == " " { line.removeLast() }
        sink.write(line)
        sink.write(0x0A)
    }
}
