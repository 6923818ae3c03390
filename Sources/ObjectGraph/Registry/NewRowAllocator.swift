import RowMemory

/// Allocates the rows of new objects in slabs, one slab at a time for each entity.
struct NewRowAllocator {
    private static let largestSlab = 512
    private var slabs: [Int: RowSlab] = [:]
    // The slab used last. Usually several objects of one entity are inserted in succession.
    private var current: RowSlab?
    private var source = SlabSource()

    /// A row without values.
    mutating func makeRow(_ layout: RowLayout, key: Int64) -> Row {
        if let current, current.layout === layout, !current.isFull { return current.appendRow(key: key, version: 0) }
        let slab = self.slab(for: layout)
        current = slab
        return slab.appendRow(key: key, version: 0)
    }

    /// A copy of a row, without its to-many members.
    mutating func makeRow(_ layout: RowLayout, copying cells: RowCells) -> Row {
        let slab = current.flatMap { $0.layout === layout && !$0.isFull ? $0 : nil } ?? slab(for: layout)
        current = slab
        return Row(slab: slab, cells: slab.append(copyOf: cells))
    }

    /// Adds no more rows to the existing slabs, because they are lent to a store.
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
