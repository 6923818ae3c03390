import Schema

/// A live view of an unordered to-many relationship: what is done to it is done to the object,
/// inverse included.
public struct MutableObjectSet: Sequence {
    let owner: ManagedObject
    let relationship: EntityShape.Relation

    private var list: MemberList? {
        owner.noteReading(relationship.index)
        return owner.fillForReading() ? owner.context.members.loadedList(owner, relationship) : nil
    }

    public var count: Int { list?.members.count ?? 0 }
    public var isEmpty: Bool { count == 0 }
    public var allObjects: Set<ManagedObject> { Set(list?.members ?? []) }

    public func contains(_ object: ManagedObject) -> Bool { list?.contains(object) ?? false }

    public func makeIterator() -> IndexingIterator<ContiguousArray<ManagedObject>> {
        (list?.members ?? []).makeIterator()
    }

    /// Traps if the object is of another context or of an entity that can't be there.
    public func add(_ object: ManagedObject) {
        owner.checkTarget(object, relationship)
        owner.context.relationships.add(object, to: owner, relationship)
    }

    public func remove(_ object: ManagedObject) {
        owner.context.relationships.remove(object, from: owner, relationship)
    }

    public func union(_ objects: some Sequence<ManagedObject>) {
        for object in objects { add(object) }
    }

    public func minus(_ objects: some Sequence<ManagedObject>) {
        for object in objects { remove(object) }
    }

    public func removeAll() {
        minus(allObjects)
    }
}

/// A live view of an ordered to-many relationship: what is done to it is done to the object,
/// inverse included.
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

    public func contains(_ object: ManagedObject) -> Bool { members.contains { $0 === object } }
    public func index(of object: ManagedObject) -> Int? { members.firstIndex { $0 === object } }

    /// Adds an object at the end, if it is not there. Traps if it is of another context or of an
    /// entity that can't be there.
    public func add(_ object: ManagedObject) {
        owner.checkTarget(object, relationship)
        owner.context.relationships.add(object, to: owner, relationship)
    }

    /// Adds an object at a place, if it is not there.
    public func insert(_ object: ManagedObject, at index: Int) {
        precondition(index >= 0 && index <= count, "There is no place \(index) among \(count) objects")
        owner.checkTarget(object, relationship)
        owner.context.relationships.add(object, to: owner, relationship, at: index)
    }

    public func remove(_ object: ManagedObject) {
        owner.context.relationships.remove(object, from: owner, relationship)
    }

    public func remove(at index: Int) {
        remove(members[index])
    }

    /// Moves the objects at some places, in their order, such that the first of them stands at
    /// `index` of the result.
    public func moveObjects(at indexes: [Int], to index: Int) {
        var members = self.members
        let moved = indexes.map { members[$0] }
        let leaving = Set(moved)
        members.removeAll { leaving.contains($0) }
        members.insert(contentsOf: moved, at: Swift.min(index, members.count))
        owner.context.relationships.reorder(owner, relationship, members)
    }

    public func removeAll() {
        for object in members.reversed() { remove(object) }
    }
}

extension ManagedObject {
    /// A live view of an unordered to-many relationship. Traps if there is no such relationship.
    public final func mutableSetValue(forKey key: String) -> MutableObjectSet {
        let relation = relation(named: key)
        precondition(relation.isToMany && !relation.isOrdered, "\(key) is not an unordered to-many relationship")
        return MutableObjectSet(owner: self, relationship: relation)
    }

    /// A live view of an ordered to-many relationship. Traps if there is no such relationship.
    public final func mutableOrderedSetValue(forKey key: String) -> MutableOrderedObjectSet {
        let relation = relation(named: key)
        precondition(relation.isToMany && relation.isOrdered, "\(key) is not an ordered to-many relationship")
        return MutableOrderedObjectSet(owner: self, relationship: relation)
    }
}
