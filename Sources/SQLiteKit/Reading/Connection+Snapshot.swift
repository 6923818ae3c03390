internal import CSQLite
internal import SQLiteFile

extension Connection {
    /// The greatest number of WAL frames to examine. With more frames a SQLite statement is faster.
    private static let mostFrames = 1 << 16

    /// The database as a read transaction of this connection sees it, for reading without SQLite's
    /// page cache while the transaction is open. `begin` starts the transaction with its first read
    /// of the file. Nil if the pages can't be determined reliably.
    ///
    /// The transaction's locks protect everything that is read here: the pages of the main file
    /// that are not in the snapshot's part of the WAL, and those WAL frames; without a WAL, the
    /// whole main file. All reads use SQLite's own open files: a separate descriptor would drop the
    /// locks of the process when it is closed.
    func snapshot(begin: () throws -> Void) throws -> DatabaseState? {
        guard let main = try rawFile(SQLITE_FCNTL_FILE_POINTER), !main.isArchived else { return nil }
        var index: SharedIndex?
        if reading != .immutable, try journalMode() == .wal {
            guard reading == nil, let shared = try SharedIndex(self) else { return nil }
            index = shared
        }
        let before = index?.header
        try begin()
        // Read the number of copied frames before validating the header. A writer that restarts the
        // WAL writes the header first, then sets the number to 0; so if the header is unchanged,
        // the number belongs to this run of the WAL. If the number is less than all frames, it was
        // so when the transaction began: the transaction then has a read mark in the WAL, which
        // protects its frames. If it is all frames, the main file has them, and no checkpoint can
        // go further during the transaction.
        let copied = index?.copiedFrames ?? 0
        // If there was no commit meanwhile, the header describes the snapshot.
        if let index, before == nil || index.header != before { return nil }
        guard let pageSize = try value("PRAGMA page_size")?.integer.map({ Int($0) }),
            let count = try value("PRAGMA page_count")?.integer
        else { return nil }
        let size = count * Int64(pageSize)
        // If all frames are in the main file, SQLite reads only the main file, and only excludes
        // writers of the main file.
        guard let index, let before, before.frames > copied else {
            return DatabaseState(size: size, pageSize: pageSize, main: main)
        }
        // A damaged commit may specify more pages than exist. Do not allocate memory for them.
        guard
            count <= DatabaseState.mostPages(mainSize: try main.size(), pageSize: pageSize, frames: before.frames),
            before.frames <= Self.mostFrames, before.pageSize == pageSize,
            let log = try rawFile(SQLITE_FCNTL_JOURNAL_POINTER),
            let frames = index.index.frameMap(upTo: before.frames, pageCount: Int(count))
        else { return nil }
        return DatabaseState(size: size, pageSize: pageSize, main: main, log: log, frames: frames)
    }
}

/// The wal-index of a connection in WAL mode, in memory that SQLite shares between processes.
private struct SharedIndex {
    let index: WALIndex
    private let main: RawFile

    /// Nil if the index is in SQLite's private memory.
    init?(_ connection: Connection) throws {
        guard try connection.value("PRAGMA locking_mode")?.text == "normal" else { return nil }
        // The first read of the file opens the WAL and its index.
        _ = try connection.value("PRAGMA schema_version")
        guard let main = try connection.rawFile(SQLITE_FCNTL_FILE_POINTER), let index = main.sharedIndex else {
            return nil
        }
        self.index = index
        self.main = main
    }

    /// Nil while another connection is writing the header, or if it was not initialized yet.
    var header: WALIndex.Header? {
        main.waitForSharedIndex()
        return index.header
    }

    /// The number of frames that have been copied into the main file.
    var copiedFrames: Int {
        main.waitForSharedIndex()
        return index.copiedFrames
    }
}
