/// A page of a table's b-tree that may be damaged: nothing that it says is relied on. The format is
/// that of SQLite's file format, "B-tree Pages".
struct DamagedTablePage {
    enum Kind: UInt8 {
        case interior = 5, leaf = 13
    }

    struct LeafCell {
        let key: Int64
        /// The length of the record.
        let size: Int
        /// The part of the record that is in the page.
        let local: Range<Int>
        /// The page in which the record goes on; 0 for none.
        let next: Int
    }

    let kind: Kind
    private let bytes: [UInt8]
    /// Where the page's header begins.
    private let start: Int
    private let usableSize: Int
    /// By the header, as far as the page has room for them.
    let cellCount: Int
    private let hasRoom: Bool

    static func kind(of bytes: [UInt8], number: Int) -> Kind? { Kind(rawValue: bytes[start(number)]) }

    private static func start(_ number: Int) -> Int { number == 1 ? 100 : 0 }

    /// Takes the page for one of this kind.
    init(_ bytes: [UInt8], number: Int, usableSize: Int, as kind: Kind) {
        self.kind = kind
        self.bytes = bytes
        self.usableSize = usableSize
        start = Self.start(number)
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        let most = max(0, (usableSize - start - (kind == .interior ? 12 : 8)) / 2)
        hasRoom = count <= most
        cellCount = min(count, most)
    }

    private var pointersEnd: Int { start + (kind == .interior ? 12 : 8) + 2 * cellCount }

    private func short(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
    private func long(_ place: Int) -> Int { short(place) << 16 | short(place + 2) }

    /// Where a cell begins; nil where that is not in the page's content.
    private func place(_ index: Int) -> Int? {
        let place = short(start + (kind == .interior ? 12 : 8) + 2 * index)
        return place >= pointersEnd && place + 4 <= usableSize ? place : nil
    }

    /// The page with the rows up to and with a number.
    func child(_ index: Int) -> (page: Int, key: Int64)? {
        guard var place = place(index) else { return nil }
        let page = long(place)
        place += 4
        guard let key = SalvagedRow.integer(bytes, &place), place <= usableSize else { return nil }
        return (page, Int64(bitPattern: key))
    }

    /// The page with the rows behind all others.
    var lastChild: Int { long(start + 8) }

    func leafCell(_ index: Int) -> LeafCell? {
        guard var place = place(index), let size = SalvagedRow.integer(bytes, &place),
            let key = SalvagedRow.integer(bytes, &place), size <= 1 << 40
        else { return nil }
        let local = localSize(Int(size)), continues = local < Int(size)
        guard place + local + (continues ? 4 : 0) <= usableSize else { return nil }
        return LeafCell(
            key: Int64(bitPattern: key), size: Int(size), local: place..<place + local,
            next: continues ? long(place + local) : 0)
    }

    func content(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// How much of a record of `size` bytes is in the page.
    private func localSize(_ size: Int) -> Int {
        let most = usableSize - 35
        guard size > most else { return size }
        let least = (usableSize - 12) * 32 / 255 - 23
        let rest = least + (size - least) % (usableSize - 4)
        return rest <= most ? rest : least
    }

    /// Whether the cells, the free blocks and the fragments fill the page's content, without a gap
    /// and without lying over each other: then no cell is missing.
    var isSound: Bool {
        let recorded = short(start + 5), contentStart = recorded == 0 ? 65_536 : recorded
        guard hasRoom, contentStart >= pointersEnd, contentStart <= usableSize else { return false }
        var pieces: [Range<Int>] = []
        for index in 0..<cellCount {
            guard let place = place(index), place >= contentStart, let end = cellEnd(index, place) else { return false }
            pieces.append(place..<max(end, place + 4))
        }
        var free = short(start + 1), last = 0
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
        return filled + Int(bytes[start + 7]) == usableSize - contentStart
    }

    private func cellEnd(_ index: Int, _ place: Int) -> Int? {
        if kind == .leaf {
            return leafCell(index).map { $0.local.upperBound + ($0.next == 0 && $0.local.count == $0.size ? 0 : 4) }
        }
        var end = place + 4
        return SalvagedRow.integer(bytes, &end) == nil ? nil : end
    }
}
