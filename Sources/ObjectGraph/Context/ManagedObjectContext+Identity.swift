public import Schema

extension ManagedObjectContext {
    /// The object with an ID, without accessing the store. If the object is not registered, this
    /// returns a fault; whether the object exists is not checked.
    ///
    /// Traps if the ID belongs to another store or model, and if it is a temporary ID that the
    /// context does not know.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        lookup.object(with: id)
    }

    /// The object with an ID, with its values: the registered object, or the one read from the
    /// store.
    ///
    /// - Throws: ``GraphError`` with code `objectNotFound` if there is no such object, also if an
    ///   object of another entity has the primary key; errors of the store.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        try lookup.existingObject(with: id)
    }

    /// The object with an ID if it is registered in the context, otherwise nil. Reads nothing from
    /// the store.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        lookup.registeredObject(for: id)
    }

    /// Assigns permanent IDs to new objects before they are saved. Objects with permanent IDs keep
    /// them. Takes one transaction of the store; the primary keys are not reused if the objects are
    /// never saved.
    ///
    /// - Throws: ``GraphError`` with code `noStore`; errors of the store.
    public func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
        try keys.obtainPermanentIDs(for: objects)
    }

    /// All objects that are registered in the context. The set is built by each call.
    public var registeredObjects: Set<ManagedObject> { registry.objects }
}
