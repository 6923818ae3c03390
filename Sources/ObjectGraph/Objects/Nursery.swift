import RowMemory

/// Where the rows of new objects are born: slabs by entity.
struct Nursery {
    private static let largestSlab = 512
    private var slabs: [Int: RowSlab] = [:]
    // The last entity's slab is at hand: objects are mostly inserted one kind after the other.
    private var current: RowSlab?
    private var source = SlabSource()
    /// What the allocator takes for an object of a class without fields of its own.
    private static let objectSize = 64

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
        // Each row gets an object.
        if slab.capacity == Self.largestSlab { HeapRoom.prepare(slab.capacity * Self.objectSize) }
        slabs[layout.entityIndex] = slab
        return slab
    }
}

/// Permanent keys by temporary ones. These are dense, so a list does; it begins at the first that was noted.
struct PermanentKeys {
    private var keys: ContiguousArray<Int64> = []
    private var first: Int64 = 0
    /// Where objects went that were given one number, and became objects of the store with another.
    private var moved: [Place: Int64] = [:]

    private struct Place: Hashable {
        let root: Int
        let key: Int64
    }

    var isUsed: Bool { !keys.isEmpty || !moved.isEmpty }

    /// The number that counts now for one that was written down earlier; nil where it is the same.
    func current(_ key: Int64, root: Int) -> Int64? {
        let permanent = key < 0 ? self[key] : nil
        return moved[Place(root: root, key: permanent ?? key)] ?? permanent
    }

    mutating func move(_ key: Int64, to other: Int64, root: Int) {
        for (place, target) in moved where place.root == root && target == key { moved[place] = other }
        moved[Place(root: root, key: key)] = other
    }

    subscript(temporary: Int64) -> Int64? {
        let place = -temporary - first
        guard place >= 0, place < keys.count, keys[Int(place)] != 0 else { return nil }
        return keys[Int(place)]
    }

    mutating func set(_ key: Int64, for temporary: Int64) {
        if keys.isEmpty { first = -temporary }
        if -temporary < first {
            keys.insert(contentsOf: repeatElement(0, count: Int(first + temporary)), at: 0)
            first = -temporary
        }
        let place = Int(-temporary - first)
        if place == keys.count { keys.append(key); return }
        while keys.count <= place { keys.append(0) }
        keys[place] = key
    }
}

/// A few objects that are held for a while.
struct RecentObjects {
    private static let capacity = 1024
    private var objects: ContiguousArray<ManagedObject> = []
    private var next = 0

    mutating func hold(_ object: ManagedObject) {
        if objects.count < Self.capacity {
            objects.append(object)
        } else {
            objects[next] = object
            next = (next + 1) % Self.capacity
        }
    }

    mutating func removeAll() {
        self = RecentObjects()
    }
}
