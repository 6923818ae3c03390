import CSQLite
import Foundation

/// What people write by hand over SQLite's C interface: a connection and prepared statements.
final class HandDatabase {
    private(set) var handle: OpaquePointer?

    /// Opens the store of a document that Folio made, with the same durability: write-ahead log,
    /// synchronous FULL, no automatic checkpoints.
    init(_ path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle else {
            throw BenchmarkError("can't open \(path)")
        }
        self.handle = handle
        try execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0")
    }

    deinit { close() }

    func close() {
        sqlite3_close(handle)
        handle = nil
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw BenchmarkError("\(sql): \(message)") }
    }

    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw BenchmarkError("\(sql): \(message)")
        }
        return statement
    }

    private var message: String { String(cString: sqlite3_errmsg(handle)) }

    /// The saved state is the main file alone, as after a document's save.
    func checkpoint() throws {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
