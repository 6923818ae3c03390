import RowMemory
import Storage

/// Finds the object of a number.
///
/// Invariants:
/// 1. An object is in its context's map as long as it lives and has a context; its deinit takes it out. So no reference here is to a dead object.
final class IdentityMap {
    private let index = PagedIndex()
    @exclusivity(unchecked) private(set) var count = 0
    /// Which of them have a row.
    @exclusivity(unchecked) var known = KnownKeys()

    /// Keys are not negative.
    @inline(__always)
    func object(_ key: Int64) -> ManagedObject? {
        index[key].map { Unmanaged<ManagedObject>.fromOpaque($0).takeUnretainedValue() }
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

    /// Notes that an object has no row any more.
    func forgetValues(_ key: Int64) { known.remove(key) }

    /// How many objects there is room for: as many as there were at one time, or somewhat more.
    var capacity: Int { index.capacity }

    /// All objects, each held.
    var objects: ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        objects.reserveCapacity(count)
        index.forEach { objects.append(Unmanaged<ManagedObject>.fromOpaque($0).takeUnretainedValue()) }
        return objects
    }

    func removeAll() {
        index.removeAll()
        count = 0
        known = KnownKeys()
    }
}
