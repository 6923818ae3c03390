/// Leaf pages of a table.
package struct TableLeaves {
    /// By number, counted from 1.
    let pages: ContiguousArray<UInt32>
    /// The bytes of a page that SQLite uses.
    let usableSize: Int

    package var isEmpty: Bool { pages.isEmpty }

    init(_ pages: ContiguousArray<UInt32>, usableSize: Int) {
        self.pages = pages
        self.usableSize = usableSize
    }

    /// All leaves of a table in the order of their rows. Reads the other pages of its b-tree.
    /// - Parameter root: The root page of the table.
    /// - Throws: ``UnsuitedForScan``; errors of reading the pages.
    package init(_ state: DatabaseState, root: Int) throws {
        guard state.pageCount > 0, DatabaseHeader.pageSizes.contains(state.pageSize) else { throw UnsuitedForScan() }
        let start = try DatabaseHeader(of: state)
        usableSize = state.pageSize - start.reservedSize
        guard start.hasMagic, start.encoding == .utf8, usableSize >= DatabaseHeader.leastUsableSize else {
            throw UnsuitedForScan()
        }
        pages = try Self.leaves(state, root, usableSize)
    }

    /// Collects the leaves, descending from a table's root.
    private static func leaves(_ pages: DatabaseState, _ root: Int, _ usableSize: Int) throws -> ContiguousArray<UInt32>
    {
        var leaves: ContiguousArray<UInt32> = []
        var visited = 0
        func descend(_ number: Int, _ depth: Int) throws {
            visited += 1
            guard depth <= BTreePage.greatestDepth, visited <= pages.pageCount, number > 1 else {
                throw UnsuitedForScan()
            }
            let bytes = try [UInt8](unsafeUninitializedCapacity: pages.pageSize) { buffer, count in
                try read(pages, number, 1, into: UnsafeMutableRawBufferPointer(buffer))
                count = pages.pageSize
            }
            guard let kind = TablePage.kind(of: bytes, number: number) else { throw UnsuitedForScan() }
            if kind == .leafTable { return leaves.append(UInt32(number)) }
            let page = TablePage(bytes, number: number, usableSize: usableSize, as: kind)
            guard page.hasRoom else { throw UnsuitedForScan() }
            var children: ContiguousArray<Int> = []
            children.reserveCapacity(page.cellCount + 1)
            for cell in 0..<page.cellCount {
                guard let child = page.child(cell) else { throw UnsuitedForScan() }
                children.append(child.page)
            }
            children.append(page.lastChild)
            // All leaves have the same depth: if the first child is a leaf, its siblings are leaves
            // too and need not be read.
            let before = leaves.count
            try descend(children[0], depth + 1)
            if leaves.count == before + 1, leaves[before] == UInt32(children[0]) {
                visited += children.count - 1
                guard visited <= pages.pageCount, children.allSatisfy({ $0 > 1 && $0 <= pages.pageCount }) else {
                    throw UnsuitedForScan()
                }
                for child in children.dropFirst() { leaves.append(UInt32(child)) }
            } else {
                for child in children.dropFirst() { try descend(child, depth + 1) }
            }
        }
        try descend(root, 0)
        return leaves
    }

    /// Fills a buffer with consecutive pages, counted from 1.
    static func read(
        _ pages: DatabaseState, _ first: Int, _ count: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws {
        guard first > 0, count <= pages.pageCount, first <= pages.pageCount - count + 1 else { throw UnsuitedForScan() }
        try pages.read(pages: first - 1..<first - 1 + count, into: buffer)
    }
}
