internal import CSQLite

extension Connection {
    /// Runs `body` while no other connection of any process has the database open in WAL mode.
    /// Returns false without running it if there is one.
    ///
    /// This is how SQLite itself determines whether it may remove a WAL. Connections that are
    /// opened meanwhile wait up to their timeouts.
    package func withExclusiveAccess(_ body: () throws -> Void) throws -> Bool {
        guard !isInTransaction else { throw SQLiteError(.misuse, message: "a transaction is under way", path: path) }
        // After its first read, a connection in WAL mode has a shared lock that other connections
        // detect.
        _ = try value("SELECT count(*) FROM sqlite_schema")
        var file: UnsafeMutablePointer<sqlite3_file>?
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
        var level: Int32 = -1
        guard let file, let methods = file.pointee.pMethods,
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_LOCKSTATE, &level) == SQLITE_OK,
            level == SQLITE_LOCK_SHARED
        else { return false }
        // Unlock even on failure: the attempt leaves a lock that excludes new readers.
        defer { _ = methods.pointee.xUnlock(file, SQLITE_LOCK_SHARED) }
        guard methods.pointee.xLock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK else { return false }
        try body()
        return true
    }
}
