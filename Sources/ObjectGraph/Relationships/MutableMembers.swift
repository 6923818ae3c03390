import Schema

/// A live view of an unordered to-many relationship. Changes of the set change the relationship and
/// its inverse.
public struct MutableObjectSet: Sequence {
    let owner: ManagedObject
    let relationship: EntityShape.Relation

    private var list: MemberList? {
        owner.noteReading(relationship.index)
        return owner.fillForReading() ? owner.context.members.loadedList(owner, relationship) : nil
    }

    /// The number of objects.
    public var count: Int { list?.members.count ?? 0 }
    /// Whether the relationship has no objects.
    public var isEmpty: Bool { count == 0 }
    /// The current objects as a set of their own.
    public var allObjects: Set<ManagedObject> { Set(list?.members ?? []) }

    /// Whether an object is in the relationship.
    public func contains(_ object: ManagedObject) -> Bool { list?.contains(object) ?? false }

    /// Iterates over the current objects, in no particular order.
    public func makeIterator() -> IndexingIterator<ContiguousArray<ManagedObject>> {
        (list?.members ?? []).makeIterator()
    }

    /// Adds an object. Traps if it belongs to another context or to an entity that is not allowed.
    public func add(_ object: ManagedObject) {
        owner.context.relationships.addChecked(object, to: owner, relationship)
    }

    /// Removes an object. Does nothing if it is not in the relationship.
    public func remove(_ object: ManagedObject) {
        owner.context.relationships.remove(object, from: owner, relationship)
    }

    /// Adds objects; see ``add(_:)``.
    public func union(_ objects: some Sequence<ManagedObject>) {
        for object in objects { add(object) }
    }

    /// Removes objects.
    public func minus(_ objects: some Sequence<ManagedObject>) {
        for object in objects { remove(object) }
    }

    /// Removes all objects.
    public func removeAll() {
        minus(allObjects)
    }
}

/// A live view of an ordered to-many relationship. Changes of the collection change the
/// relationship and its inverse.
public struct MutableOrderedObjectSet: RandomAccessCollection {
    let owner: ManagedObject
    let relationship: EntityShape.Relation

    private var members: ContiguousArray<ManagedObject> {
        owner.noteReading(relationship.index)
        return owner.fillForReading() ? owner.context.members.loadedList(owner, relationship).members : []
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }
    public subscript(position: Int) -> ManagedObject { members[position] }

    /// Whether an object is in the relationship. Takes linear time.
    public func contains(_ object: ManagedObject) -> Bool { members.contains { $0 === object } }
    /// The index of an object; nil if it is not in the relationship. Takes linear time.
    public func index(of object: ManagedObject) -> Int? { members.firstIndex { $0 === object } }

    /// Appends an object that is not in the relationship yet. Traps if it belongs to another
    /// context or to an entity that is not allowed.
    public func add(_ object: ManagedObject) {
        owner.context.relationships.addChecked(object, to: owner, relationship)
    }

    /// Inserts an object that is not in the relationship yet at an index. Traps for an index beyond
    /// the end.
    public func insert(_ object: ManagedObject, at index: Int) {
        precondition(index >= 0 && index <= count, "There is no place \(index) among \(count) objects")
        owner.context.relationships.addChecked(object, to: owner, relationship, at: index)
    }

    /// Removes an object. Does nothing if it is not in the relationship.
    public func remove(_ object: ManagedObject) {
        owner.context.relationships.remove(object, from: owner, relationship)
    }

    /// Removes the object at an index. Traps if there is none.
    public func remove(at index: Int) {
        remove(members[index])
    }

    /// Moves the objects at some indexes, in the given order, so that the first one has the index
    /// `index` in the result.
    public func moveObjects(at indexes: [Int], to index: Int) {
        var members = self.members
        let moved = indexes.map { members[$0] }
        let leaving = Set(moved)
        members.removeAll { leaving.contains($0) }
        members.insert(contentsOf: moved, at: Swift.min(index, members.count))
        owner.context.relationships.reorder(owner, relationship, members)
    }

    /// Removes all objects.
    public func removeAll() {
        for object in members.reversed() { remove(object) }
    }
}

extension ManagedObject {
    /// A live view of an unordered to-many relationship. Traps if the entity has no such
    /// relationship.
    @_disfavoredOverload
    public final func mutableSetValue(forKey key: String) -> MutableObjectSet {
        let relation = relation(named: key)
        precondition(relation.isToMany && !relation.isOrdered, "\(key) is not an unordered to-many relationship")
        return MutableObjectSet(owner: self, relationship: relation)
    }

    /// A live view of an ordered to-many relationship. Traps if the entity has no such
    /// relationship.
    @_disfavoredOverload
    public final func mutableOrderedSetValue(forKey key: String) -> MutableOrderedObjectSet {
        let relation = relation(named: key)
        precondition(relation.isToMany && relation.isOrdered, "\(key) is not an ordered to-many relationship")
        return MutableOrderedObjectSet(owner: self, relationship: relation)
    }
}
