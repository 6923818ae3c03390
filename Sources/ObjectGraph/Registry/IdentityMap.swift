import RowMemory
import Storage

/// Finds the object of a number.
///
/// Invariants:
/// 1. An object is in its context's map as long as it lives and has a context; its deinit takes it
///    out. So no reference here is to a dead object.
/// 2. A number without an object may have a row instead, which ``MemberRows`` hold: its address
///    with the lowest bit set. They take it out when they go.
final class IdentityMap {
    private let index = PagedIndex()
    /// The slabs of the rows of invariant 2.
    @exclusivity(unchecked) var listedSlabs = ListedSlabs()
    @exclusivity(unchecked) private(set) var count = 0
    /// Which of them have a row.
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

    /// Takes out an object that goes. A row of a list on which it stood stays known.
    @inline(__always)
    func forget(_ object: ManagedObject) {
        remove(object.key)
        if object.isListed, let cells = object.cells { index[object.key] = cells.address + 1 }
    }

    // MARK: Rows of lists

    /// The row that stands for a number.
    @inline(__always)
    func listedRow(_ key: Int64) -> RowCells? {
        guard let entry = index[key], Self.isRow(entry) else { return nil }
        return RowCells(at: entry - 1)
    }

    /// Whether a row of a list stands for its number.
    @inline(__always)
    func lists(_ cells: RowCells) -> Bool { index[cells.key] == cells.address + 1 }

    /// Makes rows that follow one another in a slab stand for their numbers, up to the first whose
    /// number something stands for already.
    /// - Returns: How many there are before that.
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

    /// Rows whose numbers follow one another: none of them has to be looked at.
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

    /// Lets an object that stands on a row of a list, and that nobody has, go and stand on another
    /// one, if that stands for its number; false otherwise.
    ///
    /// Nothing is held for it: whoever calls holds both slabs.
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

    /// Lets the first rows of a run, which are about to go, stand for their numbers no longer;
    /// objects on them hold the slab by themselves.
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

    /// Lets no row stand for its number any more: their lists read them again.
    func unlistAll() {
        for key in listedKeys { index[key] = nil }
    }

    /// The numbers for which rows stand. Costs a look at all there is.
    var listedKeys: ContiguousArray<Int64> {
        var keys: ContiguousArray<Int64> = []
        index.forEach { if Self.isRow($0) { keys.append(RowCells(at: $0 - 1).key) } }
        return keys
    }

    /// Notes that an object has no row any more.
    func forgetValues(_ key: Int64) { known.remove(key) }

    /// How many objects there is room for: as many as there were at one time, or somewhat more.
    var capacity: Int { index.capacity }

    /// All objects, each held.
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
