import RowMemory

/// Allocates the rows of new objects, in slabs by entity.
struct NewRowAllocator {
    private static let largestSlab = 512
    private var slabs: [Int: RowSlab] = [:]
    // The last entity's slab is at hand: objects are mostly inserted one kind after the other.
    private var current: RowSlab?
    private var source = SlabSource()

    /// A row without values.
    mutating func makeRow(_ layout: RowLayout, key: Int64) -> Row {
        if let current, current.layout === layout, !current.isFull { return current.appendRow(key: key, version: 0) }
        let slab = self.slab(for: layout)
        current = slab
        return slab.appendRow(key: key, version: 0)
    }

    /// A copy of a row, without its lists.
    mutating func makeRow(_ layout: RowLayout, copying cells: RowCells) -> Row {
        let slab = current.flatMap { $0.layout === layout && !$0.isFull ? $0 : nil } ?? slab(for: layout)
        current = slab
        return Row(slab: slab, cells: slab.append(copyOf: cells))
    }

    /// Adds no more rows to the slabs that there are: they are lent.
    mutating func leaveSlabs() {
        slabs = [:]
        current = nil
    }

    private mutating func slab(for layout: RowLayout) -> RowSlab {
        let open = slabs[layout.entityIndex]
        if let open, !open.isFull { return open }
        let slab = source.makeSlab(layout, capacity: open.map { min($0.capacity * 4, Self.largestSlab) } ?? 8)
        slabs[layout.entityIndex] = slab
        return slab
    }
}
