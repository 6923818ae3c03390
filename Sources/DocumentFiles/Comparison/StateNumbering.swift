/// How the primary keys of one state of a document differ from those of a state that it came from:
/// a merge gives new objects of the other side other keys where it has to.
package struct StateNumbering: Sendable, Hashable {
    /// An object whose key differs.
    package struct Moved: Sendable, Hashable {
        /// The name of the root of the entity's hierarchy, in which keys are unique.
        package var root: String
        /// The key in the older state.
        package var base: Int64
        /// The key in this state.
        package var here: Int64

        package init(root: String, base: Int64, here: Int64) {
            self.root = root
            self.base = base
            self.here = here
        }
    }

    private struct Key: Hashable {
        let root: String
        let number: Int64
    }

    package let moved: [Moved]
    private var fromHere: [Key: Int64] = [:]
    private var fromBase: [Key: Int64] = [:]

    package init(_ moved: [Moved] = []) {
        self.moved = moved.filter { $0.base != $0.here }
        for object in self.moved {
            fromHere[Key(root: object.root, number: object.here)] = object.base
            fromBase[Key(root: object.root, number: object.base)] = object.here
        }
    }

    package var isIdentity: Bool { moved.isEmpty }

    /// What the base calls an object of this state. A new object whose key the base uses for
    /// another one gets the negative of its key.
    package func canonical(_ number: Int64, root: String) -> Int64 {
        if isIdentity { return number }
        if let base = fromHere[Key(root: root, number: number)] { return base }
        return fromBase[Key(root: root, number: number)] == nil ? number : -number
    }

    /// The key in this state of what the base calls by a number.
    package func actual(_ number: Int64, root: String) -> Int64 {
        if number < 0 { return -number }
        return isIdentity ? number : fromBase[Key(root: root, number: number)] ?? number
    }

    /// Whether the rows of this key in the two states are of different objects.
    func differs(_ number: Int64, root: String) -> Bool {
        let key = Key(root: root, number: number)
        return fromHere[key] != nil || fromBase[key] != nil
    }

    /// What the base calls the objects of a hierarchy that `differs` is true for.
    func names(root: String) -> [Int64] {
        var names: Set<Int64> = []
        for object in moved where object.root == root {
            names.insert(object.base)
            // What has this key in the base, and what has that key here.
            names.insert(canonical(object.base, root: root))
            if fromBase[Key(root: root, number: object.here)] == nil { names.insert(object.here) }
        }
        return names.sorted()
    }
}
