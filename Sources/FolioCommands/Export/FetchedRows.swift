import Folio

/// Writes rows of values.
struct FetchedRows {
    private let names: [String]
    private let rows: [[String: PropertyValue]]
    private let console: Console

    init(_ rows: [[String: PropertyValue]], columns: ColumnList, _ console: Console) {
        names = columns.columns.map(\.name)
        self.rows = rows
        self.console = console
    }

    func write(_ format: String) throws {
        switch format {
        case "json":
            var writer = JSONWriter(console.output)
            writer.beginArray()
            for row in rows { try write(row, to: &writer) }
            writer.endArray()
            console.output.write(0x0A)
        case "jsonl":
            for row in rows {
                var writer = JSONWriter(console.output, style: .compact)
                try write(row, to: &writer)
                console.output.write(0x0A)
            }
        case "csv":
            console.print(CSV.line(names))
            for row in rows { console.print(CSV.line(try names.map { try ValueText.field(row[$0] ?? .null) })) }
        case "lines":
            var writer = LineWriter(console.output)
            for row in rows { writer.object(names.map { ($0, ValueText.cell(row[$0] ?? .null)) }) }
        default:
            var table = Table(headings: names, alignsRight: names.map(isNumeric))
            for row in rows { table.append(names.map { ValueText.cell(row[$0] ?? .null) }) }
            table.write(to: console)
        }
    }

    private func write(_ row: [String: PropertyValue], to writer: inout JSONWriter) throws {
        try console.interruption.check()
        try console.output.check()
        writer.beginObject()
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            writer.name(name)
            writer.property(row[name] ?? .null)
        }
        writer.endObject()
    }

    /// Whether all values of a column are numbers.
    private func isNumeric(_ name: String) -> Bool {
        rows.allSatisfy { row in
            switch row[name] {
            case nil, .int, .double, .float, .decimal: true
            default: false
            }
        }
    }
}
