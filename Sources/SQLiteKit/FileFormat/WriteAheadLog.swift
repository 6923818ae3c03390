/// What is committed in a WAL: which page each frame holds. The records are those of SQLite's file
/// format, "The Write-Ahead Log".
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
    let pages: [UInt32]
    /// The pages of the database after the commit that a frame ends; 0 for other frames.
    let commitSizes: [UInt32]
    private let salt1: UInt32
    private let salt2: UInt32

    /// How many commits it has.
    package var commitCount: Int { commitSizes.count { $0 > 0 } }

    /// The end of what is committed.
    package var end: Mark { Mark(salt1: salt1, salt2: salt2, frames: pages.count) }

    /// The frames before a mark; 0 where the mark belongs to another run, whose pages are all in
    /// the main file.
    func frames(at mark: Mark?) -> Int {
        guard let mark, mark.salt1 == salt1, mark.salt2 == salt2, mark.frames <= pages.count else { return 0 }
        return mark.frames
    }

    static func offset(ofFrame frame: Int, pageSize: Int) -> Int64 {
        Int64(headerSize) + Int64(frame) * Int64(frameHeaderSize + pageSize)
    }

    /// How many bytes so many frames are at most, whatever the size of a page.
    package static func greatestSize(frames: Int) -> Int64 { offset(ofFrame: frames, pageSize: largestPage) }

    static let frameHeaderSize = 24
    static let headerSize = 32
    private static let largestPage = 65_536
    private static let framesAtOnce = 16
    private static let magic: UInt32 = 0x377f_0682
    private static let formatVersion: UInt32 = 3_007_000

    /// Reads a WAL; nil where nothing is committed in it. Costs reading it once.
    init?(_ file: RawFile) throws { try self.init(size: file.size()) { try file.read(into: $0, at: $1) } }

    /// Reads a WAL of `size` bytes; `read` fills a buffer from an offset on.
    init?(size: Int64, read: (UnsafeMutableRawBufferPointer, Int64) throws -> Void) throws {
        guard let (field, start) = try Self.header(size: size, read: read) else { return nil }
        var sum = start
        let pageSize = Int(field[2])
        var pages: [UInt32] = [], commitSizes: [UInt32] = []
        var committed = 0
        let frameSize = Self.frameHeaderSize + pageSize
        let whole = max(0, size - Int64(Self.headerSize)) / Int64(frameSize)
        let atOnce = Int(min(Int64(Self.framesAtOnce), max(whole, 1)))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: atOnce * frameSize, alignment: 8)
        defer { buffer.deallocate() }
        // Frames that were read and not looked at.
        var left = buffer[0..<0]
        for frame in 0..<whole {
            if left.isEmpty {
                left = buffer[..<(Int(min(Int64(atOnce), whole - frame)) * frameSize)]
                try read(
                    UnsafeMutableRawBufferPointer(rebasing: left), Self.offset(ofFrame: Int(frame), pageSize: pageSize))
            }
            let bytes = UnsafeRawBufferPointer(rebasing: left.prefix(frameSize))
            left = left.dropFirst(frameSize)
            let page = Self.number(bytes, 0), commitSize = Self.number(bytes, 4)
            guard page > 0, Self.number(bytes, 8) == field[4], Self.number(bytes, 12) == field[5] else { break }
            sum.add(bytes, 0..<8)
            sum.add(bytes, Self.frameHeaderSize..<frameSize)
            guard sum.first == Self.number(bytes, 16), sum.second == Self.number(bytes, 20) else { break }
            pages.append(page)
            commitSizes.append(commitSize)
            if commitSize > 0 { committed = pages.count }
        }
        guard committed > 0 else { return nil }
        self.pageSize = pageSize
        self.pages = Array(pages[..<committed])
        self.commitSizes = Array(commitSizes[..<committed])
        salt1 = field[4]
        salt2 = field[5]
    }

    /// The fields of a valid header and the sum over it; nil where there is none.
    private static func header(
        size: Int64, read: (UnsafeMutableRawBufferPointer, Int64) throws -> Void
    ) throws -> (field: [UInt32], sum: Checksum)? {
        var header = [UInt8](repeating: 0, count: headerSize)
        guard size >= headerSize else { return nil }
        try header.withUnsafeMutableBytes { try read($0, 0) }
        let field = header.withUnsafeBytes { bytes in (0..<8).map { number(bytes, $0 * 4) } }
        guard field[0] & ~1 == magic, field[1] == formatVersion, (512...65_536).contains(field[2]),
            field[2].nonzeroBitCount == 1
        else { return nil }
        var sum = Checksum(isBigEndian: field[0] & 1 == 1)
        header.withUnsafeBytes { sum.add($0, 0..<24) }
        return sum.first == field[6] && sum.second == field[7] ? (field, sum) : nil
    }

    /// Whether a file begins as a WAL does.
    static func hasHeader(size: Int64, read: (UnsafeMutableRawBufferPointer, Int64) throws -> Void) throws -> Bool {
        try header(size: size, read: read) != nil
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The running sum over the header and all frames, by which SQLite knows how far a WAL is
    /// whole.
    private struct Checksum {
        let isBigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// The range is a multiple of eight bytes long.
        mutating func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
            for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                first &+= word(bytes, place) &+ second
                second &+= word(bytes, place + 4) &+ first
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
    }
}
