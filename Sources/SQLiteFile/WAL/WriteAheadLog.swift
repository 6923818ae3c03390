internal import FileSystem

/// The committed content of a WAL: the page of each frame.
///
/// Frames of an older run of the file (with other salts), incomplete frames, and those of
/// uncommitted transactions are not included.
package struct WriteAheadLog: Sendable {
    /// A position between two commits. The salts identify the run of the WAL.
    package struct Mark: Sendable, Hashable, Codable {
        package var salt1: UInt32
        package var salt2: UInt32
        /// The number of frames up to and including a commit.
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
    /// For a frame that completes a commit, the number of pages of the database; 0 for other
    /// frames.
    package let commitSizes: [UInt32]
    private let salt1: UInt32
    private let salt2: UInt32

    /// The number of commits.
    package var commitCount: Int { commitSizes.count { $0 > 0 } }

    /// The end of the committed content.
    package var end: Mark { Mark(salt1: salt1, salt2: salt2, frames: pages.count) }

    /// The number of frames before a mark; 0 if the mark belongs to another run, whose pages are
    /// all in the main file.
    package func frames(at mark: Mark?) -> Int {
        guard let mark, mark.salt1 == salt1, mark.salt2 == salt2, mark.frames <= pages.count else { return 0 }
        return mark.frames
    }

    /// The state of the database after the first `frames` frames, the last of which completes a
    /// commit.
    package func state(after frames: Int, main: any RandomAccessFile, log: any RandomAccessFile) -> DatabaseState {
        let pageCount = Int(commitSizes[frames - 1])
        var map = FrameMap(frameCount: frames, pageCount: pageCount)
        for frame in 0..<frames { map.note(frame: frame, page: pages[frame]) }
        return DatabaseState(
            size: Int64(pageCount) * Int64(pageSize), pageSize: pageSize, main: main, log: log, frames: map)
    }

    /// The greatest possible size of this number of frames in bytes, for any page size.
    package static func greatestSize(frames: Int) -> Int64 {
        WALFrameHeader.offset(ofFrame: frames, pageSize: DatabaseHeader.pageSizes.upperBound)
    }

    private static let framesAtOnce = 16

    /// Reads a WAL; nil if it has no commit. Costs reading it once.
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
        // Frames that were read but not examined yet.
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

    /// The header and its checksum; nil if it is not valid.
    private static func header(of file: some RandomAccessFile) throws -> (WALHeader, WALChecksum)? {
        guard try file.size() >= WALHeader.size else { return nil }
        var bytes = [UInt8](repeating: 0, count: WALHeader.size)
        try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes.withUnsafeBytes {
            let header = WALHeader($0)
            return header.checksum($0).map { (header, $0) }
        }
    }

    /// Whether a file has a valid WAL header.
    package static func hasHeader(_ file: some RandomAccessFile) throws -> Bool { try header(of: file) != nil }
}

// MARK: The WAL of a store

extension WriteAheadLog {
    /// The number of committed frames in the WAL of a store that no connection of this process has
    /// open: the content that would be lost without the WAL.
    ///
    /// Frames of an older run of the WAL, and those of an incomplete commit, are not counted. A
    /// file that is not a WAL has none, as in SQLite.
    /// - Throws: `FileSystemError` where it can't be read.
    /// - Complexity: Reads the WAL.
    package static func committedFrames(ofStoreAt path: String) throws -> Int {
        try withFile(ofStoreAt: path) { try WriteAheadLog($0)?.end.frames } ?? 0
    }

    /// Whether the WAL of a store has a valid header. SQLite does not lock the WAL file itself, so
    /// opening and closing it drops no locks.
    /// - Throws: `FileSystemError` where it can't be read.
    package static func hasHeader(ofStoreAt path: String) throws -> Bool {
        try withFile(ofStoreAt: path) { try hasHeader($0) } ?? false
    }

    /// Runs `body` with a store's WAL; returns nil if there is none. If the file is truncated
    /// meanwhile, zeros are read, which end the WAL.
    private static func withFile<Result>(ofStoreAt path: String, _ body: (PlainFile) throws -> Result?) throws
        -> Result?
    {
        guard let size = try Disk.status(of: path + "-wal")?.size, size > 0 else { return nil }
        let file = try File(path + "-wal", .read)
        defer { file.close() }
        return try body(PlainFile(file))
    }
}
