internal import CSQLite
internal import FileSystem
package import SQLiteFile

/// The files of an open database, read through SQLite's own handles. No other code may open them:
/// closing another descriptor drops SQLite's locks.
package struct DatabaseFiles {
    package let pageSize: Int
    /// The size of the main file.
    package let mainSize: Int64
    /// The committed content that may not be in the main file yet; nil if there is none.
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

    /// The database at a mark of its WAL. For nil, or a mark of a WAL that no longer exists, only
    /// the main file is used.
    package func state(at mark: WriteAheadLog.Mark?) -> DatabaseState { state(frames: log?.frames(at: mark) ?? 0) }

    /// The database with all committed content.
    package var current: DatabaseState { state(frames: log?.pages.count ?? 0) }

    /// The database with a WAL that was put aside and that belongs to this main file; nil if that
    /// has no commit.
    package func state(withLog log: some RandomAccessFile) throws -> DatabaseState? {
        guard let content = try WriteAheadLog(log) else { return nil }
        let most = DatabaseState.mostPages(
            mainSize: mainSize, pageSize: content.pageSize, frames: content.pages.count)
        guard content.commitSizes.allSatisfy({ Int64($0) <= most }) else { return nil }
        return content.state(after: content.pages.count, main: main, log: log)
    }

    /// Calls `body` for each row of a table in a state that has the table where this one has it.
    /// - Throws: `UnsuitedForScan` if the rows can't be read by their pages.
    package func forEachRow(
        of table: String, _ columns: [PageReader.Column], in state: DatabaseState, _ body: (RecordCells) -> Void
    ) throws {
        guard let root = try connection.pages.root(of: table)?.page,
            let scan = try connection.pages.scan(of: table, columns, state, TableLeaves(state, root: root))
        else { return }
        try scan.forEachRow(body)
    }

    private func state(frames: Int) -> DatabaseState {
        guard let log, let logFile, frames > 0 else {
            return DatabaseState(size: mainSize, pageSize: pageSize, main: main)
        }
        return log.state(after: frames, main: main, log: logFile)
    }

    /// The pages written since a mark, counted from 0, in ascending order.
    package func pagesWritten(since mark: WriteAheadLog.Mark?) -> [Int] {
        guard let log else { return [] }
        return Set(log.pages[log.frames(at: mark)...]).sorted().map { Int($0) - 1 }
    }

    /// Whether the main file has all content of the WAL, as after a checkpoint whose last step, the
    /// truncation of the WAL, was not done. Reads the WAL's pages in both files.
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

    /// Clones the main file to a new path, sharing its blocks. Returns false, without creating a
    /// file, if the file system does not support it. The clone is not durable.
    ///
    /// Uses a separate descriptor on the file, which stays open until the process closes its last
    /// connection to the file: closing it earlier would drop SQLite's locks.
    package func cloneMain(to target: String) throws -> Bool {
        guard let name = sqlite3_db_filename(connection.handle, "main") else { return false }
        let location = String(cString: name)
        do {
            return try MainFiles.withDescriptor(of: location) { try Disk.cloneFile($0, to: target) } ?? false
        } catch let error as FileSystemError {
            throw SQLiteError(
                error.code == .noSpace ? .full : .inputOutput, message: error.message, path: location,
                systemError: error.errno)
        }
    }
}

extension Connection {
    /// Runs `body` with direct access to the files. Meanwhile this connection does not commit or
    /// checkpoint, and a read transaction prevents other connections from restarting the WAL. The
    /// document's lock must prevent checkpoints by other connections. The files must not be used
    /// afterwards.
    package func withFiles<Result>(_ body: (DatabaseFiles) throws -> Result) throws -> Result {
        guard !isWriting else {
            throw SQLiteError(.misuse, message: "the files are looked at between transactions", path: path)
        }
        if isInTransaction { return try body(DatabaseFiles(self)) }
        return try transaction(.deferred) {
            // This opens the WAL and takes the read lock.
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
