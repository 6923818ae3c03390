import RowMemory

/// The slabs of listed rows, by address. The identity map has only the addresses of rows; this
/// finds their slabs.
struct ListedSlabs {
    private struct Entry {
        let addresses: Range<UnsafeMutableRawPointer>
        // Unmanaged: the lists retain it.
        let slab: Unmanaged<RowSlab>
        var users: Int
    }

    /// Sorted by address.
    private var entries: ContiguousArray<Entry> = []

    var isEmpty: Bool { entries.isEmpty }

    /// The index of the first entry that ends after an address.
    private func place(_ address: UnsafeMutableRawPointer) -> Int {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].addresses.upperBound <= address { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func insert(_ slab: RowSlab) {
        let addresses = slab.addresses
        let place = place(addresses.lowerBound)
        if place < entries.count, entries[place].addresses == addresses {
            entries[place].users += 1
        } else {
            entries.insert(Entry(addresses: addresses, slab: .passUnretained(slab), users: 1), at: place)
        }
    }

    mutating func remove(_ slab: RowSlab) {
        let place = place(slab.addresses.lowerBound)
        entries[place].users -= 1
        if entries[place].users == 0 { entries.remove(at: place) }
    }

    func slab(of cells: RowCells) -> RowSlab? {
        let place = place(cells.address)
        return place < entries.count && entries[place].addresses.contains(cells.address)
            ? entries[place].slab.takeUnretainedValue() : nil
    }
}
