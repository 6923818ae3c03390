internal import CSQLite

/// The sink as an aggregate: SQLite runs the whole loop in one step and returns a single row at its end.
enum RowSinkFunction {
    static let name = "folio_sink"

    static func register(on connection: Connection) throws {
        let box = Unmanaged.passRetained(connection.bulk)
        try connection.check(
            sqlite3_create_function_v2(
                connection.handle, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, box.toOpaque(), nil,
                { context, count, values in RowSinkFunction.step(context, count, values) },
                { context in if let context { sqlite3_result_null(context) } },
                { box in if let box { Unmanaged<BulkExchange>.fromOpaque(box).release() } }))
    }

    private static func step(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let context, let values, let box = sqlite3_user_data(context) else { return }
        Unmanaged<BulkExchange>.fromOpaque(box)._withUnsafeGuaranteedRef { bulk in
            guard let sink = bulk.sink else { return sqlite3_result_error(context, "no sink is attached", -1) }
            do {
                if try sink.take(SQLValues(values, count: Int(count))) { return }
                bulk.isStopped = true
            } catch {
                bulk.failure = error
            }
            sqlite3_result_error_code(context, SQLITE_ABORT)
        }
    }
}
