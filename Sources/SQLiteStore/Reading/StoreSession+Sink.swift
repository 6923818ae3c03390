import SQLiteKit
import Storage

extension StoreSession {
    /// Of so few rows the steps cost less than what the sink's statement takes longer to compile.
    private static let fewRows = 4

    /// Runs a statement and gives every row of it to `receiver`.
    ///
    /// All rows go through one call of SQL's, which spares a step and a lock for each cell; where
    /// there are more columns than a function can take, or so few rows that the plainer statement
    /// is worth more, they are stepped through. With `skipping`, the receiver is shown the first
    /// two columns of each row first; of those that it skips the others are not even decoded.
    func run(_ select: SelectStatement, _ columns: [String], into receiver: some RowReceiver, skipping: Bool = false)
        throws
    {
        let isFew = !skipping && select.limit.map { $0 <= Self.fewRows } ?? false
        guard !isFew, columns.count <= connection.maximumFunctionArguments, !connection.tracesRows else {
            let statement = select.selecting(columns)
            return try connection.withStatement(statement.text) { result in
                try result.bind(statement.arguments)
                while try result.step() { receiver.receive(result) }
            }
        }
        let sink = try connection.rowSinkFunction()
        if try runSorted(select, columns, into: receiver, skipping: skipping) { return }
        let statement = self.statement(select, columns, sink: sink, skipping: skipping)
        try connection.withStatement(statement.text) { result in
            try result.bind(statement.arguments)
            try connection.run(result, into: receiver)
        }
    }

    private func statement(_ select: SelectStatement, _ columns: [String], sink: String, skipping: Bool) -> SQLFragment
    {
        guard skipping else { return select.feeding(columns) { "\(sink)(\($0.joined(separator: ", ")))" } }
        let skip = connection.rowSkipFunction
        if select.isWholeTable {
            // What is skipped so doesn't even come back from SQLite.
            var select = select
            select.conditions.append(SQLFragment("NOT \(skip)(\(columns[0]), \(columns[1]))"))
            return select.feeding(columns) { "\(sink)(\($0.joined(separator: ", ")))" }
        }
        return select.feeding(columns) {
            "CASE WHEN \(skip)(\($0[0]), \($0[1])) THEN NULL ELSE \(sink)(\($0.joined(separator: ", "))) END"
        }
    }

    // MARK: Windows

    /// Fewer rows are kept in order by SQLite's own way at little cost.
    private static let leastSorted = 64

    /// Runs a request for the first of many sorted rows without its limit, and stops when it has
    /// them. SQLite then sorts all rows at once, which takes two thirds of keeping the first of
    /// them in order; where there turn out to be many more than are wanted, that would be waste,
    /// and the answer is false.
    private func runSorted(
        _ select: SelectStatement, _ columns: [String], into receiver: some RowReceiver, skipping: Bool
    ) throws -> Bool {
        guard let limit = select.limit, limit >= Self.leastSorted, limit < .max / 8, select.offset == 0,
            !select.isDistinct, !select.order.isEmpty
        else { return false }
        var unlimited = select
        unlimited.limit = nil
        unlimited.conditions.append(SQLFragment("\(connection.rowBoundFunction)(\(SelectStatement.rootAlias).Z_PK)"))
        let statement = self.statement(unlimited, columns, sink: try connection.rowSinkFunction(), skipping: skipping)
        let known = plans.sortsWindow(of: statement.text)
        if known == false { return false }
        let isDone = try connection.withStatement(statement.text) { result in
            if known == nil, try !result.sortsBeforeFirstRow() { return false }
            try result.bind(statement.arguments)
            return try connection.run(result, into: receiver, most: limit, bound: limit * 4)
        }
        plans.note(sortsWindow: isDone, of: statement.text)
        return isDone
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

/// Collects rows, and between them the numbers of known objects.
final class SelectionCollector: RowReceiver {
    private let reader: RowReader
    private let known: KnownKeys
    // Changed by `receive` and `skips` alone, which SQLite calls once at a time, and read when the
    // statement is over.
    @exclusivity(unchecked) private(set) var selection = RowSelection()

    init(_ reader: RowReader, _ known: KnownKeys) {
        self.reader = reader
        self.known = known
    }

    @inline(__always) func receive(_ cells: some ResultCells) {
        let count = selection.rows.count
        reader.append(cells, to: &selection.rows)
        if selection.rows.count > count { selection.entries.append(.row) }
    }

    @inline(__always) func skips(_ row: SQLValues) -> Bool {
        let key = row[0].int64
        guard known.contains(key) else { return false }
        selection.entries.append(RowSelection.Entry(key: key, version: row[1].int64))
        return true
    }
}

/// Collects rows in the order in which they come.
final class RowCollector: RowReceiver {
    private let reader: RowReader
    // Changed by `receive` alone, which SQLite calls once at a time, and read when the statement is
    // over.
    @exclusivity(unchecked) private(set) var batch = RowBatch()

    init(_ reader: RowReader) {
        self.reader = reader
    }

    @inline(__always) func receive(_ cells: some ResultCells) {
        reader.append(cells, to: &batch)
    }
}
