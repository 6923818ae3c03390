internal import CSQLite

/// The pages of a database as one read transaction of a connection sees them, read past SQLite's
/// page cache.
///
/// Invariants:
/// 1. The transaction is open as long as this is used. Its locks keep what is read here as it is:
///    the pages of the main file that are not in the WAL's part of the snapshot, and those frames;
///    without a WAL, the whole main file.
/// 2. `frames` has for each page of the snapshot the last frame that holds it, counted from 1, or 0
///    where the main file has it; it is empty where the main file has all.
/// 3. Everything is read through SQLite's own open files: a descriptor of one's own would drop the
///    locks of the process when it is closed.
struct SnapshotPages {
    let pageSize: Int
    /// Bytes of a page that content takes.
    private(set) var usableSize: Int
    let count: Int
    private let main: RawFile
    private var log: RawFile?
    private var frames: ContiguousArray<UInt32> = []

    /// Fills a buffer with pages that follow one another.
    func read(_ first: Int, _ number: Int, into buffer: UnsafeMutableRawPointer) throws {
        guard first > 0, number > 0, number <= count, first <= count - number + 1 else { throw UnsuitedForScan() }
        guard !frames.isEmpty, let log else { return try readMain(first, number, into: buffer) }
        var page = first
        while page < first + number {
            let place = buffer + (page - first) * pageSize
            let frame = frames[page]
            if frame > 0 {
                let start =
                    WriteAheadLog.offset(ofFrame: Int(frame) - 1, pageSize: pageSize)
                    + Int64(WriteAheadLog.frameHeaderSize)
                try log.read(into: UnsafeMutableRawBufferPointer(start: place, count: pageSize), at: start)
                page += 1
            } else {
                var end = page + 1
                while end < first + number, frames[end] == 0 { end += 1 }
                try readMain(page, end - page, into: place)
                page = end
            }
        }
    }

    private func readMain(_ first: Int, _ number: Int, into buffer: UnsafeMutableRawPointer) throws {
        try main.read(
            into: UnsafeMutableRawBufferPointer(start: buffer, count: number * pageSize),
            at: Int64(first - 1) * Int64(pageSize))
    }
}

extension SnapshotPages {
    /// So many frames are looked through at most; there a statement of SQLite's costs less.
    private static let mostFrames = 1 << 16

    /// The pages that a connection sees in the read transaction that `begin` begins with its first
    /// look at the file. Nil where they can't be told for certain.
    static func of(_ connection: Connection, begin: () throws -> Void) throws -> SnapshotPages? {
        guard let main = try connection.rawFile(SQLITE_FCNTL_FILE_POINTER), !main.isArchived else { return nil }
        var index: LogIndex?
        if connection.reading != .immutable, try connection.journalMode() == .wal {
            guard connection.reading == nil, let shared = try LogIndex(connection) else { return nil }
            index = shared
        }
        let before = index?.header
        try begin()
        // The number of copied frames first: whoever begins the log anew writes the header, then
        // sets the number to 0. So where the header is still the same the number was one of this
        // run of the log. If it is less than all, it was when the transaction began: that holds a
        // mark of the log, and its frames stay. If it is all, the main file has them, and no
        // checkpoint goes further as long as the transaction lasts.
        let copied = index?.copiedFrames ?? 0
        // Where nobody has committed meanwhile, the snapshot is what the header says.
        if let index, before == nil || index.header != before { return nil }
        guard let pageSize = try connection.value("PRAGMA page_size")?.integer,
            let count = try connection.value("PRAGMA page_count")?.integer
        else { return nil }
        var pages = SnapshotPages(pageSize: Int(pageSize), count: Int(count), main: main)
        // Where all frames are in the main file SQLite reads that alone, and holds writers off it
        // alone.
        if let index, let before, before.frames > copied {
            // A damaged commit may count more pages than there are anywhere: they take no memory.
            guard
                Int64(count)
                    <= DatabaseFiles.mostPages(
                        mainSize: try main.size(), pageSize: pages.pageSize, frames: before.frames)
            else { return nil }
            guard before.frames <= Self.mostFrames, before.pageSize == pages.pageSize,
                let log = try connection.rawFile(SQLITE_FCNTL_JOURNAL_POINTER),
                let frames = index.lastFrames(upTo: before.frames, pageCount: pages.count)
            else { return nil }
            pages.log = log
            pages.frames = frames
        }
        return try pages.readHeader() ? pages : nil
    }

