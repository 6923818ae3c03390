internal import Coding

/// A page of a table's b-tree that may be damaged: all of its values are checked.
struct TablePage {
    struct LeafCell {
        let key: Int64
        /// The length of the record.
        let size: Int
        /// The part of the record in the page.
        let local: Range<Int>
        /// The first overflow page of the record; 0 if there is none.
        let next: Int
    }

    let kind: BTreePage.Kind
    private let bytes: [UInt8]
    /// The offset of the page's header.
    private let start: Int
    private let usableSize: Int
    /// The number of cells in the header, limited by the size of the page.
    let cellCount: Int
    /// Whether the page has room for the number of cells in the header.
    let hasRoom: Bool

    static func kind(of bytes: [UInt8], number: Int) -> BTreePage.Kind? {
        BTreePage.Kind(rawValue: bytes[BTreePage.start(ofPage: number)])
    }

    /// Interprets the page as one of the given kind.
    init(_ bytes: [UInt8], number: Int, usableSize: Int, as kind: BTreePage.Kind) {
        self.kind = kind
        self.bytes = bytes
        self.usableSize = usableSize
        start = BTreePage.start(ofPage: number)
        let count = Int(bytes.bigEndian(at: start + BTreePage.cellCount, as: UInt16.self))
        let most = max(0, (usableSize - start - BTreePage.headerSize(kind)) / 2)
        hasRoom = count <= most
        cellCount = min(count, most)
    }

    private var pointersStart: Int { start + BTreePage.headerSize(kind) }
    private var pointersEnd: Int { pointersStart + 2 * cellCount }

    private func short(_ offset: Int) -> Int { Int(bytes.bigEndian(at: offset, as: UInt16.self)) }
    private func long(_ offset: Int) -> Int { Int(bytes.bigEndian(at: offset, as: UInt32.self)) }

    /// The offset of a cell; nil if it is not in the page's content.
    private func offset(ofCell index: Int) -> Int? {
        let offset = short(pointersStart + 2 * index)
        return offset >= pointersEnd && offset + BTreePage.leastCellSize <= usableSize ? offset : nil
    }

    /// The child page with the rows up to and including a key.
    func child(_ index: Int) -> (page: Int, key: Int64)? {
        guard var offset = offset(ofCell: index) else { return nil }
        let page = long(offset)
        offset += BTreePage.pageNumberSize
        guard let key = Varint.read(bytes, &offset), offset <= usableSize else { return nil }
        return (page, Int64(bitPattern: key))
    }

    /// The child page with the rows after all others.
    var lastChild: Int { long(start + BTreePage.rightmostPointer) }

    func leafCell(_ index: Int) -> LeafCell? {
        guard var offset = offset(ofCell: index), let size = Varint.read(bytes, &offset),
            let key = Varint.read(bytes, &offset), size <= 1 << 40
        else { return nil }
        let local = BTreePage.localSize(Int(size), usableSize: usableSize), continues = local < Int(size)
        guard offset + local + (continues ? BTreePage.pageNumberSize : 0) <= usableSize else { return nil }
        return LeafCell(
            key: Int64(bitPattern: key), size: Int(size), local: offset..<offset + local,
            next: continues ? long(offset + local) : 0)
    }

    func content(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// Whether the cells, the free blocks and the fragments fill the page's content without gaps
    /// and overlaps: then no cell is missing.
    var isSound: Bool {
        let recorded = short(start + BTreePage.contentStart), contentStart = recorded == 0 ? 65_536 : recorded
        guard hasRoom, contentStart >= pointersEnd, contentStart <= usableSize else { return false }
        var pieces: [Range<Int>] = []
        for index in 0..<cellCount {
            guard let offset = offset(ofCell: index), offset >= contentStart, let end = cellEnd(index, offset) else {
                return false
            }
            pieces.append(offset..<max(end, offset + BTreePage.leastCellSize))
        }
        var free = short(start + BTreePage.firstFreeblock), last = 0
        while free != 0 {
            guard free >= contentStart, free > last, free + 4 <= usableSize, short(free + 2) >= 4 else { return false }
            pieces.append(free..<free + short(free + 2))
            last = free
            free = short(free)
        }
        pieces.sort { $0.lowerBound < $1.lowerBound }
        var end = contentStart, filled = 0
        for piece in pieces {
            guard piece.lowerBound >= end, piece.upperBound <= usableSize else { return false }
            end = piece.upperBound
            filled += piece.count
        }
        return filled + Int(bytes[start + BTreePage.fragmentedBytes]) == usableSize - contentStart
    }

    private func cellEnd(_ index: Int, _ offset: Int) -> Int? {
        if kind == .leafTable {
            return leafCell(index).map {
                $0.local.upperBound + ($0.next == 0 && $0.local.count == $0.size ? 0 : BTreePage.pageNumberSize)
            }
        }
        var end = offset + BTreePage.pageNumberSize
        return Varint.read(bytes, &end) == nil ? nil : end
    }
}
