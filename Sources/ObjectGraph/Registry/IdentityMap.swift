import RowMemory
import Storage

/// Maps primary keys to objects.
///
/// Invariants:
/// 1. An object is in the map of its context as long as it exists and has a context. Its deinit
///    removes it, so the map has no dangling references.
/// 2. A primary key without an object may have a row instead, which ``MemberRows`` retain. Its
///    entry is the address of the row with the lowest bit set. ``MemberRows`` remove it when they
///    are released.
final class IdentityMap {
    private let index = PagedIndex()
    /// The slabs of the rows in invariant 2.
    @exclusivity(unchecked) var listedSlabs = ListedSlabs()
    @exclusivity(unchecked) private(set) var count = 0
    /// The keys of the objects that have a row.
    @exclusivity(unchecked) var known = KnownKeys()

    /// Keys are not negative.
    @inline(__always)
    func object(_ key: Int64) -> ManagedObject? {
        guard let entry = index[key], !Self.isRow(entry) else { return nil }
        return Unmanaged<ManagedObject>.fromOpaque(entry).takeUnretainedValue()
    }

    @inline(__always) private static func isRow(_ entry: UnsafeMutableRawPointer) -> Bool {
        UInt(bitPattern: entry) & 1 != 0
    }

    @inline(__always)
    func insert(_ object: ManagedObject, _ key: Int64) {
        index[key] = Unmanaged.passUnretained(object).toOpaque()
        count += 1
    }

    @inline(__always)
    func remove(_ key: Int64) {
        index[key] = nil
        count -= 1
        known.remove(key)
    }

    /// Removes an object that is being released. If it used a listed row, the row is entered in its
    /// place.
    @inline(__always)
    func forget(_ object: ManagedObject) {
        remove(object.key)
        if object.isListed, let cells = object.cells { index[object.key] = cells.address + 1 }
    }

    // MARK: Rows of lists

    /// The listed row of a primary key, if it has no object.
    @inline(__always)
    func listedRow(_ key: Int64) -> RowCells? {
        guard let entry = index[key], Self.isRow(entry) else { return nil }
        return RowCells(at: entry - 1)
    }

    /// Whether the entry of the row's primary key is this row.
    @inline(__always)
    func lists(_ cells: RowCells) -> Bool { index[cells.key] == cells.address + 1 }

    /// Enters consecutive rows of a slab under their primary keys, up to the first key that already
    /// has an entry.
    /// - Returns: The number of rows entered.
    func list(_ run: RowRun) -> Int {
        let rows = run.first..<(run.first + run.count)
        if let keys = run.slab.consecutiveKeys(of: rows) { return list(keys, run.slab.addresses(of: rows)) }
        var last = PagedIndex.LastPage(), listed = 0
        run.slab.forEachRow(run.first..<(run.first + run.count)) { cells in
            let entry = index.allocatedPosition(cells.key, &last)
            guard entry.pointee == nil else { return false }
            entry.pointee = cells.address + 1
            listed += 1
            return true
        }
        return listed
    }

    /// Rows with consecutive primary keys, which can be entered without reading each row.
    private func list(_ keys: Range<Int64>, _ rows: (first: UnsafeMutableRawPointer, stride: Int)) -> Int {
        var listed = 0
        index.forEachPiece(of: keys, makesPages: true) { places, start in
            let free = places.firstIndex { $0 != nil } ?? places.count
            var entry = rows.first + start * rows.stride + 1
            for place in 0..<free {
                places[place] = entry
                entry += rows.stride
            }
            listed += free
            return free == places.count
        }
        return listed
    }

    /// Reuses an object on a listed row, which has no other references, for another listed row.
    /// Returns false if the other row is not the entry of its primary key.
    ///
    /// Retains nothing: the caller retains both slabs.
    @inline(__always)
    func move(_ object: ManagedObject, to slab: Unmanaged<RowSlab>, _ cells: RowCells) -> Bool {
        guard lists(cells) else { return false }
        object.releaseMembers()
        if let old = object.cells { index[object.key] = old.address + 1 }
        object.key = cells.key
        object.cells = cells
        slab._withUnsafeGuaranteedRef { if object.slab !== $0 { object.slab = $0 } }
        object.state = .fault
        index[cells.key] = Unmanaged.passUnretained(object).toOpaque()
        return true
    }

    /// Removes the entries of the first rows of a run, which are about to be released. Objects on
    /// them retain the slab themselves.
    func unlist(_ run: RowRun, count: Int) {
        let rows = run.first..<(run.first + count)
        if let keys = run.slab.consecutiveKeys(of: rows) {
            let (first, stride) = run.slab.addresses(of: rows)
            return index.forEachPiece(of: keys, makesPages: false) { places, start in
                var row = first + start * stride
                for place in 0..<places.count {
                    unlist(row, &places[place])
                    row += stride
                }
                return true
            }
        }
        var last = PagedIndex.LastPage()
        run.slab.forEachRow(rows) { cells in
            if let entry = index.place(cells.key, &last) { unlist(cells.address, &entry.pointee) }
            return true
        }
    }

    @inline(__always) private func unlist(_ row: UnsafeMutableRawPointer, _ entry: inout UnsafeMutableRawPointer?) {
        guard let found = entry else { return }
        if found == row + 1 {
            entry = nil
        } else if !Self.isRow(found) {
            Unmanaged<ManagedObject>.fromOpaque(found)._withUnsafeGuaranteedRef {
                if $0.cells?.address == row { $0.isListed = false }
            }
        }
    }

    /// Removes the entries of all rows. Lists that use them read them again.
    func unlistAll() {
        for key in listedKeys { index[key] = nil }
    }

    /// The primary keys whose entries are rows. Takes time linear in the size of the index.
    var listedKeys: ContiguousArray<Int64> {
        var keys: ContiguousArray<Int64> = []
        index.forEach { if Self.isRow($0) { keys.append(RowCells(at: $0 - 1).key) } }
        return keys
    }

    /// Records that an object no longer has a row.
    func forgetValues(_ key: Int64) { known.remove(key) }

    /// The number of objects that the map has memory for: at least the largest number so far.
    var capacity: Int { index.capacity }

    /// All objects, retained.
    var objects: ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        objects.reserveCapacity(count)
        index.forEach {
            if !Self.isRow($0) { objects.append(Unmanaged<ManagedObject>.fromOpaque($0).takeUnretainedValue()) }
        }
        return objects
    }

    func removeAll() {
        index.removeAll()
        count = 0
        known = KnownKeys()
    }
}
