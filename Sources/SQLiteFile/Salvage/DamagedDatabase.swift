internal import Coding

/// Reads a damaged database without SQLite: table by table along the b-trees where they are intact,
/// and page by page where they are not.
///
/// Each page is used only once. Whatever the pages contain, the number of steps is therefore
/// bounded by the number of pages and their cells.
package final class DamagedDatabase {
    /// The pages found through a table's b-tree.
    package struct Tree: Sendable {
        package struct Leaf: Sendable {
            package let page: Int
            /// The rowids that belong on this page.
            package let range: ClosedRange<Int64>

            package init(page: Int, range: ClosedRange<Int64>) {
                self.page = page
                self.range = range
            }
        }

        package var leaves: [Leaf] = []
        /// The rowids whose pages can't be read.
        package var lost: [ClosedRange<Int64>] = []
        /// Whether an interior page is damaged, so that leaves may be missing.
        package var isDamaged = false

        package init() {}
    }

    let pages: DamagedPages
    /// The defects of the file as a whole.
    package var findings: [String] { pages.findings }
    /// UTF-8, or UTF-16 in either byte order.
    package private(set) var encoding: DatabaseHeader.TextEncoding
    /// The pages that belong to a b-tree, and the overflow pages in use.
    private var isTaken: [Bool]
    private var isOverflow: [Bool]
    /// For examined pages: whether they are sound table leaves with rows.
    private var soundLeaves: [Bool?]
    private lazy var isFree = freePages()
    private var knowsFreeList = false
    /// Whether a part of the pointer map can't be read.
    private var lacksMap = false

    /// Whether all pages that are not known to be free are in use.
    package var knowsFreePages: Bool {
        _ = isFree
        return pages.header.hasPointerMap && !lacksMap || knowsFreeList
    }

    /// Opens a database to which no connection writes.
    /// - Throws: `FileSystemError`.
    package init(_ path: String) throws {
        pages = try DamagedPages(path)
        isTaken = Array(repeating: false, count: pages.count + 1)
        isOverflow = isTaken
        soundLeaves = Array(repeating: nil, count: pages.count + 1)
        encoding = pages.header.encoding
        // The rows of the schema begin with words, which shows the encoding.
        if let first = pages.read(1), TablePage.kind(of: first, number: 1) == .leafTable,
            first.firstRange(of: Array("table".utf8)) != nil
        {
            encoding = .utf8
        }
    }

    /// The number of pages.
    package var pageCount: Int { pages.count }

    package func text(_ cell: SalvagedCell) -> String? {
        guard case .text(let bytes) = cell else { return nil }
        switch encoding {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .utf16LittleEndian, .utf16BigEndian:
            let isLittle = encoding == .utf16LittleEndian
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
                UInt16(bytes[isLittle ? $0 + 1 : $0]) << 8 | UInt16(bytes[isLittle ? $0 : $0 + 1])
            }
            return String(decoding: units, as: UTF16.self)
        }
    }

    // MARK: B-trees

    /// Descends the b-tree of a table and marks its pages as used.
    package func tree(root: Int) -> Tree {
        var tree = Tree()
        var rest = [(page: root, range: Int64.min...Int64.max, depth: 0)]
        while let (number, range, depth) = rest.popLast() {
            guard number >= 1, number <= pages.count, !isTaken[number], depth < BTreePage.greatestDepth,
                let page = page(number, &tree)
            else {
                tree.lost.append(range)
                continue
            }
            isTaken[number] = true
            guard page.kind == .interiorTable else {
                tree.leaves.append(Tree.Leaf(page: number, range: range))
                continue
            }
            if !page.isSound { tree.isDamaged = true }
            // In reverse, so that the stack returns them in order.
            rest += children(page, range, &tree).reversed().map { ($0.page, $0.range, depth + 1) }
        }
        return tree
    }

    private func page(_ number: Int, _ tree: inout Tree) -> TablePage? {
        guard let bytes = pages.read(number) else { return nil }
        func page(_ kind: BTreePage.Kind) -> TablePage {
            TablePage(bytes, number: number, usableSize: pages.header.usableSize, as: kind)
        }
        if let kind = TablePage.kind(of: bytes, number: number) { return page(kind) }
        // The page type may be the only damaged byte.
        let sound = [page(.leafTable), page(.interiorTable)].first { $0.cellCount > 0 && $0.isSound }
        if sound != nil { tree.isDamaged = true }
        return sound
    }

    private func children(_ page: TablePage, _ range: ClosedRange<Int64>, _ tree: inout Tree) -> [(
        page: Int, range: ClosedRange<Int64>
    )] {
        var children: [(page: Int, range: ClosedRange<Int64>)] = []
        var low = range.lowerBound
        for index in 0..<page.cellCount {
            guard let child = page.child(index), child.key >= low, child.key < range.upperBound else {
                tree.isDamaged = true
                if let child = page.child(index) { children.append((child.page, low...range.upperBound)) }
                continue
            }
            children.append((child.page, low...child.key))
            low = child.key + 1
        }
        children.append((page.lastChild, low...range.upperBound))
        return children
    }

    /// Makes a page available to another table.
    package func release(_ leaf: Tree.Leaf) { isTaken[leaf.page] = false }

    /// Table leaves that are not free and that no b-tree refers to. Each page is read only once,
    /// even if the method is called repeatedly.
    package func strayLeaves() -> [Int] {
        guard pages.count > 1 else { return [] }
        return (2...pages.count).filter { !isTaken[$0] && !isOverflow[$0] && !isFree[$0] && isSoundLeaf($0) }
    }

    private func isSoundLeaf(_ number: Int) -> Bool {
        if let known = soundLeaves[number] { return known }
        var isSound = false
        if let bytes = pages.read(number), TablePage.kind(of: bytes, number: number) == .leafTable {
            let page = TablePage(bytes, number: number, usableSize: pages.header.usableSize, as: .leafTable)
            isSound = page.cellCount > 0 && page.isSound
        }
        soundLeaves[number] = isSound
        return isSound
    }

    package func take(_ page: Int) { isTaken[page] = true }

    // MARK: Rows

    /// Calls `body` with the rows of a leaf. Each overflow page is used only by the first row that
    /// refers to it.
    /// - Parameter headsOnly: Whether rows are read only as far as they are in the leaf itself.
    /// - Returns: whether the leaf is sound; otherwise rows may be missing.
    package func forEachRow(ofLeaf number: Int, headsOnly: Bool = false, _ body: (SalvagedRow) throws -> Void) rethrows
        -> Bool
    {
        guard let bytes = pages.read(number) else { return false }
        let page = TablePage(bytes, number: number, usableSize: pages.header.usableSize, as: .leafTable)
        var isWhole = page.isSound
        for index in 0..<page.cellCount {
            guard let cell = page.leafCell(index),
                let row = SalvagedRow(
                    key: cell.key, bytes: headsOnly ? Array(page.content(cell.local)) : record(cell, page),
                    size: cell.size)
            else {
                isWhole = false
                continue
            }
            try body(row)
        }
        return isWhole
    }

    /// The beginnings of the rows of a leaf.
    package func heads(ofLeaf number: Int) -> [SalvagedRow] {
        var rows: [SalvagedRow] = []
        _ = forEachRow(ofLeaf: number, headsOnly: true) { rows.append($0) }
        return rows
    }

    /// A record, as far as it can be read.
    private func record(_ cell: TablePage.LeafCell, _ page: TablePage) -> [UInt8] {
        var bytes = Array(page.content(cell.local))
        var next = cell.next
        while bytes.count < cell.size {
            guard next > 1, next <= pages.count, !isTaken[next], !isOverflow[next], let more = pages.read(next) else {
                break
            }
            isOverflow[next] = true
            let start = BTreePage.pageNumberSize
            bytes += more[start..<min(pages.header.usableSize, start + cell.size - bytes.count)]
            next = Int(more.bigEndian(at: 0, as: UInt32.self))
        }
        return bytes
    }

    // MARK: Free pages

    private func freePages() -> [Bool] {
        var isFree = Array(repeating: false, count: pages.count + 1)
        var trunk = pages.header.firstFreePage
        while trunk > 1, trunk <= pages.count, !isFree[trunk], !isTaken[trunk], let bytes = pages.read(trunk) {
            isFree[trunk] = true
            func number(_ offset: Int) -> Int { Int(bytes.bigEndian(at: offset, as: UInt32.self)) }
            let count = min(number(4), pages.header.usableSize / 4 - 2)
            for index in 0..<max(0, count) {
                let page = number(8 + 4 * index)
                if page > 1, page <= pages.count { isFree[page] = true }
            }
            trunk = number(0)
        }
        knowsFreeList = trunk == 0 && isFree.count { $0 } == pages.header.freePageCount
        guard pages.header.hasPointerMap else { return isFree }
        // Each pointer map page describes the pages after it, in entries of five bytes. An entry
        // that begins with 2 describes a free page.
        let group = pages.header.usableSize / 5
        for map in stride(from: 2, through: pages.count, by: group + 1) {
            let entries = min(group, pages.count - map)
            guard let bytes = pages.read(map), isSoundMap(bytes, map + 1, entries) else {
                lacksMap = true
                continue
            }
            isFree[map] = true
            for index in 0..<entries where bytes[5 * index] == 2 { isFree[map + 1 + index] = true }
        }
        return isFree
    }

    /// Whether all entries of a pointer map page are valid: 1 for a root and 2 for a free page,
    /// which have no parent; 3 and 4 for overflow pages and 5 for other b-tree pages, each with its
    /// parent page. If any entry is invalid, the whole page is ignored: otherwise pages wrongly
    /// marked as free would be skipped.
    private func isSoundMap(_ bytes: [UInt8], _ first: Int, _ entries: Int) -> Bool {
        (0..<entries).allSatisfy { index in
            let parent = bytes[(5 * index + 1)..<(5 * index + 5)].reduce(0) { $0 << 8 | Int($1) }
            return switch bytes[5 * index] {
            case 1, 2: parent == 0
            case 3, 4, 5: parent > 0
            // The page with the locking bytes is never written.
            default: first + index == 0x4000_0000 / pages.header.pageSize + 1
            }
        }
    }
}
