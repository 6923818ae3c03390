internal import CSQLite
internal import FileSystem

extension Connection {
    /// Copies the whole database into a new file, including the WAL and this connection's own
    /// transaction. The file must not exist, and its permissions are those of this database. On
    /// return the copy is durable except for its directory entry. It is identical page by page and
    /// has no WAL.
    ///
    /// `progress` is called with the completed pages and the total after each step, and may throw
    /// to cancel. Then, as after any failure, no file is left.
    package func copyDatabase(
        to target: String, pagesPerStep: Int = 4_096, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws {
        try File(target, .create(mode: FileProtection(of: path).fileMode)).close()
        do {
            let copy = try Connection(target, .readWrite)
            // The copy is made durable as a whole below.
            try copy.execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
            try copyPages(to: copy, pagesPerStep, progress)
            try copy.close()
            try Disk.synchronizeFile(target)
        } catch {
            _ = try? Disk.removeFileIfPresent(target)
            throw error
        }
    }

    private func copyPages(to copy: Connection, _ pagesPerStep: Int, _ progress: (Int, Int) throws -> Void) throws {
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.error(sqlite3_errcode(copy.handle))
        }
        var result = SQLITE_OK
        do {
            while result == SQLITE_OK {
                result = sqlite3_backup_step(backup, Int32(clamping: pagesPerStep))
                let total = Int(sqlite3_backup_pagecount(backup))
                if result == SQLITE_OK || result == SQLITE_DONE {
                    try progress(total - Int(sqlite3_backup_remaining(backup)), total)
                }
            }
        } catch {
            sqlite3_backup_finish(backup)
            throw error
        }
        sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE else { throw error(result) }
    }
}
