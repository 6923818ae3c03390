import SQLiteKit
import Storage

extension StoreSession {
    /// For so few rows, stepping costs less than compiling the longer statement of the sink.
    private static let fewRows = 4

    /// Runs a statement and passes every row to `receiver`.
    ///
    /// Each row is passed through a SQL function call, which saves a step and a lock for each cell.
    /// If there are more columns than a function can take, or so few rows that the simpler
    /// statement is faster, the rows are stepped through. With `skipping`, the receiver first sees
    /// the first two columns of each row; the other columns of skipped rows are not decoded.
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
        let sink = try connection.bulk.sinkFunction()
        if try runSorted(select, columns, into: receiver, skipping: skipping) { return }
        let statement = self.statement(select, columns, sink: sink, skipping: skipping)
        try connection.withStatement(statement.text) { result in
            try result.bind(statement.arguments)
            try connection.bulk.run(result, into: receiver)
        }
    }

    private func statement(_ select: SelectStatement, _ columns: [String], sink: String, skipping: Bool) -> SQLFragment
    {
        guard skipping else { return select.feeding(columns) { "\(sink)(\($0.joined(separator: ", ")))" } }
        let skip = connection.bulk.skipFunction
        if select.isWholeTable {
            // SQLite does not return skipped rows at all.
            var select = select
            select.conditions.append(SQLFragment("NOT \(skip)(\(columns[0]), \(columns[1]))"))
            return select.feeding(columns) { "\(sink)(\($0.joined(separator: ", ")))" }
        }
        return select.feeding(columns) {
            "CASE WHEN \(skip)(\($0[0]), \($0[1])) THEN NULL ELSE \(sink)(\($0.joined(separator: ", "))) END"
        }
    }

    // MARK: Windows

    /// With a lower limit, SQLite's own method of keeping the first rows in order is cheap.
    private static let leastSorted = 64

    /// Runs a request for the first rows of a sorted result without its limit, and stops when it
    /// has them. SQLite then sorts all rows at once, which takes two thirds of the time of keeping
    /// the first rows in order. If far more rows match than are requested, that would be slower;
    /// the result is then false.
    private func runSorted(
        _ select: SelectStatement, _ columns: [String], into receiver: some RowReceiver, skipping: Bool
    ) throws -> Bool {
        guard let limit = select.limit, limit >= Self.leastSorted, limit < .max / 8, select.offset == 0,
            !select.isDistinct, !select.order.isEmpty
        else { return false }
        var unlimited = select
        unlimited.limit = nil
        unlimited.conditions.append(SQLFragment("\(connection.bulk.boundFunction)(\(SelectStatement.rootAlias).Z_PK)"))
        let statement = self.statement(unlimited, columns, sink: try connection.bulk.sinkFunction(), skipping: skipping)
        let known = plans.sortsWindow(of: statement.text)
        if known == false { return false }
        let isDone = try connection.withStatement(statement.text) { result in
            if known == nil, try !result.sortsBeforeFirstRow() { return false }
            try result.bind(statement.arguments)
            return try connection.bulk.run(result, into: receiver, most: limit, bound: limit * 4)
        }
        plans.note(sortsWindow: isDone, of: statement.text)
        return isDone
    }
}

/// Receives rows, either from a stepped statement or from a sink.
protocol RowReceiver: RowSink {
    func receive(_ cells: some ResultCells)
}

extension RowReceiver {
    @inline(__always) func take(_ row: SQLValues) -> Bool {
        receive(row)
        return true
    }
}

/// Collects rows, and between them the keys of known objects.
final class SelectionCollector: RowReceiver {
    private let reader: RowReader
    private let known: KnownKeys
    // Changed only by `receive` and `skips`, which SQLite never calls concurrently, and read after
    // the statement is finished.
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

/// Collects rows in result order.
final class RowCollector: RowReceiver {
    private let reader: RowReader
    // Changed only by `receive`, which SQLite never calls concurrently, and read after the
    // statement is finished.
    @exclusivity(unchecked) private(set) var batch = RowBatch()

    init(_ reader: RowReader) {
        self.reader = reader
    }

    @inline(__always) func receive(_ cells: some ResultCells) {
        reader.append(cells, to: &batch)
    }
}
