internal import Coding

/// The header of a WAL. The fields are those of SQLite's file format, "WAL Format".
package struct WALHeader: Sendable {
    package static let size = 32
    private static let magic: UInt32 = 0x377f_0682
    private static let formatVersion: UInt32 = 3_007_000

    private let magicField: UInt32
    private let version: UInt32
    let pageSize: UInt32
    let salt1: UInt32
    let salt2: UInt32
    private let checksum1: UInt32
    private let checksum2: UInt32

    /// - Parameter bytes: At least ``size`` of them.
    init(_ bytes: UnsafeRawBufferPointer) {
        magicField = bytes.bigEndian(at: 0)
        version = bytes.bigEndian(at: 4)
        pageSize = bytes.bigEndian(at: 8)
        salt1 = bytes.bigEndian(at: 16)
        salt2 = bytes.bigEndian(at: 20)
        checksum1 = bytes.bigEndian(at: 24)
        checksum2 = bytes.bigEndian(at: 28)
    }

    /// The checksum of the header, from which the frames' checksums continue; nil if the header is
    /// not valid.
    func checksum(_ bytes: UnsafeRawBufferPointer) -> WALChecksum? {
        guard magicField & ~1 == Self.magic, version == Self.formatVersion,
            DatabaseHeader.pageSizes.contains(Int(pageSize)), pageSize.nonzeroBitCount == 1
        else { return nil }
        var sum = WALChecksum(isBigEndian: magicField & 1 == 1)
        sum.add(bytes, 0..<24)
        return sum.first == checksum1 && sum.second == checksum2 ? sum : nil
    }
}

/// The header of a WAL frame, which is followed by the page.
package struct WALFrameHeader: Sendable {
    package static let size = 24

    let page: UInt32
    /// The number of pages of the database if the frame completes a commit; 0 for other frames.
    package let commitSize: UInt32
    let salt1: UInt32
    let salt2: UInt32
    let checksum1: UInt32
    let checksum2: UInt32

    /// - Parameter bytes: At least ``size`` of them.
    package init(_ bytes: UnsafeRawBufferPointer) {
        page = bytes.bigEndian(at: 0)
        commitSize = bytes.bigEndian(at: 4)
        salt1 = bytes.bigEndian(at: 8)
        salt2 = bytes.bigEndian(at: 12)
        checksum1 = bytes.bigEndian(at: 16)
        checksum2 = bytes.bigEndian(at: 20)
    }

    func isOfRun(_ header: WALHeader) -> Bool { salt1 == header.salt1 && salt2 == header.salt2 }

    /// The offset of a frame, counted from 0.
    static func offset(ofFrame frame: Int, pageSize: Int) -> Int64 {
        Int64(WALHeader.size) + Int64(frame) * Int64(size + pageSize)
    }

    /// The offset of the page in a frame, counted from 0.
    static func pageOffset(ofFrame frame: Int, pageSize: Int) -> Int64 {
        offset(ofFrame: frame, pageSize: pageSize) + Int64(size)
    }

    /// The frame, counted from 0, that contains an offset of the WAL.
    package static func frame(at offset: Int64, pageSize: Int) -> Int64 {
        (offset - Int64(WALHeader.size)) / Int64(size + pageSize)
    }
}

/// The running checksum over the header and all frames of a WAL, by which SQLite determines its
/// valid part: "Checksum Algorithm" of SQLite's file format.
struct WALChecksum {
    let isBigEndian: Bool
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Adds bytes to the checksum. The length of the range must be a multiple of eight.
    mutating func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            first &+= word(bytes, offset) &+ second
            second &+= word(bytes, offset + 4) &+ first
        }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }
}
