import RowMemory

/// The rows of an entity and all its descendants, by primary key.
///
/// Invariants:
/// 1. `keys` is strictly ascending; `rows` is parallel to it.
/// 2. A nil row is an entry that was emptied, or was never filled because a save failed.
/// 3. Rows are never changed once they are here: a change replaces the row.
struct HierarchyRows {
    private var keys: ContiguousArray<Int64> = []
    private var rows: ContiguousArray<Row?> = []
    private(set) var count = 0

    var greatestKey: Int64 { keys.last ?? 0 }

    subscript(key: Int64) -> Row? {
        place(of: key).flatMap { rows[$0] }
    }

    /// Calls `body` with the rows in primary key order, starting after `key`.
    func forEach(after key: Int64? = nil, _ body: (Row) throws -> Void) rethrows {
        let start = key.map { firstPlace(behind: $0) } ?? 0
        for row in rows[start...] { if let row { try body(row) } }
    }

    private func firstPlace(behind key: Int64) -> Int {
        if let place = place(of: key) { return place + 1 }
        return lowerBound(of: key)
    }

    func reserveCapacity(_ count: Int) -> HierarchyRows {
        var copy = self
        copy.keys.reserveCapacity(count)
        copy.rows.reserveCapacity(count)
        return copy
    }

    /// Replaces the row of a key, or removes it, and returns the old row. `isPlaced` is false if
    /// the key has no entry yet.
    mutating func exchange(_ row: Row?, for key: Int64) -> (old: Row?, isPlaced: Bool) {
        guard let place = place(of: key) else { return (nil, row == nil) }
        let old = rows[place]
        rows[place] = row
        count += (row == nil ? 0 : 1) - (old == nil ? 0 : 1)
        return (old, true)
    }

    /// Inserts rows whose keys have no entry, in ascending order of their keys.
    mutating func insert(_ new: [(key: Int64, row: Row)]) {
        guard let first = new.first else { return }
        count += new.count
        if first.key > greatestKey || keys.isEmpty {
            for (key, row) in new { append(key, row) }
            return
        }
        let (oldKeys, oldRows) = (keys, rows)
        keys = []
        rows = []
        keys.reserveCapacity(oldKeys.count + new.count)
        rows.reserveCapacity(oldKeys.count + new.count)
        var next = 0
        for place in oldKeys.indices {
            while next < new.count, new[next].key < oldKeys[place] {
                append(new[next].key, new[next].row)
                next += 1
            }
            append(oldKeys[place], oldRows[place])
        }
        for (key, row) in new[next...] { append(key, row) }
    }

    /// Appends all rows of some slabs, whose keys ascend and are greater than all others; returns
    /// their number.
    mutating func append(_ slabs: ContiguousArray<RowSlab>) -> Int {
        let new = slabs.reduce(0) { $0 + $1.count }
        if new > keys.count {
            keys.reserveCapacity(keys.count + new)
            rows.reserveCapacity(keys.count + new)
        }
        for slab in slabs {
            slab.forEachRow(0..<slab.count) { cells in
                append(cells.key, Row(slab: slab, cells: cells))
                return true
            }
        }
        count += new
        return new
    }

    /// Removes the last entries, all of which have a row.
    mutating func removeLast(_ number: Int) {
        keys.removeLast(number)
        rows.removeLast(number)
        count -= number
    }

    /// Removes the emptied entries once they are more than half of all.
    mutating func removeEmptyPlaces() {
        guard keys.count > 64, count < keys.count / 2 else { return }
        let (oldKeys, oldRows) = (keys, rows)
        keys = []
        rows = []
        for place in oldKeys.indices where oldRows[place] != nil { append(oldKeys[place], oldRows[place]) }
    }

    private mutating func append(_ key: Int64, _ row: Row?) {
        keys.append(key)
        rows.append(row)
    }

    private func place(of key: Int64) -> Int? {
        guard let first = keys.first else { return nil }
        // Primary keys are usually consecutive.
        let (guess, overflow) = key.subtractingReportingOverflow(first)
        if !overflow, guess >= 0, guess < Int64(keys.count), keys[Int(guess)] == key { return Int(guess) }
        let place = lowerBound(of: key)
        return place < keys.count && keys[place] == key ? place : nil
    }

    /// The first index with this key or a greater one.
    private func lowerBound(of key: Int64) -> Int {
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
