internal import CSQLite

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
            let most = Self.mostPages(mainSize: mainSize, pageSize: log.pageSize, frames: log.pages.count)
            guard log.commitSizes.allSatisfy({ Int64($0) <= most }) else {
                throw SQLiteError(
                    .corrupt, message: "its WAL speaks of more pages than there are", path: connection.path)
            }
        } else {
            var header = [UInt8](repeating: 0, count: 18)
            try header.withUnsafeMutableBytes { try main.read(into: $0, at: 0) }
            let size = Int(header[16]) << 8 | Int(header[17])
            pageSize = size == 1 ? 65_536 : max(512, size)
        }
    }

    /// How many pages a database can have at most: each is in the main file or in a frame, but for
    /// the one that holds SQLite's locks.
    static func mostPages(mainSize: Int64, pageSize: Int, frames: Int) -> Int64 {
        (mainSize + Int64(pageSize) - 1) / Int64(pageSize) + Int64(frames) + 1
    }

    /// The database at a mark of its WAL; at nil, or a mark of a WAL that is gone, the main file
    /// alone.
    package func state(at mark: WriteAheadLog.Mark?) -> DatabaseState { state(frames: log?.frames(at: mark) ?? 0) }

    /// The database with everything that is committed.
    package var current: DatabaseState { state(frames: log?.pages.count ?? 0) }

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

    private func state(frames: Int) -> DatabaseState {
        guard let log, frames > 0 else {
            return DatabaseState(size: mainSize, pageSize: pageSize, main: main, log: nil, frames: [:])
        }
        var places: [UInt32: Int] = [:]
        for frame in 0..<frames { places[log.pages[frame]] = frame }
        let size = Int64(log.commitSizes[frames - 1]) * Int64(pageSize)
        return DatabaseState(size: size, pageSize: pageSize, main: main, log: logFile, frames: places)
    }
}

/// A database as it was at one moment, page by page.
package struct DatabaseState {
    /// In bytes.
    package let size: Int64
    package let pageSize: Int
    fileprivate let main: RawFile
    fileprivate let log: RawFile?
    /// The frame that holds a page, by the page number from 1, where the main file does not have
    /// it.
    fileprivate let frames: [UInt32: Int]

    fileprivate init(size: Int64, pageSize: Int, main: RawFile, log: RawFile?, frames: [UInt32: Int]) {
        self.size = size
        self.pageSize = pageSize
        self.main = main
        self.log = log
        self.frames = frames
    }

    package var pageCount: Int { Int((size + Int64(pageSize) - 1) / Int64(pageSize)) }

    /// Whether this is the main file as it stands.
    package var isMainFile: Bool { frames.isEmpty }

    /// Reads a page, counted from 0, into a buffer as long as a page; answers how many of its bytes
    /// belong to the database.
    package func read(page: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let offset = Int64(page) * Int64(pageSize)
        guard offset < size else { return 0 }
        if let log, let frame = frames[UInt32(page + 1)] {
            let place = WriteAheadLog.offset(ofFrame: frame, pageSize: pageSize) + Int64(WriteAheadLog.frameHeaderSize)
            try log.read(into: buffer, at: place)
        } else {
            // A page that nobody has written yet is zero.
            try main.read(into: buffer, at: offset)
        }
        return Int(min(Int64(pageSize), size - offset))
    }

    /// How many bytes of a page, counted from 0, belong to the database.
    package func byteCount(ofPage page: Int) -> Int {
        Int(max(0, min(Int64(pageSize), size - Int64(page) * Int64(pageSize))))
    }

    /// Reads pages that follow one another into a buffer with room for each; those that stand side
    /// by side in a file with one call. What does not belong to the database is left as it was.
    package func read(pages: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) throws {
        var page = pages.lowerBound
        let end = min(pages.upperBound, pageCount)
        while page < end {
            let frame = frames[UInt32(page + 1)]
            var next = page + 1
            while next < end, frames[UInt32(next + 1)] == frame.map({ $0 + next - page }) { next += 1 }
            let target = UnsafeMutableRawBufferPointer(
                rebasing: buffer[(page - pages.lowerBound) * pageSize..<(next - pages.lowerBound) * pageSize])
            if let log, let frame {
                try Self.read(frames: frame, count: next - page, pageSize, log, into: target)
            } else {
                try main.read(into: target, at: Int64(page) * Int64(pageSize))
            }
            page = next
        }
    }

    /// Reads the pages of frames that follow one another.
    private static func read(
        frames frame: Int, count: Int, _ pageSize: Int, _ log: RawFile, into target: UnsafeMutableRawBufferPointer
    ) throws {
        let headerSize = WriteAheadLog.frameHeaderSize,
            place = WriteAheadLog.offset(ofFrame: frame, pageSize: pageSize) + Int64(headerSize)
        guard count > 1 else { return try log.read(into: target, at: place) }
        let frameSize = headerSize + pageSize
        let all = UnsafeMutableRawBufferPointer.allocate(byteCount: count * frameSize - headerSize, alignment: 8)
        defer { all.deallocate() }
        try log.read(into: all, at: place)
        for index in 0..<count {
            UnsafeMutableRawBufferPointer(rebasing: target[index * pageSize..<(index + 1) * pageSize])
                .copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: all[index * frameSize..<index * frameSize + pageSize]))
        }
    }
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
