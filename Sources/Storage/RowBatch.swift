package import RowMemory

/// Rows that a store hands up, in the order of the request; they may be of several entities.
///
/// The slabs change hands with the batch: the context that adopts a row keeps its slab.
package struct RowBatch: Sendable {
    private struct Place: Sendable {
        let slab: UInt32
        let row: UInt32
    }

    private var slabs: [RowSlab] = []
    private var places: ContiguousArray<Place> = []
    /// The slab of each layout that still has room, by entity.
    private var openSlabs: [Int: Int] = [:]

    package init() {}

    package var count: Int { places.count }
    package var isEmpty: Bool { places.isEmpty }

    package subscript(index: Int) -> Row {
        let place = places[index]
        return slabs[Int(place.slab)].row(at: Int(place.row))
    }

    /// Adds an empty row of `layout` and returns it to be filled.
    ///
    /// Slabs begin small and grow to some hundred rows, so that one row costs little and one survivor keeps little alive.
    package mutating func appendRow(_ layout: RowLayout, key: Int64, version: Int64) -> Row {
        let slab = openSlab(for: layout)
        let row = slabs[slab].appendRow(key: key, version: version)
        places.append(Place(slab: UInt32(slab), row: UInt32(slabs[slab].count - 1)))
        return row
    }

    /// Adds a copy of `row`.
    package mutating func append(copyOf row: Row) -> Row {
        let slab = openSlab(for: row.layout)
        let copy = slabs[slab].append(copyOf: row)
        places.append(Place(slab: UInt32(slab), row: UInt32(slabs[slab].count - 1)))
        return copy
    }

    private static let largestSlab = 512

    private mutating func openSlab(for layout: RowLayout) -> Int {
        if let last = slabs.last, last.layout === layout, !last.isFull { return slabs.count - 1 }
        if let open = openSlabs[layout.entityIndex] {
            if !slabs[open].isFull { return open }
            slabs.append(RowSlab(layout: layout, capacity: min(slabs[open].capacity * 4, Self.largestSlab)))
        } else {
            slabs.append(RowSlab(layout: layout, capacity: 8))
        }
        openSlabs[layout.entityIndex] = slabs.count - 1
        return slabs.count - 1
    }
}
