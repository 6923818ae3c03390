internal import CSQLite
internal import FileSystem
internal import SQLiteFile

/// How a database is read that must not be touched.
package enum Reading: Sendable, Hashable {
    /// With SQLite's own locks, the WAL included where there is one: others that write are seen and
    /// waited for.
    case locked
    /// The main file alone, as it stands, without locks: nobody can have it open for writing, or
    /// they come later and are noticed by `checkUnchanged`.
    case immutable
}

extension Connection {
    /// Opens a database so that nothing near it is written, made or removed, whatever the folder
    /// allows, and reads the schema.
    ///
    /// A WAL is read with the `-shm` beside it (a live writer's locks hold), or with an index in
    /// memory where there is none. A database in WAL mode without a WAL is read as it stands; then,
    /// and with an index in memory, `checkUnchanged` tells afterwards whether others have written
    /// meanwhile. Throws `.changed` where others wrote while it was opened, so that it could not
    /// be, as often as that was tried; `.needsRecovery` where a crashed program left a rollback
    /// journal: only a writer may roll it back, so read a copy.
    /// - Parameter ignoresWAL: Whether the main file is read alone, whatever lies beside it: for a
    ///   WAL that is not its own.
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
        // With its index in memory, SQLite would try again and again to make sense of a WAL whose
        // header says nothing, or that is a header alone. Nothing is committed in either: a writer
        // takes such a WAL for empty.
        if let wal = before.wal, wal.size > 0,
            try wal.size == WALHeader.size
                || !lookingAtWAL(of: location, { try WriteAheadLog.hasHeader(ofStoreAt: $0) })
        {
            return try open(location, path, "immutable=1", .immutable, before, options)
        }
        do {
            return try open(location, path, "readonly_shm=1", .locked, before, options)
        } catch let error as SQLiteError where error.code == .cannotOpen && before.wal == nil {
            // In WAL mode, without a WAL: SQLite would make one.
            return try open(location, path, "immutable=1", .immutable, before, options)
        } catch let error as SQLiteError where error.code == .other && before.wal != nil && !before.hasSharedMemory {
            // Of a WAL whose beginning is damaged SQLite's recovery takes nothing; reading without
            // a `-shm`, it tries for ever instead.
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
        // The first statement opens the WAL; nothing has been looked at before it.
        _ = try connection.value("PRAGMA schema_version")
        _ = try connection.value("SELECT count(*) FROM sqlite_schema")
        return connection
    }

    /// Throws `.changed` where the files are no longer those that were opened by `openForReading`;
    /// what was read may then be a mixture. Does nothing for other connections.
    package func checkUnchanged() throws {
        guard let before = stateBefore else { return }
        // A writer with a `-shm` is kept off by locks, and so is every writer as long as a
        // transaction lasts.
        if before.hasSharedMemory || isInTransaction, keepsWritersOff { return }
        let after: ReadState
        do { after = try ReadState(before.location) } catch { throw Self.cannotOpen(path, error) }
        // What goes to a WAL meanwhile is not read.
        if holdsMainFile, after.main == before.main { return }
        if after != before { throw before.changed(path) }
    }

    /// Whether an error comes, or may come, from others that wrote while this connection, opened by
    /// `openForReading`, read without locks.
    package func isOfOthers(_ error: SQLiteError) -> Bool {
        error.code == .changed || stateBefore?.explains(error) == true
    }

    /// Whether a transaction of this connection, opened by `openForReading`, sees one state
    /// whatever others commit: by the locks of a shared `-shm`, or of a rollback journal.
    package var keepsWritersOff: Bool {
        guard reading == .locked, stateBefore != nil else { return false }
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            file?.pointee.pMethods != nil
        else { return false }
        return !GuardFile.of(file).pointee.hasPrivateIndex
    }

    /// Keeps what is read to one state until the connection is closed: by a transaction, or, where
    /// the main file is read alone, by a lock that keeps others from bringing their WAL into it
    /// when they close it. `checkUnchanged` tells where neither could hold them off.
    package func holdState() throws {
        if reading == .locked { try execute("BEGIN DEFERRED") } else { try lockMainFile() }
        // A transaction begins with what it reads first.
        _ = try value("SELECT count(*) FROM sqlite_schema")
    }

    /// How often, and how many milliseconds apart, the lock of a file is asked for that somebody
    /// else has just closed.
    private static let lockAttempts = 20, lockPause: Int32 = 5

    /// Takes SQLite's own shared lock of a main file that is read alone: whoever closes a WAL wants
    /// that file for itself before it copies the WAL and removes it.
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
            // A file system without locks is read without.
            holdsMainFile = result == SQLITE_OK
            return
        }
    }

    /// Opens for reading, runs `body`, checks that nothing changed meanwhile, and does it all again
    /// where something did.
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

/// The files of a database as they stood at one moment, looked at without opening them.
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

    /// Whether the files are no longer these, so that an error of reading them says nothing of what
    /// they are: a writer that begins, ends or copies its log is between two looks of SQLite's.
    func explains(_ error: SQLiteError) -> Bool {
        // Who writes nothing is refused for that only where a living writer has yet to set up the
        // shared index, which it may have removed by now.
        if error.code == .readOnly { return true }
        return [.cannotOpen, .corrupt, .notADatabase, .inputOutput].contains(error.code)
            && (try? ReadState(location)) != self
    }

    func changed(_ path: String) -> SQLiteError {
        SQLiteError(.changed, message: "changed by another program while it was read", path: path)
    }
}
