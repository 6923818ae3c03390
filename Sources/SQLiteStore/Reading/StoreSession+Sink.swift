import SQLiteKit
import Storage

extension StoreSession {
    /// Runs a statement and gives every row of it to `receiver`.
    ///
    /// All rows go through one call of SQL's, which spares a step and a lock for each cell; where there are more columns than a function can take, they
    /// are stepped through.
    func run(_ select: SelectStatement, _ columns: [String], into receiver: some RowReceiver) throws {
        guard columns.count <= connection.maximumFunctionArguments else {
            let statement = select.selecting(columns)
            return try connection.withStatement(statement.text) { result in
                try result.bind(statement.arguments)
                while try result.step() { receiver.receive(result) }
            }
        }
        let statement = select.feeding(try connection.rowSinkFunction(), columns)
        try connection.withStatement(statement.text) { result in
            try result.bind(statement.arguments)
            try connection.run(result, into: receiver)
        }
    }
}

/// Takes rows, whichever way they come.
protocol RowReceiver: RowSink {
    func receive(_ cells: some ResultCells)
}

extension RowReceiver {
    @inline(__always) func take(_ row: SQLValues) -> Bool {
        receive(row)
        return true
    }
}

/// Collects rows in the order in which they come.
final class RowCollector: RowReceiver {
    private let reader: RowReader
    // Changed by `receive` alone, which SQLite calls once at a time, and read when the statement is over.
    @exclusivity(unchecked) private(set) var batch = RowBatch()

    init(_ reader: RowReader) {
        self.reader = reader
    }

    @inline(__always) func receive(_ cells: some ResultCells) {
        reader.append(cells, to: &batch)
    }
}
