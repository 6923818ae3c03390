/// Prints rows under headings, in columns as wide as their content or as the terminal allows.
struct Table {
    private let headings: [String]
    private var rows: [[String]] = []
    /// Whether each column is aligned right, as numbers are.
    private let alignsRight: [Bool]
    /// The columns that are never truncated, because other commands need what is in them.
    private let whole: Set<Int>
    /// The number of spaces between columns.
    private static let gap = 2
    /// The minimum width of a truncated column, regardless of the terminal.
    private static let leastWidth = 4

    init(headings: [String], alignsRight: [Bool] = [], whole: Set<Int> = []) {
        self.whole = whole
        self.headings = headings.map(Printable.line)
        self.alignsRight = alignsRight + Array(repeating: false, count: max(0, headings.count - alignsRight.count))
    }

    mutating func append(_ cells: [String]) {
        rows.append(cells.map(Printable.line))
    }

    /// Writes the table. Cells are truncated only if the results go to a terminal that is too
    /// narrow.
    func write(to console: Console) {
        var widths = headings.map(Printable.width)
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], Printable.width(cell)) }
        }
        if let room = console.resultColumns { widths = Self.fitting(widths, in: room, whole: whole) }
        write(headings, widths, console.output)
        write(widths.map { String(repeating: "-", count: $0) }, widths, console.output)
        for row in rows { write(row, widths, console.output) }
    }

    /// The widths of the columns for a limited line width. The widest columns are reduced first, to
    /// the width of the next widest ones; those in `whole` are not.
    static func fitting(_ widths: [Int], in room: Int, whole: Set<Int> = []) -> [Int] {
        var fitted = widths
        var excess = widths.reduce(gap * (widths.count - 1), +) - room
        let shrinkable = fitted.indices.filter { !whole.contains($0) }
        while excess > 0, let widest = shrinkable.map({ fitted[$0] }).max(), widest > leastWidth {
            let next = max(leastWidth, shrinkable.map { fitted[$0] }.filter { $0 < widest }.max() ?? 0)
            let columns = shrinkable.filter { fitted[$0] == widest }
            let step = min(widest - next, (excess + columns.count - 1) / columns.count)
            for column in columns where excess > 0 {
                let cut = min(step, excess)
                fitted[column] -= cut
                excess -= cut
            }
        }
        return fitted
    }

    private func write(_ cells: [String], _ widths: [Int], _ sink: ByteSink) {
        var line = ""
        for (column, cell) in cells.enumerated() {
            let shown = Printable.shortened(cell, to: widths[column])
            let space = String(repeating: " ", count: widths[column] - Printable.width(shown))
            if column > 0 { line += String(repeating: " ", count: Self.gap) }
            line += alignsRight[column] ? space + shown : shown + space
        }
        while line.last == " " { line.removeLast() }
        sink.write(line)
        sink.write(0x0A)
    }
}
