import RowMemory
public import Schema
import Storage

extension ManagedObjectContext {
    func objectID(key: Int64, entityIndex: Int) -> ManagedObjectID {
        if key < 0 { return ManagedObjectID(store: temporaryIdentity, entityIndex: entityIndex, key: key) }
        guard let id = persistentStoreCoordinator.objectID(key: key, entityIndex: entityIndex) else {
            preconditionFailure(
                "The store of this object was removed from the coordinator: keep object IDs, not objects, across stores"
            )
        }
        return id
    }

    func store() throws -> any RowStore {
        persistentStoreCoordinator.objectStores?.willAsk(self)
        return try reader.store()
    }

    func storeIdentity() throws -> StoreIdentity { try reader.identity() }

    func rootIndex(_ entityIndex: Int) -> Int { registry.rootIndex(entityIndex) }

    /// The object with an ID, without accessing the store. If the object is not registered, this
    /// returns a fault; whether the object exists is not checked.
    ///
    /// Traps if the ID belongs to another store or model, and if it is a temporary ID that the
    /// context does not know.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        if let object = registeredObject(for: id) { return object }
        precondition(
            !id.isTemporaryID || parent != nil,
            "A temporary ID means nothing outside its context: save first, and pass on the permanent one")
        guard let reference = ownReference(of: id) else {
            preconditionFailure("\(id) is not of this context's store: fetch the object there")
        }
        return registry.makeFault(key: reference.key, entityIndex: reference.entityIndex)
    }

    /// The object with an ID, with its values: the registered object, or the one read from the
    /// store.
    ///
    /// - Throws: ``GraphError`` with code `objectNotFound` if there is no such object, also if an
    ///   object of another entity has the primary key; errors of the store.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        if let object = registeredObject(for: id) {
            if object.isDeleted || !isNamed(Int(object.entityIndex), by: id) { throw GraphError.notFound(id) }
            try object.fulfillFault()
            return object
        }
        guard !id.isTemporaryID || parent != nil, let reference = ownReference(of: id) else {
            throw GraphError.notFound(id)
        }
        let rows = try store().rows(
            RowRequest(entityIndex: rootIndex(reference.entityIndex), selection: .keys([reference.key])))
        guard rows.count == 1, isNamed(rows[0].entityIndex, by: id) else { throw GraphError.notFound(id) }
        let object = registry.adopt(rows[0])
        try object.fulfillFault()
        return object
    }

    /// Whether an ID names the entity of an object: the entity itself, or one of its
    /// super-entities.
    private func isNamed(_ entityIndex: Int, by id: ManagedObjectID) -> Bool {
        ownReference(of: id).map { shapes[$0.entityIndex].entity.family.contains(entityIndex) } ?? false
    }

    /// The object with an ID if it is registered in the context, otherwise nil. Reads nothing from
    /// the store.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        if id.isTemporaryID { return id.store == temporaryIdentity ? registry.temporaries.object(-id.key) : nil }
        return ownReference(of: id).flatMap { registry.registered($0) }
    }

    /// The primary key and the entity index, in this context's model, of the object with an ID; nil
    /// for IDs of other stores.
    func ownReference(of id: ManagedObjectID) -> ObjectReference? {
        if id.isTemporaryID {
            return id.store == temporaryIdentity ? ObjectReference(key: id.key, entityIndex: id.entityIndex) : nil
        }
        guard let key = persistentStoreCoordinator.key(of: id) else { return nil }
        if id.store.model === model { return ObjectReference(key: key, entityIndex: id.entityIndex) }
        return model.entity(named: id.entity.name).map { ObjectReference(key: key, entityIndex: $0.index) }
    }

    /// Assigns permanent IDs to new objects before they are saved. Objects with permanent IDs keep
    /// them. Takes one transaction of the store; the primary keys are not reused if the objects are
    /// never saved.
    ///
    /// - Throws: ``GraphError`` with code `noStore`; errors of the store.
    public func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
        try keys.obtainPermanentIDs(for: objects)
    }

    /// Assigns given primary keys to new objects, for example those that the objects had in another
    /// store. The caller must make sure that the store has no objects with these primary keys.
    /// - Throws: ``GraphError`` with code `constraint` if two objects of a hierarchy would have the
    ///   same primary key.
    package func assignPermanentKeys(_ numbers: [(ManagedObject, Int64)]) throws {
        try keys.assignPermanentKeys(numbers)
    }

    /// All objects that are registered in the context. The set is built by each call.
    public var registeredObjects: Set<ManagedObject> { registry.objects }
}

extension GraphError {
    static func notFound(_ id: ManagedObjectID) -> GraphError {
        GraphError(.objectNotFound, "There is no object \(id.shortName)", object: id, entity: id.entity.name)
    }
}
