internal import CSQLite

/// The sink as a function of one row. It is as fast as an aggregate function, which would process
/// all rows in one step, and it preserves the order of an index.
enum RowSinkFunction {
    static let name = "folio_sink"
    static let skipName = "folio_skip"
    static let boundName = "folio_bound"

    /// Registers the functions. Returns the memory in which they find the current call; it is freed
    /// with the first function.
    static func register(on handle: OpaquePointer, _ errors: ErrorSource) throws -> UnsafeMutablePointer<
        Unmanaged<SinkCall>?
    > {
        let cell = UnsafeMutablePointer<Unmanaged<SinkCall>?>.allocate(capacity: 1)
        cell.initialize(to: nil)
        // On failure SQLite calls the destructor itself.
        try errors.check(
            sqlite3_create_function_v2(
                handle, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, cell,
                { context, count, values in RowSinkFunction.take(context, count, values) }, nil, nil,
                { cell in cell?.deallocate() }))
        // Released with the connection, like the first function, which frees the memory.
        try errors.check(
            sqlite3_create_function_v2(
                handle, skipName, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, cell,
                { context, count, values in RowSinkFunction.skip(context, count, values) }, nil, nil, nil))
        try errors.check(
            sqlite3_create_function_v2(
                handle, boundName, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, cell,
                { context, _, _ in RowSinkFunction.count(context) }, nil, nil, nil))
        return cell
    }

    @inline(__always)
    private static func take(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?)
    {
        guard let context, let values, let box = sqlite3_user_data(context) else { return }
        // Unretained: `run(_:into:)` keeps the object alive while the statement runs.
        guard let call = box.assumingMemoryBound(to: Unmanaged<SinkCall>?.self).pointee else {
            return sqlite3_result_error(context, "no sink is attached", -1)
        }
        call._withUnsafeGuaranteedRef { $0.take(SQLValues(values, count: Int(count)), context) }
    }
}

extension RowSinkFunction {
    @inline(__always)
    private static func skip(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?)
    {
        guard let context, let values, let box = sqlite3_user_data(context) else { return }
        guard let call = box.assumingMemoryBound(to: Unmanaged<SinkCall>?.self).pointee else {
            return sqlite3_result_error(context, "no sink is attached", -1)
        }
        let skips = call._withUnsafeGuaranteedRef { $0.skips(SQLValues(values, count: Int(count))) }
        sqlite3_result_int(context, skips ? 1 : 0)
    }
}

extension RowSinkFunction {
    private static func count(_ context: OpaquePointer?) {
        guard let context, let box = sqlite3_user_data(context) else { return }
        guard let call = box.assumingMemoryBound(to: Unmanaged<SinkCall>?.self).pointee else {
            return sqlite3_result_error(context, "no sink is attached", -1)
        }
        if call._withUnsafeGuaranteedRef({ $0.countsOne() }) {
            sqlite3_result_int(context, 1)
        } else {
            sqlite3_result_error_code(context, SQLITE_ABORT)
        }
    }
}

/// One run of a statement into a sink.
final class SinkCall {
    private let sink: any RowSink
    private(set) var isStopped = false
    private(set) var failure: (any Error)?
    /// The number of further rows that may be counted.
    private var room: Int
    var isBeyondBound: Bool { room < 0 }

    init(_ sink: any RowSink, bound: Int = .max) {
        self.sink = sink
        room = bound
    }

    fileprivate func countsOne() -> Bool {
        room -= 1
        return room >= 0
    }

    @inline(__always)
    fileprivate func skips(_ row: SQLValues) -> Bool { sink.skips(row) }

    @inline(__always)
    fileprivate func take(_ row: SQLValues, _ context: OpaquePointer) {
        do {
            if try !sink.take(row) { isStopped = true }
        } catch {
            failure = error
            sqlite3_result_error_code(context, SQLITE_ABORT)
        }
    }
}
