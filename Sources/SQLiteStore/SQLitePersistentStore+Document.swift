import FileSystem
internal import SQLiteFile
package import SQLiteKit
import Storage

/// Operations of a document on its store's files.
extension SQLitePersistentStore {
    /// How long a checkpoint waits for readers, in milliseconds. It can be repeated later.
    private static let checkpointPatience = 100

    /// Checkpoints all committed transactions into the main file and empties the WAL.
    /// - Returns: false if a reader prevented it. The committed data is durable in either case.
    package func checkpoint() throws -> Bool {
        try withSession { session in
            try session.checkWritable()
            try session.connection.execute("PRAGMA busy_timeout=\(Self.checkpointPatience)")
            defer { try? session.connection.execute("PRAGMA busy_timeout=\(session.description.busyTimeout)") }
            return try session.connection.checkpoint(.truncate).isComplete
        }
    }

    /// An upper bound of the WAL's size in bytes since this store's last commit, for any page size;
    /// nil before the first commit.
    package func largestWALSize() throws -> Int64? {
        try withSession { $0.connection.logFrames.map { WriteAheadLog.greatestSize(frames: $0) } }
    }

    /// Closes a store that no other connection has open, with all committed data in its main file
    /// and without a WAL or journal.
    /// - Throws: `StorageError.busy` if that is not possible: the main file alone would not be the
    ///   complete store.
    package func closeAsOneFile() throws {
        if try withSession({ try $0.connection.journalMode() }) == .wal {
            guard try checkpoint() else {
                throw StorageError(.busy, "The journal can't be brought into the store", path: path)
            }
            try closeRemovingWAL()
        } else {
            try close()
        }
        do {
            // If SQLite has left the WAL, another connection has it open.
            guard try !Disk.exists(path + "-wal"), try Disk.status(of: path + "-journal")?.size ?? 0 == 0 else {
                throw StorageError(.busy, "The journal stays beside the store: another program has it open", path: path)
            }
            try Disk.removeFileIfPresent(path + "-journal")
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Closes a store whose WAL is empty, and lets SQLite delete the WAL and its index. SQLite does
    /// this only if no other connection has the store open. Otherwise a reader of the deleted index
    /// and later connections would not see each other's locks.
    package func closeRemovingWAL() throws {
        try withSession { session in
            try session.connection.setKeepsWAL(false)
            try session.connection.setCheckpointsOnClose(true)
        }
        try close()
    }

    /// Runs `body` while no other connection has the store open, so that its WAL can be removed,
    /// and closes the store.
    /// - Returns: false if another connection has it open: then `body` was not run, and the store
    ///   is still open.
    package func closeExclusively(_ body: () throws -> Void) throws -> Bool {
        // An error of `body` is rethrown unchanged.
        var failure: (any Error)?
        let isAlone = try withSession { session in
            try session.connection.withExclusiveAccess { do { try body() } catch { failure = error } }
        }
        if let failure { throw failure }
        if isAlone { try close() }
        return isAlone
    }

    /// Runs `body` with direct access to the store's files, between two commits; for keeping
    /// versions. The files must not be used afterwards. An error of `body` is rethrown unchanged.
    package func withFiles<Result: Sendable>(_ body: (DatabaseFiles) throws -> Result) throws -> Result {
        try withSession { session in
            try session.connection.withFiles { files in Swift.Result { try body(files) } }
        }.get()
    }

    /// Copies the current state of the store, including its WAL, page by page into a new file. The
    /// copy is one durable file without a WAL.
    /// - Parameter uuid: The identity of the copy; nil keeps the identity.
    /// - Throws: `StorageError.cannotCreate` if the file exists already. After any failure there is
    ///   no copy.
    package func copy(to path: String, uuid: String? = nil) throws {
        try withSession { session in
            try session.reading {
                // If this attempt is repeated, the file of the previous one must be gone.
                try session.connection.copyDatabase(to: path)
                do {
                    try session.connection.checkUnchanged()
                } catch {
                    _ = try? Disk.removeFileIfPresent(path)
                    throw error
                }
            }
        }
        guard let uuid else { return }
        do {
            try SQLiteStoreFile(path).setUUID(uuid)
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { _ = try? Disk.removeFileIfPresent(path + suffix) }
            throw error
        }
    }
}
