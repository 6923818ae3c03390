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
            guard registryReference != nil, let relation = relation(relationship) else { return nil }
            noteReading(relation.index)
            guard let target = context.registry.target(self, relation.slot) else { return nil }
            guard let destination = target as? Destination else {
                preconditionFailure(
                    "\(target.entity.name) has another class than \(Destination.self): register it with the coordinator"
                )
            }
            return destination
        }
        set {
            guard let relation = relation(relationship) else { return }
            if let newValue { checkTarget(newValue, relation) }
            context.relationships.setTarget(self, relation, newValue)
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
            guard registryReference != nil, let relation = relation(relationship) else {
                return Members(ManagedObjects(ContiguousArray()))
            }
            noteReading(relation.index)
            return Members(context.members.shownMembers(of: self, relation))
        }
        set {
            guard let relation = relation(relationship) else { return }
            let members = newValue.managedObjects.objects
            for member in members { checkTarget(member, relation) }
            context.relationships.replaceMembers(of: self, relation, by: Array(members))
        }
    }

    /// Adds an object to a to-many relationship, at the end if it is ordered. Does nothing if it is
    /// there already.
    public final func add<Members>(_ object: Members.Member, to relationship: _TypedToMany<Members>) {
        guard let relation = relation(relationship) else { return }
        checkTarget(object, relation)
        context.relationships.add(object, to: self, relation)
    }

    /// Adds objects to a to-many relationship, at the end if it is ordered.
    public final func add<Members>(_ objects: some Sequence<Members.Member>, to relationship: _TypedToMany<Members>) {
        for object in Array(objects) { add(object, to: relationship) }
    }

    /// Inserts an object into an ordered to-many relationship at an index. Traps for an index
    /// beyond the end.
    public final func insert<Members>(_ object: Members.Member, into relationship: _TypedToMany<Members>, at index: Int)
    {
        guard let relation = relation(relationship) else { return }
        precondition(relation.isOrdered, "\(relationship.name) is not ordered: add the object without a place")
        mutableOrderedSetValue(forKey: relationship.name).insert(object, at: index)
    }

    /// Removes an object from a to-many relationship. Does nothing if it is not there.
    public final func remove<Members>(_ object: Members.Member, from relationship: _TypedToMany<Members>) {
        guard let relation = relation(relationship) else { return }
        context.relationships.remove(object, from: self, relation)
    }

    /// Removes objects from a to-many relationship.
    public final func remove<Members>(
        _ objects: some Sequence<Members.Member>, from relationship: _TypedToMany<Members>
    ) {
        for object in Array(objects) { remove(object, from: relationship) }
    }

    /// Fires the fault if necessary, and returns the relationship; nil if the fault can't be fired.
    private final func relation<Destination>(_ relationship: _TypedToOne<Destination>) -> EntityShape.Relation? {
        guard fireFault() else { return nil }
        let place = registry.place(of: relationship.number, named: relationship.name, for: self) { $0.kind == .toOne }
        return shape.relations[Int(place.index)]
    }

    private final func relation<Members>(_ relationship: _TypedToMany<Members>) -> EntityShape.Relation? {
        guard fireFault() else { return nil }
        let place = registry.place(of: relationship.number, named: relationship.name, for: self, \.isToMany)
        return shape.relations[Int(place.index)]
    }
}
