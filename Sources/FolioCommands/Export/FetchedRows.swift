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
        try RecordWriter(names: names, alignsRight: names.map(isNumeric), console: console).write(
            rows, format, id: nil
        ) { row in
            names.map { row[$0] ?? .null }
        }
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
