internal import CSQLite

/// Creates the errors of one connection. Its statements share it, so that one that outlives the
/// connection can still use it.
final class ErrorSource {
    private let handle: OpaquePointer
    private let path: String
    /// The archive that contains the database. It knows in more detail than SQLite why a read
    /// failed.
    private let archive: ArchivedDatabase?
    var deadline: Deadline?

    init(_ handle: OpaquePointer, path: String, archive: ArchivedDatabase? = nil) {
        self.handle = handle
        self.path = path
        self.archive = archive
    }

    /// Throws the error of the last call, unless it succeeded.
    func check(_ result: Int32, sql: String? = nil) throws {
        if result != SQLITE_OK { throw error(result, sql: sql) }
    }

    /// The error of the last call, which returned `result`.
    func error(_ result: Int32, sql: String?) -> SQLiteError {
        if result & 0xFF == SQLITE_INTERRUPT, let deadline, deadline.isOver {
            return SQLiteError(
                .timedOut, extendedCode: result, message: "took longer than allowed", sql: sql, path: path)
        }
        if result & 0xFF == SQLITE_IOERR, let failure = archive?.takeFailure() { return failure }
        return SQLiteError(result, handle: handle, sql: sql, path: path)
    }
}
