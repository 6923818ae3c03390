import RowMemory
import Schema

extension ManagedObject {
    /// The object of a to-one relationship that the class declares. Setting it sets the inverse,
    /// too.
    ///
    /// The object is a fault if it is not registered yet. Traps if the entity of this object has no
    /// such relationship.
    public final subscript<Destination>(relationship: _TypedToOne<Destination>) -> Destination? {
        get {
            guard registryReference != nil, let relation = relationship.relation(of: self) else { return nil }
            noteReading(relation.index)
            return registry.target(self, relation.slot, as: Destination.self)
        }
        set {
            guard let relation = relationship.relation(of: self) else { return }
            context.relationships.setCheckedTarget(self, relation, newValue)
        }
    }

    /// The objects of a to-many relationship that the class declares. Setting them sets the
    /// inverses, too.
    ///
    /// Takes time linear in the number of objects; `add(_:to:)` and `remove(_:from:)` change
    /// single objects. The first access takes one query of the store, which reads the relationship
    /// for all objects of the same fetch. Traps if the entity of this object has no such
    /// relationship.
    public final subscript<Members>(relationship: _TypedToMany<Members>) -> Members {
        get {
            guard registryReference != nil, let relation = relationship.relation(of: self) else {
                return Members(ManagedObjects(ContiguousArray()))
            }
            noteReading(relation.index)
            return Members(context.members.shownMembers(of: self, relation))
        }
        set {
            guard let relation = relationship.relation(of: self) else { return }
            context.relationships.setCheckedMembers(self, relation, newValue.managedObjects.objects)
        }
    }

    /// Adds an object to a to-many relationship, at the end if it is ordered. Does nothing if it is
    /// there already.
    public final func add<Members>(_ object: Members.Member, to relationship: _TypedToMany<Members>) {
        guard let relation = relationship.relation(of: self) else { return }
        context.relationships.addChecked(object, to: self, relation)
    }

    /// Adds objects to a to-many relationship, at the end if it is ordered.
    public final func add<Members>(_ objects: some Sequence<Members.Member>, to relationship: _TypedToMany<Members>) {
        for object in Array(objects) { add(object, to: relationship) }
    }

    /// Inserts an object into an ordered to-many relationship at an index. Traps for an index
    /// beyond the end.
    public final func insert<Members>(_ object: Members.Member, into relationship: _TypedToMany<Members>, at index: Int)
    {
        guard let relation = relationship.relation(of: self) else { return }
        precondition(relation.isOrdered, "\(relationship.name) is not ordered: add the object without a place")
        mutableOrderedSetValue(forKey: relationship.name).insert(object, at: index)
    }

    /// Removes an object from a to-many relationship. Does nothing if it is not there.
    public final func remove<Members>(_ object: Members.Member, from relationship: _TypedToMany<Members>) {
        guard let relation = relationship.relation(of: self) else { return }
        context.relationships.remove(object, from: self, relation)
    }

    /// Removes objects from a to-many relationship.
    public final func remove<Members>(
        _ objects: some Sequence<Members.Member>, from relationship: _TypedToMany<Members>
    ) {
        for object in Array(objects) { remove(object, from: relationship) }
    }
}
