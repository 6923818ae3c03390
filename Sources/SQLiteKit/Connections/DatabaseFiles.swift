internal import CSQLite
package import SQLiteFile

/// The files of an open database as they are on the disk, read through SQLite's own handles:
/// nothing else may open them (closing any other descriptor drops SQLite's locks).
package struct DatabaseFiles {
    package let pageSize: Int
    /// The size of the main file.
    package let mainSize: Int64
    /// What is committed and perhaps not in the main file yet; nil where nothing is.
    package let log: WriteAheadLog?
    private let main: RawFile
    private let logFile: RawFile?
    private let connection: Connection

    init(_ connection: Connection) throws {
        self.connection = connection
        guard let main = try connection.rawFile(SQLITE_FCNTL_FILE_POINTER) else {
            throw SQLiteError(.misuse, message: "a database in memory has no file", path: connection.path)
        }
        self.main = main
        mainSize = try main.size()
        logFile = try connection.rawFile(SQLITE_FCNTL_JOURNAL_POINTER)
        log = try logFile.flatMap { try WriteAheadLog($0) }
        if let log {
            pageSize = log.pageSize
            let most = DatabaseState.mostPages(mainSize: mainSize, pageSize: log.pageSize, frames: log.pages.count)
            guard log.commitSizes.allSatisfy({ Int64($0) <= most }) else {
                throw SQLiteError(
                    .corrupt, message: "its WAL speaks of more pages than there are", path: connection.path)
            }
        } else {
            pageSize = max(DatabaseHeader.pageSizes.lowerBound, try DatabaseHeader(of: main).pageSize)
        }
    }

    /// The database at a mark of its WAL; at nil, or a mark of a WAL that is gone, the main file
    /// alone.
    package func state(at mark: WriteAheadLog.Mark?) -> DatabaseState { state(frames: log?.frames(at: mark) ?? 0) }

    /// The database with everything that is committed.
    package var current: DatabaseState { state(frames: log?.pages.count ?? 0) }

    private func state(frames: Int) -> DatabaseState {
        guard let log, let logFile, frames > 0 else {
            return DatabaseState(size: mainSize, pageSize: pageSize, main: main)
        }
        return log.state(after: frames, main: main, log: logFile)
    }

    /// The pages that were written since a mark, counted from 0, ascending.
    package func pagesWritten(since mark: WriteAheadLog.Mark?) -> [Int] {
        guard let log else { return [] }
        return Set(log.pages[log.frames(at: mark)...]).sorted().map { Int($0) - 1 }
    }

    /// Whether the main file has everything that is in the WAL, as a checkpoint leaves it whose
    /// last step, the emptying of the WAL, is missing. Reads the pages of the WAL in both.
    package func isCheckpointed() throws -> Bool {
        let main = state(at: nil), whole = current
        guard main.size == whole.size else { return false }
        let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * pageSize, alignment: 8)
        defer { pages.deallocate() }
        let first = UnsafeMutableRawBufferPointer(rebasing: pages[..<pageSize]),
            second = UnsafeMutableRawBufferPointer(rebasing: pages[pageSize...])
        for page in pagesWritten(since: nil)
        where try main.read(page: page, into: first) != whole.read(page: page, into: second)
            || !first.elementsEqual(second)
        { return false }
        return true
    }

    /// Clones the main file to a path where nothing is, sharing its blocks; false where the file
    /// system can't.
    package func cloneMain(to path: String) throws -> Bool { try connection.cloneMain(to: path) }
}

extension Connection {
    /// Looks at the files past SQLite. Nothing is committed or checkpointed by this connection
    /// meanwhile, and a read transaction keeps others from starting the WAL over; whoever
    /// checkpoints elsewhere must be kept away by the document's lock. What `body` is given is of
    /// no use afterwards.
    package func withFiles<Result>(_ body: (DatabaseFiles) throws -> Result) throws -> Result {
        guard !isWriting else {
            throw SQLiteError(.misuse, message: "the files are looked at between transactions", path: path)
        }
        if isInTransaction { return try body(DatabaseFiles(self)) }
        return try transaction(.deferred) {
            // Opens the WAL and takes the read lock.
            _ = try value("SELECT count(*) FROM sqlite_schema")
            return try body(DatabaseFiles(self))
        }
    }

    func rawFile(_ operation: Int32) throws -> RawFile? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try check(sqlite3_file_control(handle, "main", operation, &file))
        return RawFile(file, errors: errors)
    }
}
