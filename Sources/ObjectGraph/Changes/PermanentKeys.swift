/// Permanent keys by temporary ones. These are dense, so a list does; it begins at the first that
/// was noted.
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
