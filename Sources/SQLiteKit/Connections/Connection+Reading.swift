internal import CSQLite
internal import FileSystem
internal import SQLiteFile

/// The way of reading a database that must not be modified.
package enum Reading: Sendable, Hashable {
    /// With SQLite's own locks, and with the WAL if there is one: writers are detected and waited
    /// for.
    case locked
    /// Only the main file, without locks. No other connection has it open for writing; if one opens
    /// it later, `checkUnchanged` detects that.
    case immutable
}

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
        var left = attempts
        while true {
            left -= 1
            let location: String
            do { location = try Disk.resolve(path) } catch { throw cannotOpen(path, error) }
            guard try status(of: location, path)?.kind == .file else {
                throw SQLiteError(.cannotOpen, message: "not a plain file", path: path)
            }
            let before = try ReadState(location)
            do {
                return try openForReading(
                    location, path, before, defense: defense, busyTimeout: busyTimeout, ignoresWAL: ignoresWAL)
            } catch let error as SQLiteError where before.explains(error) {
                if left == 0 { throw before.changed(path) }
            }
        }
    }

    private static func openForReading(
        _ location: String, _ path: String, _ before: ReadState, defense: Defense, busyTimeout: Int, ignoresWAL: Bool
    ) throws -> Connection {
        var options = OpenOptions(.readOnly, defense: defense)
        options.busyTimeout = busyTimeout
        if ignoresWAL { return try open(location, path, "immutable=1", .immutable, before, options) }
        // With its index in memory, SQLite would retry indefinitely to read a WAL with an invalid
        // header, or with nothing but a header. Neither has committed data: a writer treats such a
        // WAL as empty.
        if let wal = before.wal, wal.size > 0,
            try wal.size == WALHeader.size
                || !lookingAtWAL(of: location, { try WriteAheadLog.hasHeader(ofStoreAt: $0) })
        {
            return try open(location, path, "immutable=1", .immutable, before, options)
        }
        do {
            return try open(location, path, "readonly_shm=1", .locked, before, options)
        } catch let error as SQLiteError where error.code == .cannotOpen && before.wal == nil {
            // In WAL mode without a WAL, SQLite would create one.
            return try open(location, path, "immutable=1", .immutable, before, options)
        } catch let error as SQLiteError where error.code == .other && before.wal != nil && !before.hasSharedMemory {
            // SQLite's recovery ignores a WAL whose beginning is damaged. When reading without a
            // `-shm`, it retries indefinitely instead.
            guard try lookingAtWAL(of: location, { try WriteAheadLog.committedFrames(ofStoreAt: $0) }) == 0 else {
                throw error
            }
            return try open(location, path, "immutable=1", .immutable, before, options)
        }
    }

    private static func lookingAtWAL<Result>(of location: String, _ body: (String) throws -> Result) throws -> Result {
        do {
            return try body(location)
        } catch let error as FileSystemError {
            throw SQLiteError(
                error.code == .inputOutput ? .inputOutput : .cannotOpen, message: error.message,
                path: location + "-wal", systemError: error.errno)
        }
    }

    private static func open(
        _ location: String, _ path: String, _ parameter: String, _ reading: Reading, _ state: ReadState,
        _ options: OpenOptions
    ) throws -> Connection {
        let connection = try Connection(
            path: path, name: uri(location) + "?" + parameter, vfs: .reading, extraFlags: SQLITE_OPEN_URI, options)
        connection.reading = reading
        connection.stateBefore = state
        // The first statement opens the WAL. Nothing has been read before.
        _ = try connection.value("PRAGMA schema_version")
        _ = try connection.value("SELECT count(*) FROM sqlite_schema")
        return connection
    }

    /// Throws `.changed` if the files differ from those that `openForReading` opened; the data that
    /// was read may then be inconsistent. Does nothing for other connections.
    package func checkUnchanged() throws {
        guard let before = stateBefore else { return }
        // A writer that uses a `-shm` is excluded by locks, and every writer is excluded during a
        // transaction.
        if before.hasSharedMemory || isInTransaction, keepsWritersOff { return }
        let after: ReadState
        do { after = try ReadState(before.location) } catch { throw Self.cannotOpen(path, error) }
        // Writes to a WAL do not matter if only the main file is read.
        if holdsMainFile, after.main == before.main { return }
        if after != before { throw before.changed(path) }
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
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            file?.pointee.pMethods != nil
        else { return false }
        return !GuardFile.of(file).pointee.hasPrivateIndex
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
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard stateBefore != nil, sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let lock = file.pointee.pMethods?.pointee.xLock
        else { return }
        for _ in 0..<Self.lockAttempts {
            let result = lock(file, SQLITE_LOCK_SHARED)
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
                if left == 0 {
                    throw SQLiteError(.changed, message: "changed by another program while it was read", path: path)
                }
            }
        }
    }

    /// The path as the `file:` URI that SQLite reads.
    static func uri(_ path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        var text = path.hasPrefix("/") ? "file://" : "file:"
        for byte in path.utf8 {
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    private static func status(of location: String, _ path: String) throws -> FileStatus? {
        do { return try Disk.status(of: location) } catch { throw cannotOpen(path, error) }
    }

    private static func cannotOpen(_ path: String, _ error: any Error) -> SQLiteError {
        let system = error as? FileSystemError
        return SQLiteError(
            .cannotOpen, message: system?.message ?? "\(error)", path: path, systemError: system?.errno ?? 0)
    }
}

/// The identities of a database's files at one moment, determined without opening them.
struct ReadState: Equatable {
    let location: String
    let main: FileIdentity?
    let wal: FileIdentity?
    let journal: FileIdentity?
    let hasSharedMemory: Bool

    init(_ location: String) throws {
        self.location = location
        main = try Disk.identity(of: location)
        wal = try Disk.identity(of: location + "-wal")
        journal = try Disk.identity(of: location + "-journal")
        hasSharedMemory = try Disk.exists(location + "-shm")
    }

    /// Whether an error of reading was probably caused by changes of the files: a writer may open,
    /// close or checkpoint its WAL between two reads of SQLite.
    func explains(_ error: SQLiteError) -> Bool {
        // A reader gets this error only if a live writer has not yet initialized the shared index,
        // which may be removed by now.
        if error.code == .readOnly { return true }
        return [.cannotOpen, .corrupt, .notADatabase, .inputOutput].contains(error.code)
            && (try? ReadState(location)) != self
    }

    func changed(_ path: String) -> SQLiteError {
        SQLiteError(.changed, message: "changed by another program while it was read", path: path)
    }
}
