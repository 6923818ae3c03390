internal import CSQLite
internal import SQLiteFile

extension Connection {
    package enum JournalMode: String, Sendable, Hashable {
        case delete, truncate, persist, memory, wal, off
    }

    /// The level of synchronization of a commit.
    package enum Synchronous: Int64, Sendable, Hashable {
        case off, normal, full, extra
    }

    /// The extent of a checkpoint.
    package enum CheckpointMode: Sendable, Hashable {
        /// As far as readers allow, without waiting.
        case passive
        /// Waits for readers, then copies everything.
        case full
        /// Like full, and the next writer restarts the WAL.
        case restart
        /// Like restart, and the WAL is truncated.
        case truncate
    }

    package struct Checkpoint: Sendable, Hashable {
        /// Whether another connection prevented its completion. This is not an error; the
        /// checkpoint can be repeated.
        package let isBusy: Bool
        /// Frames in the WAL; −1 if there is none.
        package let frames: Int
        /// Frames that have been copied into the main file.
        package let copied: Int

        /// Whether the main file has all content of the WAL.
        package var isComplete: Bool { !isBusy && frames == copied }
    }

    package func journalMode() throws -> JournalMode? {
        try value("PRAGMA journal_mode")?.text.flatMap(JournalMode.init(rawValue:))
    }

    /// Changes the journal mode; throws if SQLite keeps another one.
    package func setJournalMode(_ mode: JournalMode) throws {
        let answer = try value("PRAGMA journal_mode=\(mode.rawValue)")?.text
        guard answer == mode.rawValue else {
            throw SQLiteError(
                .locked, message: "the journal mode stays \(answer ?? "unknown"), not \(mode.rawValue)", path: path)
        }
        // SQLite opens the WAL at the first read, so errors in it are reported here.
        try touch()
    }

    package func setSynchronous(_ level: Synchronous) throws {
        try execute("PRAGMA synchronous=\(level.rawValue)")
    }

    /// Checkpoints automatically after this number of pages; 0 disables it.
    package func setAutomaticCheckpoint(pages: Int) { sqlite3_wal_autocheckpoint(handle, Int32(clamping: pages)) }

    /// Whether the last connection checkpoints when it closes (SQLite's default) or leaves the WAL
    /// unchanged.
    package func setCheckpointsOnClose(_ value: Bool) throws { try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !value) }

    /// Whether the `-wal` file is kept when the last connection closes.
    package func setKeepsWAL(_ value: Bool) throws {
        var flag: Int32 = value ? 1 : 0
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag))
    }

    /// Configures the connection with which a document is edited: WAL, full synchronization, and no
    /// writes to the main file unless `checkpoint` is called.
    package func prepareForEditing() throws {
        if !isWrittenByLog { try setJournalMode(.wal) }
        try setSynchronous(.full)
        setAutomaticCheckpoint(pages: 0)
        try setCheckpointsOnClose(false)
        try setKeepsWAL(true)
        // Last, because automatic checkpoints use the same hook.
        logLength.watch(handle)
    }

    /// The number of valid frames in the WAL since this connection's last commit, if it was
    /// configured by `prepareForEditing`; nil before its first commit.
    package var logFrames: Int? { logLength.frames }

    /// Whether the header of the file specifies WAL mode. The connection has read from it, so an
    /// existing WAL has been opened.
    private var isWrittenByLog: Bool {
        guard let main = try? rawFile(SQLITE_FCNTL_FILE_POINTER) else { return false }
        var versions: (UInt8, UInt8) = (0, 0)
        let offset = Int64(DatabaseHeader.versionsOffset), wal = DatabaseHeader.walVersion
        do { try withUnsafeMutableBytes(of: &versions) { try main.read(into: $0, at: offset) } } catch { return false }
        return versions == (wal, wal)
    }

    /// Copies the WAL into the main file. Busy readers are reported in the result; within a
    /// transaction it throws `.locked`.
    package func checkpoint(_ mode: CheckpointMode) throws -> Checkpoint {
        let number =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        // A connection that has not read yet has no WAL open and would report that there was
        // nothing to do.
        if !isInTransaction { try touch() }
        var frames: Int32 = -1
        var copied: Int32 = -1
        let result = sqlite3_wal_checkpoint_v2(handle, "main", number, &frames, &copied)
        if result & 0xFF != SQLITE_BUSY { try check(result) }
        return Checkpoint(isBusy: result & 0xFF == SQLITE_BUSY, frames: Int(frames), copied: Int(copied))
    }

    /// Makes SQLite read the file.
    private func touch() throws { _ = try value("PRAGMA schema_version") }
}
