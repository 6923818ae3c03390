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

    /// A key in a hierarchy.
    package struct Key: Sendable, Hashable {
        let root: String
        package let number: Int64

        package init(root: String, number: Int64) {
            self.root = root
            self.number = number
        }
    }

    package let moved: [Moved]
    /// Keys that this state has given to other objects than the base; it lacks those of the base.
    private var givenAgain: Set<Key> = []
    private var fromHere: [Key: Int64] = [:]
    private var fromBase: [Key: Int64] = [:]

    package init(_ moved: [Moved] = []) {
        self.moved = moved.filter { $0.base != $0.here }
        for object in self.moved {
            fromHere[Key(root: object.root, number: object.here)] = object.base
            fromBase[Key(root: object.root, number: object.base)] = object.here
        }
    }

    package var isIdentity: Bool { moved.isEmpty && givenAgain.isEmpty }

    /// The same where this state has some keys of the base for objects of its own.
    package func givingAgain(_ keys: Set<Key>) -> StateNumbering {
        var numbering = self
        numbering.givenAgain.formUnion(keys)
        return numbering
    }

    /// Whether this state has a key of the base for an object of its own.
    package func isGivenAgain(_ number: Int64, root: String) -> Bool {
        !givenAgain.isEmpty && givenAgain.contains(Key(root: root, number: number))
    }

    /// What the base calls an object of this state. A new object whose key the base uses for
    /// another one gets the negative of its key.
    package func canonical(_ number: Int64, root: String) -> Int64 {
        if isIdentity { return number }
        let key = Key(root: root, number: number)
        if let base = fromHere[key] { return base }
        return fromBase[key] == nil && !givenAgain.contains(key) ? number : -number
    }

    /// The key in this state of what the base calls by a number.
    package func actual(_ number: Int64, root: String) -> Int64 {
        if number < 0 { return -number }
        return isIdentity ? number : fromBase[Key(root: root, number: number)] ?? number
    }

    /// Whether the rows of this key in the two states are of different objects.
    package func differs(_ number: Int64, root: String) -> Bool {
        let key = Key(root: root, number: number)
        return fromHere[key] != nil || fromBase[key] != nil || givenAgain.contains(key)
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
        for key in givenAgain where key.root == root {
            names.formUnion([key.number, canonical(key.number, root: root)])
        }
        return names.sorted()
    }
}
