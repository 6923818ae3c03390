/// Transfers rows in bulk between a program and the statements of one connection: the rows of a
/// source as a table to read from, and the rows of a result to a sink.
package final class BulkExchange {
    private let handle: OpaquePointer
    private let errors: ErrorSource
    private let current = RowSourceModule.Current()
    /// The memory through which the sink function finds the current call. It is allocated
    /// separately, so that a row needs no check and no retain. SQLite owns it from the registration
    /// of the function, as long as any statement may call it.
    private var call: UnsafeMutablePointer<Unmanaged<SinkCall>?>?
    /// The numbers of columns for which a table is registered.
    private var tables: Set<Int> = []

    init(_ handle: OpaquePointer, _ errors: ErrorSource) {
        self.handle = handle
        self.errors = errors
    }

    /// The name of the table that supplies the rows of a source, with at least this number of
    /// columns `c0`, `c1`, …
    package func sourceTable(columns: Int) throws -> String {
        precondition(columns > 0 && columns <= 2_000, "a row source has 1 to 2000 columns, as a table of SQLite's has")
        var size = 8
        while size < columns { size *= 2 }
        size = min(size, 2_000)
        let name = "folio_rows_\(size)"
        if tables.insert(size).inserted {
            try errors.check(RowSourceModule.register(name, columns: size, of: current, on: handle))
        }
        return name
    }

    /// The name of the function that passes its arguments to the sink, one call for each row. It
    /// takes up to `maximumFunctionArguments` arguments.
    package func sinkFunction() throws -> String {
        if call == nil { call = try RowSinkFunction.register(on: handle, errors) }
        return RowSinkFunction.name
    }

    /// The name of the function that returns whether the sink skips a row. It is registered
    /// together with the sink function.
    package var skipFunction: String { RowSinkFunction.skipName }

    /// The name of the function that counts a row towards the bound of a run and returns true. It
    /// is registered together with the sink function.
    package var boundFunction: String { RowSinkFunction.boundName }

    /// Runs a statement that reads rows from `sourceTable`.
    package func run(_ statement: Statement, from source: any RowSource) throws {
        let outer = (current.source, current.failure)
        current.source = source
        current.failure = nil
        defer { (current.source, current.failure) = outer }
        do {
            try statement.run()
        } catch {
            throw current.failure ?? error
        }
    }

    /// Runs `SELECT folio_sink(a, b) FROM …`, which passes its rows to the sink by
    /// `sinkFunction`.
    ///
    /// The rows come in the order of the statement's scan: SQLite sorts for `ORDER BY` afterwards.
    package func run(_ statement: Statement, into sink: any RowSink) throws {
        _ = try run(statement, into: SinkCall(sink), most: .max)
    }

    /// Runs such a statement up to a number of rows, if it sorts rows that `boundFunction` has
    /// counted.
    /// - Parameter bound: The greatest number of rows to sort. If there are more, the result is
    ///   false and no row was passed to the sink.
    package func run(_ statement: Statement, into sink: any RowSink, most: Int, bound: Int) throws -> Bool {
        try run(statement, into: SinkCall(sink, bound: bound), most: most)
    }

    private func run(_ statement: Statement, into sink: SinkCall, most: Int) throws -> Bool {
        guard let cell = call else {
            preconditionFailure("a statement names the sink by sinkFunction(), which registers it")
        }
        let outer = cell.pointee
        cell.pointee = Unmanaged.passUnretained(sink)
        defer { cell.pointee = outer }
        do {
            try withExtendedLifetime(sink) {
                var count = 0
                while count < most, try statement.step() {
                    if sink.isStopped { break }
                    count += 1
                }
            }
        } catch {
            if sink.isBeyondBound { return false }
            throw sink.failure ?? error
        }
        statement.reset()
        return true
    }
}