    private init(pageSize: Int, count: Int, main: RawFile) {
        self.pageSize = pageSize
        self.count = count
        self.main = main
        usableSize = pageSize
    }

    /// Takes what the file's header tells; false where its text is not in UTF-8.
    private mutating func readHeader() throws -> Bool {
        guard count > 0, (512...65_536).contains(pageSize) else { return false }
        let reserved = try withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 8) { buffer -> Int? in
            guard let base = buffer.baseAddress else { return nil }
            try read(1, 1, into: base)
            let bytes = UnsafeRawBufferPointer(buffer)
            let isUTF8 = bytes[56..<60].elementsEqual([0, 0, 0, 1])
            return isUTF8 && bytes.starts(with: "SQLite format 3\0".utf8) ? Int(bytes[20]) : nil
        }
        guard let reserved, pageSize - reserved >= 480 else { return false }
        usableSize = pageSize - reserved
        return true
    }
}

/// The wal-index of a connection in WAL mode, as it stands in shared memory; the fields are those
/// of "The WAL-Index File Format".
private struct LogIndex {
    /// What tells one state of the WAL from another.
    struct Header: Equatable {
        let change: UInt32
        let pageSize: Int
        let frames: Int
        let salt: UInt64
    }

    private static let blockSize: Int32 = 32_768
    private static let framesOfFirstBlock = 4_062, framesPerBlock = 4_096, headerSize = 136
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: UnsafePointer<sqlite3_io_methods>
    private let first: UnsafeRawPointer

    /// Nil where the index is in SQLite's own memory.
    init?(_ connection: Connection) throws {
        guard try connection.value("PRAGMA locking_mode")?.text == "normal" else { return nil }
        // The first look at the file opens the WAL and its index.
        _ = try connection.value("PRAGMA schema_version")
        var file: UnsafeMutablePointer<sqlite3_file>?
        try connection.check(sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
        guard let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let first = Self.block(0, file, methods)
        else { return nil }
        self.file = file
        self.methods = methods
        self.first = first
    }

    private static func block(
        _ number: Int32, _ file: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafeRawPointer? {
        var block: UnsafeMutableRawPointer?
        guard methods.pointee.xShmMap(file, number, blockSize, 0, &block) == SQLITE_OK else { return nil }
        return block.map { UnsafeRawPointer($0) }
    }

    /// Nil while somebody is writing it, or where it was not made yet.
    var header: Header? {
        methods.pointee.xShmBarrier(file)
        let size = 48
        let copy = (0..<size / 4).map { (number($0 * 4), number(size + $0 * 4)) }
        guard copy.allSatisfy({ $0.0 == $0.1 }), first.load(fromByteOffset: 12, as: UInt8.self) != 0 else { return nil }
        let pageSize = Int(UInt16(truncatingIfNeeded: copy[3].0 >> 16))
        return Header(
            change: copy[2].0, pageSize: pageSize == 1 ? 65_536 : pageSize, frames: Int(copy[4].0),
            salt: UInt64(copy[8].0) << 32 | UInt64(copy[9].0))
    }

    /// How many frames have been copied into the main file.
    var copiedFrames: Int {
        methods.pointee.xShmBarrier(file)
        return Int(number(96))
    }

    private func number(_ offset: Int) -> UInt32 { first.load(fromByteOffset: offset, as: UInt32.self) }

    /// The last frame of each page, by the page's number, 0 for those without; nil where the index
    /// is shorter than it says.
    func lastFrames(upTo count: Int, pageCount: Int) -> ContiguousArray<UInt32>? {
        var frames = ContiguousArray<UInt32>(repeating: 0, count: pageCount + 1)
        var frame = 1, number: Int32 = 0
        while frame <= count {
            guard let block = number == 0 ? first : Self.block(number, file, methods) else { return nil }
            let size = number == 0 ? Self.framesOfFirstBlock : Self.framesPerBlock
            let start = number == 0 ? Self.headerSize : 0
            for place in 0..<min(size, count - frame + 1) {
                let page = Int(block.load(fromByteOffset: start + place * 4, as: UInt32.self))
                if page <= pageCount { frames[page] = UInt32(frame + place) }
            }
            frame += size
            number += 1
        }
        return frames
    }
}
