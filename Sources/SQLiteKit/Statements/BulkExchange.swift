internal import CSQLite

/// The data that one connection is currently transferring, for use by the virtual tables and the
/// sink function.
///
/// Retained by the connection, and by SQLite as long as a module or function that refers to it is
/// registered.
final class BulkExchange {
    var source: (any RowSource)?
    /// An error of a source, which `run` throws instead of SQLite's error.
    var failure: (any Error)?
    /// The memory through which the sink function finds the current call. It is allocated
    /// separately, so that a row needs no check and no retain. SQLite owns it from the registration
    /// of the function, as long as any statement may call it.
    var call: UnsafeMutablePointer<Unmanaged<SinkCall>?>?
    /// The numbers of columns for which a table is registered.
    var tables: Set<Int> = []
}

extension Connection {
    /// The name of the table that supplies the rows of a source, with at least this number of
    /// columns `c0`, `c1`, …
    package func rowSourceTable(columns: Int) throws -> String {
        precondition(columns > 0 && columns <= 2_000, "a row source has 1 to 2000 columns, as a table of SQLite's has")
        var size = 8
        while size < columns { size *= 2 }
        size = min(size, 2_000)
        let name = "folio_rows_\(size)"
        if bulk.tables.insert(size).inserted { try RowSourceModule.register(name, columns: size, on: self) }
        return name
    }

    /// The name of the function that passes its arguments to the sink, one call for each row. It
    /// takes up to `maximumFunctionArguments` arguments.
    package func rowSinkFunction() throws -> String {
        if bulk.call == nil { bulk.call = try RowSinkFunction.register(on: self) }
        return RowSinkFunction.name
    }

    /// The name of the function that returns whether the sink skips a row. It is registered
    /// together with the sink function.
    package var rowSkipFunction: String { RowSinkFunction.skipName }

    /// The name of the function that counts a row towards the bound of a run and returns true. It
    /// is registered together with the sink function.
    package var rowBoundFunction: String { RowSinkFunction.boundName }

    /// Runs a statement that reads rows from `rowSourceTable`.
    package func run(_ statement: Statement, from source: any RowSource) throws {
        let outer = (bulk.source, bulk.failure)
        bulk.source = source
        bulk.failure = nil
        defer { (bulk.source, bulk.failure) = outer }
        do {
            try statement.run()
        } catch {
            throw bulk.failure ?? error
        }
    }

    /// Runs `SELECT folio_sink(a, b) FROM …`, which passes its rows to the sink by
    /// `rowSinkFunction`.
    ///
    /// The rows come in the order of the statement's scan. If SQLite has to sort for `ORDER BY`
    /// (`Statement.sorts`), use `step(_:into:)` instead.
    package func run(_ statement: Statement, into sink: any RowSink) throws {
        _ = try run(statement, into: SinkCall(sink), most: .max)
    }

    /// Runs such a statement up to a number of rows, if it sorts rows that `rowBoundFunction` has
    /// counted.
    /// - Parameter bound: The greatest number of rows to sort. If there are more, the result is
    ///   false and no row was passed to the sink.
    package func run(_ statement: Statement, into sink: any RowSink, most: Int, bound: Int) throws -> Bool {
        try run(statement, into: SinkCall(sink, bound: bound), most: most)
    }

    private func run(_ statement: Statement, into call: SinkCall, most: Int) throws -> Bool {
        guard let cell = bulk.call else {
            preconditionFailure("a statement names the sink by rowSinkFunction(), which registers it")
        }
        let outer = cell.pointee
        cell.pointee = Unmanaged.passUnretained(call)
        defer { cell.pointee = outer }
        do {
            try withExtendedLifetime(call) {
                var count = 0
                while count < most, try statement.step() {
                    if call.isStopped { break }
                    count += 1
                }
            }
        } catch {
            if call.isBeyondBound { return false }
            throw call.failure ?? error
        }
        statement.reset()
        return true
    }

    /// Steps through an ordinary statement and passes its rows to a sink: for results that SQLite
    /// sorts, and rows with more columns than a function can take.
    package func step(_ statement: Statement, into sink: any RowSink) throws {
        defer { statement.reset() }
        let count = statement.columnCount
        try withUnsafeTemporaryAllocation(of: OpaquePointer?.self, capacity: max(1, count)) { values in
            guard let base = values.baseAddress else { return }
            while try statement.step() {
                for column in 0..<count {
                    base[column] = sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: column))
                }
                if try !sink.take(SQLValues(base, count: count)) { return }
            }
        }
    }
}
