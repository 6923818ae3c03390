internal import CSQLite

extension Connection {
    /// Runs `body` while no other connection, of whatever process, has the database open in WAL
    /// mode; answers false, and runs nothing, where one has.
    ///
    /// That is how SQLite itself finds out whether it may take a WAL away. Others that come
    /// meanwhile wait for as long as their timeouts let them.
    package func withExclusiveAccess(_ body: () throws -> Void) throws -> Bool {
        guard !isInTransaction else { throw SQLiteError(.misuse, message: "a transaction is under way", path: path) }
        // From the first look at the file on, a connection in WAL mode holds the shared lock that
        // others see.
        _ = try value("SELECT count(*) FROM sqlite_schema")
        var file: UnsafeMutablePointer<sqlite3_file>?
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
        var level: Int32 = -1
        guard let file, let methods = file.pointee.pMethods,
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_LOCKSTATE, &level) == SQLITE_OK,
            level == SQLITE_LOCK_SHARED
        else { return false }
        // Also where it fails: the attempt leaves a lock that keeps new readers out.
        defer { _ = methods.pointee.xUnlock(file, SQLITE_LOCK_SHARED) }
        guard methods.pointee.xLock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK else { return false }
        try body()
        return true
    }
}
