internal import FileSystem

/// What is committed in a WAL: which page each frame holds.
///
/// Frames of an older run of the file (other salts), torn ones, and those of a transaction that was
/// never committed are not there.
package struct WriteAheadLog: Sendable {
    /// A place between two commits. The salts tell one run of a WAL from the next.
    package struct Mark: Sendable, Hashable, Codable {
        package var salt1: UInt32
        package var salt2: UInt32
        /// Frames up to and with a commit.
        package var frames: Int

        package init(salt1: UInt32, salt2: UInt32, frames: Int) {
            self.salt1 = salt1
            self.salt2 = salt2
            self.frames = frames
        }
    }

    package let pageSize: Int
    /// The page number of each frame.
    package let pages: [UInt32]
    /// The pages of the database after the commit that a frame ends; 0 for other frames.
    package let commitSizes: [UInt32]
    private let salt1: UInt32
    private let salt2: UInt32

    /// How many commits it has.
    package var commitCount: Int { commitSizes.count { $0 > 0 } }

    /// The end of what is committed.
    package var end: Mark { Mark(salt1: salt1, salt2: salt2, frames: pages.count) }

    /// The frames before a mark; 0 where the mark belongs to another run, whose pages are all in
    /// the main file.
    package func frames(at mark: Mark?) -> Int {
        guard let mark, mark.salt1 == salt1, mark.salt2 == salt2, mark.frames <= pages.count else { return 0 }
        return mark.frames
    }

    /// The state of the database after the first frames, the last of which ends a commit.
    package func state(after frames: Int, main: any RandomAccessFile, log: any RandomAccessFile) -> DatabaseState {
        let pageCount = Int(commitSizes[frames - 1])
        var map = FrameMap(frameCount: frames, pageCount: pageCount)
        for frame in 0..<frames { map.note(frame: frame, page: pages[frame]) }
        return DatabaseState(
            size: Int64(pageCount) * Int64(pageSize), pageSize: pageSize, main: main, log: log, frames: map)
    }

    /// How many bytes so many frames are at most, whatever the size of a page.
    package static func greatestSize(frames: Int) -> Int64 {
        WALFrameHeader.offset(ofFrame: frames, pageSize: DatabaseHeader.pageSizes.upperBound)
    }

    private static let framesAtOnce = 16

    /// Reads a WAL; nil where nothing is committed in it. Costs reading it once.
    package init?(_ file: some RandomAccessFile) throws {
        let size = try file.size()
        guard let (header, start) = try Self.header(of: file) else { return nil }
        var sum = start
        let pageSize = Int(header.pageSize)
        var pages: [UInt32] = [], commitSizes: [UInt32] = []
        var committed = 0
        let frameSize = WALFrameHeader.size + pageSize
        let whole = max(0, size - Int64(WALHeader.size)) / Int64(frameSize)
        let atOnce = Int(min(Int64(Self.framesAtOnce), max(whole, 1)))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: atOnce * frameSize, alignment: 8)
        defer { buffer.deallocate() }
        // Frames that were read and not looked at.
        var left = buffer[0..<0]
        for index in 0..<whole {
            if left.isEmpty {
                left = buffer[..<(Int(min(Int64(atOnce), whole - index)) * frameSize)]
                try file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: left),
                    at: WALFrameHeader.offset(ofFrame: Int(index), pageSize: pageSize))
            }
            let bytes = UnsafeRawBufferPointer(rebasing: left.prefix(frameSize))
            left = left.dropFirst(frameSize)
            let frame = WALFrameHeader(bytes)
            guard frame.page > 0, frame.isOfRun(header) else { break }
            sum.add(bytes, 0..<8)
            sum.add(bytes, WALFrameHeader.size..<frameSize)
            guard sum.first == frame.checksum1, sum.second == frame.checksum2 else { break }
            pages.append(frame.page)
            commitSizes.append(frame.commitSize)
            if frame.commitSize > 0 { committed = pages.count }
        }
        guard committed > 0 else { return nil }
        self.pageSize = pageSize
        self.pages = Array(pages[..<committed])
        self.commitSizes = Array(commitSizes[..<committed])
        salt1 = header.salt1
        salt2 = header.salt2
    }

    /// A valid header and the checksum over it; nil where there is none.
    private static func header(of file: some RandomAccessFile) throws -> (WALHeader, WALChecksum)? {
        guard try file.size() >= WALHeader.size else { return nil }
        var bytes = [UInt8](repeating: 0, count: WALHeader.size)
        try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes.withUnsafeBytes {
            let header = WALHeader($0)
            return header.checksum($0).map { (header, $0) }
        }
    }

    /// Whether a file begins as a WAL does.
    package static func hasHeader(_ file: some RandomAccessFile) throws -> Bool { try header(of: file) != nil }
}

// MARK: The WAL of a store

extension WriteAheadLog {
    /// How many frames of the WAL of a store that nobody in this process has open belong to
    /// commits: what would be lost without the WAL.
    ///
    /// Frames of an older run of the WAL, and those of a commit that a crash cut short, do not
    /// count; a file that is no WAL has none, as for SQLite.
    /// - Throws: `FileSystemError` where it can't be read.
    /// - Complexity: Reads the WAL.
    package static func committedFrames(ofStoreAt path: String) throws -> Int {
        try withFile(ofStoreAt: path) { try WriteAheadLog($0)?.end.frames } ?? 0
    }

    /// Whether the WAL of a store begins as one; SQLite locks no WAL, so that looking into it takes
    /// nobody's lock away.
    /// - Throws: `FileSystemError` where it can't be read.
    package static func hasHeader(ofStoreAt path: String) throws -> Bool {
        try withFile(ofStoreAt: path) { try hasHeader($0) } ?? false
    }

    /// Runs `body` with a store's WAL; nil where there is none. A file that is cut off meanwhile
    /// reads as zeros, which end the WAL.
    private static func withFile<Result>(ofStoreAt path: String, _ body: (PlainFile) throws -> Result?) throws
        -> Result?
    {
        guard let size = try Disk.status(of: path + "-wal")?.size, size > 0 else { return nil }
        let file = try File(path + "-wal", .read)
        defer { file.close() }
        return try body(PlainFile(file))
    }
}
