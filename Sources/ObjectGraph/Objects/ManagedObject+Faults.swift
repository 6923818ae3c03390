public import Query
import RowMemory
public import Schema

extension ManagedObject {
    /// Fires the fault if the object is one. Returns false if it can't be fired.
    @discardableResult
    final func fireFault() -> Bool {
        if !state.isFault { return true }
        // The fast path when iterating over many objects whose rows are present: without observers
        // and hooks, nothing has to be called or retained.
        if cells != nil, let registryReference,
            registryReference._withUnsafeGuaranteedRef({ $0.registrars == nil && $0.isPlain[Int(entityIndex)] })
        {
            state.remove(.fault)
            return true
        }
        return context.faults.fulfill(self)
    }

    /// Fires the fault before a read. Returns false if it can't be fired, and for an object without
    /// a context, which has no values.
    final func fillForReading() -> Bool { registryReference != nil && fireFault() }

    /// Throws if the object has no context.
    final func checkContext() throws(GraphError) {
        if registryReference == nil { throw .noContext }
    }

    /// Whether a to-many relationship has not been read yet, or for a to-one relationship, whether
    /// the object is a fault. True for an object without a context. Reads nothing from the store.
    /// Traps if the entity has no such relationship.
    public final func hasFault(forRelationshipNamed key: String) -> Bool {
        guard registryReference != nil else { return true }
        let relation = relation(named: key)
        noteReading(relation.isToMany ? relation.index : -1)
        guard relation.isToMany else { return state.isFault }
        // A prefetch can have loaded the members of an object that is still a fault.
        if let list = existingList(relation) { return !list.isLoaded }
        return state.isFault || !state.contains(.inserted)
    }

    /// The IDs of the objects of a relationship, without reading these objects. Traps if the entity
    /// has no such relationship.
    public final func objectIDs(forRelationshipNamed key: String) -> [ManagedObjectID] {
        guard registryReference != nil else { return [] }
        let relation = relation(named: key)
        noteReading(relation.index)
        guard fireFault() else { return [] }
        if relation.isToMany { return context.members.loadedList(self, relation).members.map(\.objectID) }
        return row.reference(relation.slot).map { [context.lookup.objectID(key: $0.key, entityIndex: $0.entityIndex)] }
            ?? []
    }

    final func relation(named key: String) -> EntityShape.Relation {
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key), let relation = shape.relations[index] else {
            preconditionFailure(GraphError.unknownKey(key, of: shape.entity, kind: "relationship").message)
        }
        return relation
    }

    final func existingList(_ relation: EntityShape.Relation) -> MemberList? {
        // Only the object graph sets to-many slots, and only to a `MemberList`.
        optionalRow?.members(relation.slot).map { unsafeDowncast($0, to: MemberList.self) }
    }
}

// Members of a protocol's extension, so that a subclass of an application may have members of the
// same names.
extension KeyPathNaming where Self: ManagedObject {
    /// Fires the fault if the object is one, that is, reads its values from the store.
    ///
    /// - Throws: ``GraphError`` with code `objectNotFound` if the object does not exist in the
    ///   store or has no context; errors of the store.
    public func fulfillFault() throws {
        try checkContext()
        if state.isFault { try context.faults.fulfillFault(self) }
    }
}
