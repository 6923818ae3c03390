internal import CSQLite
internal import SQLiteFile

extension Connection {
    package enum JournalMode: String, Sendable, Hashable {
        case delete, truncate, persist, memory, wal, off
    }

    /// How hard a commit makes sure that it is on the disk.
    package enum Synchronous: Int64, Sendable, Hashable {
        case off, normal, full, extra
    }

    /// How far a checkpoint goes.
    package enum CheckpointMode: Sendable, Hashable {
        /// As far as readers allow, without waiting.
        case passive
        /// Waits for readers, then copies everything.
        case full
        /// As full, and the next writer starts the WAL over.
        case restart
        /// As restart, and the WAL is cut to nothing.
        case truncate
    }

    package struct Checkpoint: Sendable, Hashable {
        /// Whether another connection kept it from coming to its end; no failure, but to be done
        /// again.
        package let isBusy: Bool
        /// Frames in the WAL; −1 where there is none.
        package let frames: Int
        /// Frames that are in the main file.
        package let copied: Int

        /// Whether the main file has everything.
        package var isComplete: Bool { !isBusy && frames == copied }
    }

    package func journalMode() throws -> JournalMode? {
        try value("PRAGMA journal_mode")?.text.flatMap(JournalMode.init(rawValue:))
    }

    /// Changes the journal mode; throws where SQLite keeps another one.
    package func setJournalMode(_ mode: JournalMode) throws {
        let answer = try value("PRAGMA journal_mode=\(mode.rawValue)")?.text
        guard answer == mode.rawValue else {
            throw SQLiteError(
                .locked, message: "the journal mode stays \(answer ?? "unknown"), not \(mode.rawValue)", path: path)
        }
        // The WAL is opened by the first read only: whatever is wrong with it shows here.
        try touch()
    }

    package func setSynchronous(_ level: Synchronous) throws {
        try execute("PRAGMA synchronous=\(level.rawValue)")
    }

    /// Checkpoints by itself after so many pages; 0 never does.
    package func setAutomaticCheckpoint(pages: Int) { sqlite3_wal_autocheckpoint(handle, Int32(clamping: pages)) }

    /// Whether the last connection checkpoints when it closes (SQLite's own habit) or leaves the
    /// WAL as it is.
    package func setCheckpointsOnClose(_ value: Bool) throws { try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !value) }

    /// Whether the `-wal` file stays when the last connection closes.
    package func setKeepsWAL(_ value: Bool) throws {
        var flag: Int32 = value ? 1 : 0
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag))
    }

    /// Sets a document's editing connection up: WAL, full synchronization, and nothing reaches the
    /// main file unless `checkpoint` is called.
    package func prepareForEditing() throws {
        if !isWrittenByLog { try setJournalMode(.wal) }
        try setSynchronous(.full)
        setAutomaticCheckpoint(pages: 0)
        try setCheckpointsOnClose(false)
        try setKeepsWAL(true)
        // Last: automatic checkpoints would take its hook.
        logLength.watch(handle)
    }

    /// How many frames of the WAL count since this connection's last commit, where it was set up by
    /// `prepareForEditing`; nil before its first.
    package var logFrames: Int? { logLength.frames }

    /// Whether the header of the file says that it is written by way of a WAL. The connection has
    /// read from it, so that the WAL, if there is one, was opened.
    private var isWrittenByLog: Bool {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let read = file?.pointee.pMethods?.pointee.xRead
        else { return false }
        var versions: (UInt8, UInt8) = (0, 0)
        let offset = Int64(DatabaseHeader.versionsOffset), wal = DatabaseHeader.walVersion
        return withUnsafeMutableBytes(of: &versions) { read(file, $0.baseAddress, 2, offset) } == SQLITE_OK
            && versions == (wal, wal)
    }

    /// Copies the WAL into the main file. Busy readers are reported, not thrown; within a
    /// transaction it throws `.locked`.
    package func checkpoint(_ mode: CheckpointMode) throws -> Checkpoint {
        let number =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        // A connection that has not read yet knows of no WAL and would report that there was
        // nothing to do.
        if !isInTransaction { try touch() }
        var frames: Int32 = -1
        var copied: Int32 = -1
        let result = sqlite3_wal_checkpoint_v2(handle, "main", number, &frames, &copied)
        if result & 0xFF != SQLITE_BUSY { try check(result) }
        return Checkpoint(isBusy: result & 0xFF == SQLITE_BUSY, frames: Int(frames), copied: Int(copied))
    }

    /// Makes SQLite look at the file.
    private func touch() throws { _ = try value("PRAGMA schema_version") }
}
