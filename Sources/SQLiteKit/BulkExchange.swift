internal import CSQLite

/// What one connection is moving just now; the virtual tables and the sink function find it here.
///
/// Kept alive by the connection, and by SQLite as long as a module or function that refers to it is registered.
final class BulkExchange {
    var source: (any RowSource)?
    var sink: (any RowSink)?
    /// What a source or sink threw, to come out of `run` instead of SQLite's error.
    var failure: (any Error)?
    /// Whether the sink wanted no more rows.
    var isStopped = false
    /// The numbers of columns for which a table is registered.
    var tables: Set<Int> = []
    var hasSink = false
}

extension Connection {
    /// The name of the table that stands for the rows of a source, with at least so many columns `c0`, `c1`, …
    package func rowSourceTable(columns: Int) throws -> String {
        precondition(columns > 0 && columns <= 2_000, "a row source has 1 to 2000 columns, as a table of SQLite's has")
        var size = 8
        while size < columns { size *= 2 }
        size = min(size, 2_000)
        let name = "folio_rows_\(size)"
        if bulk.tables.insert(size).inserted { try RowSourceModule.register(name, columns: size, on: self) }
        return name
    }

    /// The name of the function whose arguments go to the sink, one call a row. It takes up to `maximumFunctionArguments` of them.
    package func rowSinkFunction() throws -> String {
        if !bulk.hasSink {
            try RowSinkFunction.register(on: self)
            bulk.hasSink = true
        }
        return RowSinkFunction.name
    }

    /// Runs a statement that reads its rows from `rowSourceTable`.
    package func run(_ statement: Statement, from source: any RowSource) throws {
        let outer = bulk.source
        bulk.source = source
        defer { bulk.source = outer }
        try moving(statement)
    }

    /// Runs a statement that hands its rows to `rowSinkFunction`.
    package func run(_ statement: Statement, into sink: any RowSink) throws {
        let outer = (bulk.sink, bulk.isStopped)
        bulk.sink = sink
        bulk.isStopped = false
        defer { (bulk.sink, bulk.isStopped) = outer }
        do {
            try moving(statement)
        } catch where bulk.isStopped {
            return
        }
    }

    private func moving(_ statement: Statement) throws {
        let outer = bulk.failure
        bulk.failure = nil
        defer { bulk.failure = outer }
        do {
            try statement.run()
        } catch {
            throw bulk.failure ?? error
        }
    }
}
