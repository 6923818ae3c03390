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
        guard let main = try rawFile(SQLITE_FCNTL_FILE_POINTER), main.lockLevel == SQLITE_LOCK_SHARED else {
            return false
        }
        // Unlock even on failure: the attempt leaves a lock that excludes new readers.
        defer { main.unlock(SQLITE_LOCK_SHARED) }
        guard main.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK else { return false }
        try body()
        return true
    }
}
