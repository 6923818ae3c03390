/// The layout of the pages of a table's b-tree: SQLite's file format, "B-tree Pages".
@usableFromInline enum BTreePage {
    enum Kind: UInt8 {
        case interiorTable = 5, leafTable = 13
    }

    /// The offsets of the fields of a page's header from its start.
    static let firstFreeblock = 1, cellCount = 3, contentStart = 5, fragmentedBytes = 7, rightmostPointer = 8
    /// The header's size; the cell pointers, of two bytes each, follow it.
    @inlinable static var leafHeaderSize: Int { 8 }
    static let interiorHeaderSize = 12
    /// The least size of a cell.
    @inlinable static var leastCellSize: Int { 4 }
    /// The size of a page number, at the start of an overflow page and at the end of a cell that
    /// continues in one.
    static let pageNumberSize = 4
    static let greatestDepth = 24

    static func headerSize(_ kind: Kind) -> Int { kind == .interiorTable ? interiorHeaderSize : leafHeaderSize }

    /// The offset of a page's header: on the first page it follows the database header.
    static func start(ofPage number: Int) -> Int { number == 1 ? DatabaseHeader.size : 0 }

    /// The size of the largest payload that is entirely in its leaf.
    static func mostInPage(usableSize: Int) -> Int { usableSize - 35 }

    /// The number of bytes of a payload of `size` bytes in the leaf; the rest is in overflow pages.
    static func localSize(_ size: Int, usableSize: Int) -> Int {
        let most = mostInPage(usableSize: usableSize)
        guard size > most else { return size }
        let least = (usableSize - 12) * 32 / 255 - 23
        let rest = least + (size - least) % (usableSize - 4)
        return rest <= most ? rest : least
    }
}
