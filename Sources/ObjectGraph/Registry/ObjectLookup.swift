package import Schema
import RowMemory
import Storage

/// Finds the objects of a context by their IDs, and the IDs of objects.
package struct ObjectLookup {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    // MARK: Objects of IDs

    /// What ``ManagedObjectContext/object(with:)-(ManagedObjectID)`` gives.
    func object(with id: ManagedObjectID) -> ManagedObject {
        if let object = registeredObject(for: id) { return object }
        precondition(
            !id.isTemporaryID || context.parent != nil,
            "A temporary ID means nothing outside its context: save first, and pass on the permanent one")
        guard let reference = reference(of: id) else {
            preconditionFailure("\(id) is not of this context's store: fetch the object there")
        }
        return context.registry.makeFault(key: reference.key, entityIndex: reference.entityIndex)
    }

    /// What ``ManagedObjectContext/existingObject(with:)-(ManagedObjectID)`` gives.
    func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        if let object = registeredObject(for: id) {
            if object.isDeleted || !isNamed(Int(object.entityIndex), by: id) { throw GraphError.notFound(id) }
            try object.fulfillFault()
            return object
        }
        guard !id.isTemporaryID || context.parent != nil, let reference = reference(of: id) else {
            throw GraphError.notFound(id)
        }
        let rows = try context.store().rows(
            RowRequest(
                entityIndex: context.registry.rootIndex(reference.entityIndex), selection: .keys([reference.key])))
        guard rows.count == 1, isNamed(rows[0].entityIndex, by: id) else { throw GraphError.notFound(id) }
        let object = context.registry.adopt(rows[0])
        try object.fulfillFault()
        return object
    }

    /// What ``ManagedObjectContext/registeredObject(for:)-(ManagedObjectID)`` gives.
    func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        if id.isTemporaryID {
            return id.store == context.temporaryIdentity ? context.registry.temporaries.object(-id.key) : nil
        }
        return reference(of: id).flatMap { context.registry.registered($0) }
    }

    /// The primary key and the entity index, in this context's model, of the object with an ID; nil
    /// for IDs of other stores.
    func reference(of id: ManagedObjectID) -> ObjectReference? {
        if id.isTemporaryID {
            return id.store == context.temporaryIdentity
                ? ObjectReference(key: id.key, entityIndex: id.entityIndex) : nil
        }
        guard let key = context.persistentStoreCoordinator.key(of: id) else { return nil }
        if id.store.model === context.model { return ObjectReference(key: key, entityIndex: id.entityIndex) }
        return context.model.entity(named: id.entity.name).map { ObjectReference(key: key, entityIndex: $0.index) }
    }

    /// Whether an ID names the entity of an object: the entity itself, or one of its
    /// super-entities.
    private func isNamed(_ entityIndex: Int, by id: ManagedObjectID) -> Bool {
        reference(of: id).map { context.shapes[$0.entityIndex].entity.family.contains(entityIndex) } ?? false
    }

    // MARK: IDs of objects

    /// The ID of the object with a primary key, which is negative for a new one. Traps if the store
    /// of the object was removed.
    func objectID(key: Int64, entityIndex: Int) -> ManagedObjectID {
        if key < 0 { return ManagedObjectID(store: context.temporaryIdentity, entityIndex: entityIndex, key: key) }
        guard let id = context.persistentStoreCoordinator.objectID(key: key, entityIndex: entityIndex) else {
            preconditionFailure(
                "The store of this object was removed from the coordinator: keep object IDs, not objects, across stores"
            )
        }
        return id
    }

    /// The ID with a key, negative for new objects of this context, and an entity; nil where it can
    /// name no object.
    package func objectID(withKey key: Int64, entityAt index: Int) -> ManagedObjectID? {
        // The smallest number has no counterpart among the positive ones, and is given to no
        // object.
        guard key != 0, key != .min, context.model.entities.indices.contains(index) else { return nil }
        if key < 0 { return ManagedObjectID(store: context.temporaryIdentity, entityIndex: index, key: key) }
        return context.persistentStoreCoordinator.objectID(key: key, entityIndex: index)
    }
}

extension GraphError {
    static func notFound(_ id: ManagedObjectID) -> GraphError {
        GraphError(.objectNotFound, "There is no object \(id.shortName)", object: id, entity: id.entity.name)
    }
}
