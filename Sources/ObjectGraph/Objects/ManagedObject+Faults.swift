import RowMemory
public import Schema

extension ManagedObject {
    /// Fills the object if it is a fault; false if it can't be filled.
    @discardableResult
    final func fireFault() -> Bool {
        if !state.isFault { return true }
        // What walking through many objects does with each: nobody is told, and nothing is held for
        // it.
        if cells != nil, let registryReference,
            registryReference._withUnsafeGuaranteedRef({ $0.registrars == nil && $0.isPlain[Int(entityIndex)] })
        {
            state.remove(.fault)
            return true
        }
        return context.faults.fulfill(self)
    }

    /// Fills the object for reading; false if it can't be filled, and for an object without a
    /// context, which has no values.
    final func fillForReading() -> Bool { registryReference != nil && fireFault() }

    /// Throws for an object that has no context any more.
    final func checkContext() throws(GraphError) {
        if registryReference == nil { throw .noContext }
    }

    /// Fills the object if it is a fault.
    /// - Throws: ``GraphError`` with code `objectNotFound` where the store has no such object, or
    ///   this one has no context any more, and what reading the store throws.
    public final func realise() throws {
        try checkContext()
        if state.isFault { try context.faults.realise(self) }
    }

    /// Tells that a value is about to be read: fills the object. Nil stands for any key.
    public final func willAccessValue(forKey key: String?) {
        _ = fillForReading()
    }

    /// Whether a to-many relationship has not been read yet; true for an object without a context.
    /// Reads nothing. Traps if there is no such relationship.
    public final func hasFault(forRelationshipNamed key: String) -> Bool {
        guard registryReference != nil else { return true }
        let relation = relation(named: key)
        noteReading(relation.isToMany ? relation.index : -1)
        guard relation.isToMany else { return state.isFault }
        // What a prefetch brought is there, whether the object itself was looked at or not.
        if let list = existingList(relation) { return !list.isLoaded }
        return state.isFault || !state.contains(.inserted)
    }

    /// The IDs of a relationship's objects; these are not filled. Traps if there is no such
    /// relationship.
    public final func objectIDs(forRelationshipNamed key: String) -> [ManagedObjectID] {
        guard registryReference != nil else { return [] }
        let relation = relation(named: key)
        noteReading(relation.index)
        guard fireFault() else { return [] }
        if relation.isToMany { return context.members.loadedList(self, relation).members.map(\.objectID) }
        return row.reference(relation.slot).map { [context.objectID(key: $0.key, entityIndex: $0.entityIndex)] } ?? []
    }

    final func relation(named key: String) -> EntityShape.Relation {
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key), let relation = shape.relations[index] else {
            preconditionFailure(GraphError.unknownKey(key, of: shape.entity, kind: "relationship").message)
        }
        return relation
    }

    final func existingList(_ relation: EntityShape.Relation) -> MemberList? {
        // The graph alone fills to-many slots, and with nothing else.
        optionalRow?.members(relation.slot).map { unsafeDowncast($0, to: MemberList.self) }
    }
}
