internal import CSQLite

extension Connection {
    /// Opens a database without writing, creating or removing any file, regardless of the folder's
    /// permissions, and reads the schema.
    ///
    /// A WAL is read with the existing `-shm` (a live writer's locks are respected), or with an
    /// index in memory if there is none. A database in WAL mode without a WAL is read from the main
    /// file. In this case, and with an index in memory, `checkUnchanged` tells afterwards whether
    /// another program has written meanwhile. Throws `.changed` if other programs wrote during
    /// every attempt to open it; `.needsRecovery` if a crashed program left a rollback journal:
    /// only a writer may roll it back, so read a copy.
    /// - Parameter ignoresWAL: Whether only the main file is read, even if there is a WAL: for a
    ///   WAL that does not belong to it.
    package static func openForReading(
        _ path: String, defense: Defense = .foreign, busyTimeout: Int = 5_000, ignoresWAL: Bool = false,
        attempts: Int = 5
    ) throws -> Connection {
        try ReadOnlyOpening(path: path, defense: defense, busyTimeout: busyTimeout, ignoresWAL: ignoresWAL)
            .connection(attempts: attempts)
    }

    /// Throws `.changed` if the files differ from those that `openForReading` opened; the data that
    /// was read may then be inconsistent. Does nothing for other connections.
    package func checkUnchanged() throws {
        guard let before = stateBefore else { return }
        // A writer that uses a `-shm` is excluded by locks, and every writer is excluded during a
        // transaction.
        if before.hasSharedMemory || isInTransaction, keepsWritersOff { return }
        let after: ReadState
        do { after = try ReadState(before.location) } catch { throw SQLiteError(cannotOpen: path, error) }
        // Writes to a WAL do not matter if only the main file is read.
        if holdsMainFile, after.main == before.main { return }
        if after != before { throw SQLiteError(changedWhileRead: path) }
    }

    /// Whether an error was, or may have been, caused by another program that wrote while this
    /// connection, opened by `openForReading`, read without locks.
    package func isOfOthers(_ error: SQLiteError) -> Bool {
        error.code == .changed || stateBefore?.explains(error) == true
    }

    /// Whether a transaction of this connection, opened by `openForReading`, sees one consistent
    /// state while others commit: by the locks of a shared `-shm`, or of a rollback journal.
    package var keepsWritersOff: Bool {
        guard reading == .locked, stateBefore != nil else { return false }
        return (try? rawFile(SQLITE_FCNTL_FILE_POINTER)).map { !$0.hasPrivateIndex } ?? false
    }

    /// Pins reads to one state until the connection is closed: by a transaction or, if only the
    /// main file is read, by a lock that prevents other connections from checkpointing their WAL on
    /// close. If neither could exclude writers, `checkUnchanged` detects changes.
    package func holdState() throws {
        if reading == .locked { try execute("BEGIN DEFERRED") } else { try lockMainFile() }
        // A deferred transaction begins with its first read.
        _ = try value("SELECT count(*) FROM sqlite_schema")
    }

    /// The number of attempts, and the milliseconds between them, to lock a file that another
    /// connection has just closed.
    private static let lockAttempts = 20, lockPause: Int32 = 5

    /// Takes SQLite's shared lock on a main file that is read alone. A connection that closes a WAL
    /// needs the exclusive lock before it checkpoints the WAL and removes it.
    private func lockMainFile() throws {
        guard stateBefore != nil, let main = try? rawFile(SQLITE_FCNTL_FILE_POINTER) else { return }
        for _ in 0..<Self.lockAttempts {
            let result = main.lock(SQLITE_LOCK_SHARED)
            if result == SQLITE_BUSY {
                sqlite3_sleep(Self.lockPause)
                continue
            }
            // On a file system without locks, the file is read without a lock.
            holdsMainFile = result == SQLITE_OK
            return
        }
    }

    /// Opens for reading, runs `body`, checks that nothing changed meanwhile, and repeats
    /// everything if something did.
    package static func reading<Result>(
        _ path: String, defense: Defense = .foreign, attempts: Int = 5, ignoresWAL: Bool = false,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        var left = attempts
        while true {
            left -= 1
            let connection = try openForReading(path, defense: defense, ignoresWAL: ignoresWAL)
            do {
                let result = try body(connection)
                try connection.checkUnchanged()
                return result
            } catch let error as SQLiteError where connection.isOfOthers(error) {
                if left == 0 { throw SQLiteError(changedWhileRead: path) }
            }
        }
    }
}
