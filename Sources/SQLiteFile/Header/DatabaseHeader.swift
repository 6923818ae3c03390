internal import Coding

/// The header of a database: the first 100 bytes of its first page, as defined by SQLite's file
/// format, "The Database Header". The values are not validated.
package struct DatabaseHeader: Sendable {
    package static let size = 100
    package static let magic = Array("SQLite format 3\u{0}".utf8)
    package static let pageSizes = 512...65_536
    /// The least number of bytes of a page that must be available for its content.
    package static let leastUsableSize = 480
    /// The offset of the file format version for writing; the version for reading follows.
    package static let versionsOffset = 18
    /// The value of both versions in WAL mode.
    package static let walVersion: UInt8 = 2

    package let hasMagic: Bool
    /// The page size in the header, valid or not.
    package let pageSize: Int
    package let writeVersion: UInt8
    package let readVersion: UInt8
    /// The number of reserved bytes at the end of each page.
    package let reservedSize: Int
    /// Whether the payload fractions have the only permitted values: 64, 32 and 32.
    package let hasValidFractions: Bool
    package let changeCounter: UInt32
    /// The size of the database in pages; valid only if ``isConsistent``.
    package let pageCount: Int
    /// The first trunk page of the freelist; 0 if there is none.
    package let firstFreelistPage: Int
    package let freelistCount: Int
    package let schemaFormat: Int
    /// The largest root page if there are pointer map pages, else 0.
    package let largestRootPage: Int
    /// 1 for UTF-8, 2 for UTF-16 little-endian, 3 for UTF-16 big-endian.
    package let textEncoding: Int
    /// The change counter at the time when SQLite last wrote the page count.
    private let versionValidFor: UInt32

    /// - Parameter bytes: At least ``size`` of them.
    package init(_ bytes: UnsafeRawBufferPointer) {
        func number(_ offset: Int) -> Int { Int(bytes.bigEndian(at: offset, as: UInt32.self)) }
        hasMagic = bytes.starts(with: Self.magic)
        let size = Int(bytes.bigEndian(at: 16, as: UInt16.self))
        pageSize = size == 1 ? 65_536 : size
        writeVersion = bytes[Self.versionsOffset]
        readVersion = bytes[Self.versionsOffset + 1]
        reservedSize = Int(bytes[20])
        hasValidFractions = bytes[21..<24].elementsEqual([64, 32, 32])
        changeCounter = bytes.bigEndian(at: 24)
        pageCount = number(28)
        firstFreelistPage = number(32)
        freelistCount = number(36)
        schemaFormat = number(44)
        largestRootPage = number(52)
        textEncoding = number(56)
        versionValidFor = bytes.bigEndian(at: 92)
    }

    /// - Parameter bytes: At least ``size`` of them.
    package init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { DatabaseHeader($0) } }

    /// Reads the header of a file; bytes past the end of the file are zero.
    package init(of file: some RandomAccessFile) throws {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        self.init(bytes)
    }

    /// Reads the header of a state of a database; zeros if it has no page.
    package init(of state: DatabaseState) throws {
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: max(state.pageSize, Self.size), alignment: 8)
        defer { page.deallocate() }
        page.initializeMemory(as: UInt8.self, repeating: 0)
        _ = try state.read(page: 0, into: UnsafeMutableRawBufferPointer(rebasing: page[..<state.pageSize]))
        self.init(UnsafeRawBufferPointer(page))
    }

    /// Whether a file that begins with these bytes is a database, by its magic.
    package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    package var hasValidPageSize: Bool { Self.pageSizes.contains(pageSize) && pageSize.nonzeroBitCount == 1 }

    /// Whether the last writer updated the page count, so that both copies of the change counter
    /// match.
    package var isConsistent: Bool { changeCounter == versionValidFor }

    /// The text encoding of the database.
    package var encoding: TextEncoding? { TextEncoding(rawValue: textEncoding) }

    package enum TextEncoding: Int, Sendable { case utf8 = 1, utf16LittleEndian, utf16BigEndian }
}
