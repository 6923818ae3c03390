/// How the pages of a table's b-tree are laid out: SQLite's file format, "B-tree Pages".
@usableFromInline enum BTreePage {
    enum Kind: UInt8 {
        case interiorTable = 5, leafTable = 13
    }

    /// Offsets of the fields of a page's header from its start.
    static let firstFreeblock = 1, cellCount = 3, contentStart = 5, fragmentedBytes = 7, rightmostPointer = 8
    /// The header's size; the cell pointers, of two bytes each, follow it.
    @inlinable static var leafHeaderSize: Int { 8 }
    static let interiorHeaderSize = 12
    /// No cell is shorter.
    @inlinable static var leastCellSize: Int { 4 }
    /// The number of a page, before the content of an overflow page and behind that of a cell that
    /// goes on in one.
    static let pageNumberSize = 4
    static let greatestDepth = 24

    static func headerSize(_ kind: Kind) -> Int { kind == .interiorTable ? interiorHeaderSize : leafHeaderSize }

    /// Where the header of a page begins: on the first, behind that of the database.
    static func start(ofPage number: Int) -> Int { number == 1 ? DatabaseHeader.size : 0 }

    /// The largest payload that is in its leaf as a whole.
    static func mostInPage(usableSize: Int) -> Int { usableSize - 35 }

    /// How much of a payload of `size` bytes is in the leaf; the rest is in overflow pages.
    static func localSize(_ size: Int, usableSize: Int) -> Int {
        let most = mostInPage(usableSize: usableSize)
        guard size > most else { return size }
        let least = (usableSize - 12) * 32 / 255 - 23
        let rest = least + (size - least) % (usableSize - 4)
        return rest <= most ? rest : least
    }
}
