import RowMemory
import Storage

/// Finds the object of a number.
///
/// Invariants:
/// 1. An object is in its context's map as long as it lives and has a context; its deinit takes it out. So no reference here is to a dead object.
/// 2. A number without an object may have a row instead, which ``MemberRows`` hold: its address with the lowest bit set. They take it out when they go.
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

    @inline(__always) private static func isRow(_ entry: UnsafeMutableRawPointer) -> Bool { UInt(bitPattern: entry) & 1 != 0 }

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

    /// Makes a row stand for its number; false where something does already.
    @inline(__always)
    func list(_ cells: RowCells) -> Bool {
        guard index[cells.key] == nil else { return false }
        index[cells.key] = cells.address + 1
        return true
    }

    /// Lets an object that stands on a row of a list go, and stand on another one.
    @inline(__always)
    func move(_ object: ManagedObject, to slab: RowSlab, _ cells: RowCells) {
        if let old = object.cells { index[object.key] = old.address + 1 }
        object.key = cells.key
        object.cells = cells
        if object.slab !== slab { object.slab = slab }
        index[object.key] = Unmanaged.passUnretained(object).toOpaque()
    }

    /// Lets a row that is about to go stand for its number no longer; an object on it holds its slab by itself.
    @inline(__always)
    func unlist(_ cells: RowCells) {
        guard let entry = index[cells.key] else { return }
        if entry == cells.address + 1 {
            index[cells.key] = nil
        } else if !Self.isRow(entry) {
            Unmanaged<ManagedObject>.fromOpaque(entry)._withUnsafeGuaranteedRef { if $0.cells?.address == cells.address { $0.isListed = false } }
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
        index.forEach { if !Self.isRow($0) { objects.append(Unmanaged<ManagedObject>.fromOpaque($0).takeUnretainedValue()) } }
        return objects
    }

    func removeAll() {
        index.removeAll()
        count = 0
        known = KnownKeys()
    }
}
