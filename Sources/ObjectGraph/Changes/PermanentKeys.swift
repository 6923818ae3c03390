/// Maps temporary primary keys to permanent ones. Temporary keys are dense, so the keys are in an
/// array that begins at the first recorded one.
struct PermanentKeys {
    private var keys: ContiguousArray<Int64> = []
    private var first: Int64 = 0
    /// The new primary keys of objects whose assigned primary key was replaced by another.
    private var moved: [Place: Int64] = [:]

    private struct Place: Hashable {
        let root: Int
        let key: Int64
    }

    var isUsed: Bool { !keys.isEmpty || !moved.isEmpty }

    /// The current primary key for a key that was recorded earlier; nil if it is unchanged.
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
