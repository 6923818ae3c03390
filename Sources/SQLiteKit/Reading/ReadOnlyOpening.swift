internal import CSQLite
internal import FileSystem
internal import SQLiteFile

/// Opens a database file without modifying anything: selects what SQLite reads, by the files that
/// exist, and tries again if another program changes them meanwhile.
struct ReadOnlyOpening {
    /// The path as given by the caller.
    let path: String
    let defense: Defense
    let busyTimeout: Int
    let ignoresWAL: Bool

    /// What SQLite reads of the files.
    private enum Source: String {
        /// The main file alone, without locks.
        case mainFile = "immutable=1"
        /// The main file and the WAL, with SQLite's own locks and the `-shm`, if there is one.
        case withWAL = "readonly_shm=1"

        var reading: Reading { self == .mainFile ? .immutable : .locked }
    }

    /// The open connection, whose schema has been read. See `Connection.openForReading`.
    func connection(attempts: Int) throws -> Connection {
        var left = attempts
        while true {
            left -= 1
            let before = try state()
            do {
                return try connection(before)
            } catch let error as SQLiteError where before.explains(error) {
                if left == 0 { throw SQLiteError(changedWhileRead: path) }
            }
        }
    }

    /// The files as they are now.
    private func state() throws -> ReadState {
        let location: String
        let status: FileStatus?
        do {
            location = try Disk.resolve(path)
            status = try Disk.status(of: location)
        } catch {
            throw SQLiteError(cannotOpen: path, error)
        }
        guard status?.kind == .file else { throw SQLiteError(.cannotOpen, message: "not a plain file", path: path) }
        return try ReadState(location)
    }

    private func connection(_ before: ReadState) throws -> Connection {
        if try ignoresWAL || hasInvalidWAL(before) { return try open(.mainFile, before) }
        do {
            return try open(.withWAL, before)
        } catch let error as SQLiteError where error.code == .cannotOpen && before.wal == nil {
            // In WAL mode without a WAL, SQLite would create one.
            return try open(.mainFile, before)
        } catch let error as SQLiteError where error.code == .other && before.wal != nil && !before.hasSharedMemory {
            // SQLite's recovery ignores a WAL whose beginning is damaged. When reading without a
            // `-shm`, it retries indefinitely instead.
            let frames = try lookingAtWAL(of: before) { try WriteAheadLog.committedFrames(ofStoreAt: $0) }
            guard frames == 0 else { throw error }
            return try open(.mainFile, before)
        }
    }

    /// Whether there is a WAL with an invalid header, or with nothing but a header. With its index
    /// in memory, SQLite would retry indefinitely to read it. Neither has committed data: a writer
    /// treats such a WAL as empty.
    private func hasInvalidWAL(_ state: ReadState) throws -> Bool {
        guard let wal = state.wal, wal.size > 0 else { return false }
        return try wal.size == WALHeader.size
            || !lookingAtWAL(of: state) { try WriteAheadLog.hasHeader(ofStoreAt: $0) }
    }

    private func lookingAtWAL<Result>(of state: ReadState, _ body: (String) throws -> Result) throws -> Result {
        do {
            return try body(state.location)
        } catch let error as FileSystemError {
            throw SQLiteError(
                error.code == .inputOutput ? .inputOutput : .cannotOpen, message: error.message,
                path: state.location + "-wal", systemError: error.errno)
        }
    }

    private func open(_ source: Source, _ state: ReadState) throws -> Connection {
        var options = OpenOptions(.readOnly, defense: defense)
        options.busyTimeout = busyTimeout
        let connection = try Connection(
            path: path, name: DatabaseURI.text(of: state.location, [source.rawValue]), vfs: .reading,
            extraFlags: SQLITE_OPEN_URI, options)
        connection.reading = source.reading
        connection.stateBefore = state
        // The first statement opens the WAL. Nothing has been read before.
        _ = try connection.value("PRAGMA schema_version")
        _ = try connection.value("SELECT count(*) FROM sqlite_schema")
        return connection
    }
}
