internal import CSQLite
internal import FileSystem

extension Connection {
    /// Copies the whole database, WAL and this connection's own transaction included, into a new
    /// file that must not be there yet and is open to nobody who can't read this one; returns when
    /// the copy is durable but for its folder. The copy is page for page the same and has no WAL.
    ///
    /// `progress` is told the pages done and the pages in all after each step, and may throw to end
    /// it; then, as after any failure, no file is left.
    package func copyDatabase(
        to target: String, pagesPerStep: Int = 4_096, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws {
        try File(target, .create(mode: FileProtection(of: path).fileMode)).close()
        do {
            let copy = try Connection(target, .readWrite)
            // Made durable below, as a whole.
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
