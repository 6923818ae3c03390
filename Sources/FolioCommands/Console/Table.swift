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
        var widths = widths
        if let room = console.resultColumns { widths = Self.fitting(widths, in: room, whole: whole) }
        write(headings, widths, console.output)
        write(widths.map { String(repeating: "-", count: $0) }, widths, console.output)
        for row in rows { write(row, widths, console.output) }
    }

    /// Writes the table so that it can be read on the terminal: if it is too wide, without the
    /// columns in which no row has a value, and if it is too wide still, as lines `key: value`.
    func writeFitting(to console: Console) {
        guard let room = console.resultColumns, !rows.isEmpty, width > room else { return write(to: console) }
        let kept = headings.indices.filter { column in
            whole.contains(column) || rows.contains { $0[column] != ValueText.nilMark }
        }
        let left = headings.indices.filter { !kept.contains($0) }.map { headings[$0] }
        var table = Table(
            headings: kept.map { headings[$0] }, alignsRight: kept.map { alignsRight[$0] },
            whole: Set(kept.indices.filter { whole.contains(kept[$0]) }))
        table.rows = rows.map { row in kept.map { row[$0] } }
        let fitted = Self.fitting(table.widths, in: room, whole: table.whole)
        // A column of which less is shown tells nothing.
        let isLegible = zip(fitted, table.widths).allSatisfy { $0 >= min($1, Self.legibleWidth) }
        guard isLegible, Self.width(fitted) <= room else {
            var writer = LineWriter(console.output)
            for row in rows { writer.written(Array(zip(headings, row))) }
            return console.say(
                "note: the table is too wide for the terminal: as lines; --format table shows it, --columns chooses")
        }
        table.write(to: console)
        if !left.isEmpty {
            console.say("note: without the columns in which all is NULL: " + left.joined(separator: ", "))
        }
    }

    private static let legibleWidth = 8

    private var widths: [Int] {
        var widths = headings.map(Printable.width)
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], Printable.width(cell)) }
        }
        return widths
    }

    private var width: Int { Self.width(widths) }

    private static func width(_ widths: [Int]) -> Int { widths.reduce(gap * (widths.count - 1), +) }

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
