import FileSystem
internal import SQLiteFile
package import SQLiteKit
import Storage

/// What a document does with its store's files.
extension SQLitePersistentStore {
    /// How long a checkpoint waits for readers, in milliseconds: it can be done again at the next
    /// chance.
    private static let checkpointPatience = 100
    /// How long folding a journal waits for others, in milliseconds.
    static let checkpointTimeout = 1_000

    /// Brings everything that is committed into the main file and empties the WAL.
    /// - Returns: false where somebody who reads the store kept it from that; what is committed is
    ///   safe all the same.
    package func checkpoint() throws -> Bool {
        try withSession { session in
            try session.checkWritable()
            try session.connection.execute("PRAGMA busy_timeout=\(Self.checkpointPatience)")
            defer { try? session.connection.execute("PRAGMA busy_timeout=\(session.description.busyTimeout)") }
            return try session.connection.checkpoint(.truncate).isComplete
        }
    }

    /// How many bytes of the WAL can count at most since this store's last commit, whatever the
    /// size of a page; nil before the first.
    package func largestWALSize() throws -> Int64? {
        try withSession { $0.connection.logFrames.map { WriteAheadLog.greatestSize(frames: $0) } }
    }

    /// Closes a store that nobody else has open, with all that is committed in its main file and no
    /// journal beside it.
    /// - Throws: `StorageError.busy` where that can't be had: the main file alone would not be the
    ///   store.
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
            // A WAL that SQLite has left is open elsewhere.
            guard try !Disk.exists(path + "-wal"), try Disk.status(of: path + "-journal")?.size ?? 0 == 0 else {
                throw StorageError(.busy, "The journal stays beside the store: another program has it open", path: path)
            }
            try Disk.removeFileIfPresent(path + "-journal")
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Closes a store whose WAL is empty, and lets SQLite take the WAL and its index away, which it
    /// does only where nobody else has the store open: whoever reads by an index that has lost its
    /// name would not be seen by those who come later, nor see them.
    package func closeRemovingWAL() throws {
        try withSession { session in
            try session.connection.setKeepsWAL(false)
            try session.connection.setCheckpointsOnClose(true)
        }
        try close()
    }

    /// Runs `body` while nobody else has the store open, for taking its WAL from it, and closes it.
    /// - Returns: false where somebody has: then `body` was not run, and the store is open still.
    package func closeExclusively(_ body: () throws -> Void) throws -> Bool {
        // What `body` throws comes out as it is.
        var failure: (any Error)?
        let isAlone = try withSession { session in
            try session.connection.withExclusiveAccess { do { try body() } catch { failure = error } }
        }
        if let failure { throw failure }
        if isAlone { try close() }
        return isAlone
    }

    /// Runs `body` with the store's files as they are on the disk, past SQLite, between two
    /// commits: for keeping versions. They are of no use afterwards. What `body` throws comes out
    /// as it is.
    package func withFiles<Result: Sendable>(_ body: (DatabaseFiles) throws -> Result) throws -> Result {
        try withSession { session in
            try session.connection.withFiles { files in Swift.Result { try body(files) } }
        }.get()
    }

    /// Copies the store as it is now, its WAL included, page by page into a new file. The copy is
    /// one durable file without a WAL.
    /// - Parameter uuid: The identity that the copy gets; nil for the same.
    /// - Throws: `StorageError.cannotCreate` where a file is there already; after any failure there
    ///   is none.
    package func copy(to path: String, uuid: String? = nil) throws {
        try withSession { session in
            try session.reading {
                // A repeated attempt finds what the one before has made.
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
            try Self.setUUID(uuid, ofStoreAt: path)
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { _ = try? Disk.removeFileIfPresent(path + suffix) }
            throw error
        }
    }

    /// Gives a store that nobody has open another identity; durable when it returns.
    package static func setUUID(_ uuid: String, ofStoreAt path: String) throws {
        try changing(path) { try $0.run("UPDATE Z_METADATA SET Z_UUID = ?", [.text(uuid.uppercased())]) }
    }

    /// Takes the persistent history out of a store that nobody has open, so that no old text is
    /// left in the file.
    ///
    /// Writes the whole file anew where there is any.
    package static func removeHistory(fromStoreAt path: String) throws {
        try changing(path) { connection in
            let catalog = try StoreCatalog.read(from: connection)
            let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].filter { catalog.table($0) != nil }
            guard !tables.isEmpty else { return }
            try connection.transaction(.immediate) {
                for table in tables { try connection.run("DELETE FROM \(SQLName.quoted(table))") }
            }
            connection.clearCache()
            try connection.execute("VACUUM")
        }
    }

    private static func changing(_ path: String, _ body: (Connection) throws -> Void) throws {
        do {
            let connection = try Connection(path, OpenOptions(.readWrite, defense: .foreign))
            try body(connection)
            try emptyWAL(of: connection)
            try connection.close()
            try Disk.synchronizeFile(path)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Brings what stands in the journals beside a store that nobody has open into its main file.
    /// - Throws: `StorageError.busy` where somebody has it open after all, and keeps the main file
    ///   from being the whole store.
    package static func checkpointWAL(at path: String) throws {
        do {
            var options = OpenOptions(.readWrite, defense: .foreign)
            options.busyTimeout = checkpointTimeout
            let connection = try Connection(path, options)
            // The first look at the content rolls an interrupted transaction back.
            _ = try connection.value("SELECT count(*) FROM sqlite_schema")
            try emptyWAL(of: connection)
            try connection.close()
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// What closing does about a WAL by itself fails in silence.
    private static func emptyWAL(of connection: Connection) throws {
        guard try connection.journalMode() == .wal else { return }
        guard try connection.checkpoint(.truncate).isComplete else {
            throw StorageError(.busy, "The journal can't be brought into the store", path: connection.path)
        }
    }

    /// What SQLite finds wrong with the store's pages; empty for a sound one. Reads the whole file.
    /// - Parameter isThorough: whether indexes are held against their tables too.
    package func integrityFindings(isThorough: Bool) throws -> [String] {
        try withSession { session in
            try session.reading {
                let rows = try session.connection.rows(
                    isThorough ? "PRAGMA integrity_check(100)" : "PRAGMA quick_check(100)")
                return rows.compactMap { $0.first?.text }.filter { $0 != "ok" }
                    + (isThorough ? try session.indexing.sideIndexFindings(on: session.connection) : [])
            }
        }
    }
}
