import RowMemory
package import Schema
import Storage

/// Acts for stores that get objects from another module, where Folio's get values.
package protocol ObjectStores: AnyObject, Sendable {
    /// Called before a context reads from its stores or saves to them, in the thread in which it
    /// does.
    func willAsk(_ context: ManagedObjectContext)
    /// Gives new objects permanent IDs where their store makes these from the objects. The others
    /// get primary keys as usual.
    func identify(_ objects: [ManagedObject], in context: ManagedObjectContext) throws
}

/// The objects of a save that a store is writing.
package struct ObjectsBeingSaved {
    package var inserted: [ManagedObject] = []
    package var updated: [ManagedObject] = []
    package var deleted: [ManagedObject] = []
    /// The persistent properties of the updated objects that have other values than the saved ones.
    package var changedKeys: [ObjectIdentifier: [String]] = [:]
}

extension ManagedObjectContext {
    /// The objects of the save that a store is writing; nil while none is.
    package var objectsBeingSaved: ObjectsBeingSaved? {
        guard let save = saveUnderWay else { return nil }
        var objects = ObjectsBeingSaved()
        objects.inserted = save.inserted.flatMap { save.changes.objects(at: $0) }
        objects.deleted = save.changes.objects(at: save.deleted)
        for place in save.updated + save.unchanged {
            guard let object = save.changes.object(at: Int(place)) else { continue }
            objects.updated.append(object)
            objects.changedKeys[ObjectIdentifier(object)] = changedKeys(of: object, Int(place), save.changes)
        }
        return objects
    }

    private func changedKeys(of object: ManagedObject, _ index: Int, _ changes: ChangeRecords) -> [String] {
        let shape = shapes[Int(object.entityIndex)]
        return changes.changed(at: index).places.compactMap { place in
            let property = shape.entity.properties[place]
            if property.isTransient { return nil }
            if let saved = changes.savedValue(of: index, property: place), let row = object.optionalRow,
                row.slotValue(shape.layout.slots[place]) == saved
            {
                return nil
            }
            return property.name
        }
    }

    /// The UUID of the store that a new object will be saved to.
    package func storeUUID(ofNew object: ManagedObject) throws -> String {
        if let uuid = topmost.assignedStores[object.key] { return uuid }
        if let union = persistentStoreCoordinator.union { return try union.homeStore(of: Int(object.entityIndex)).uuid }
        return try storeIdentity().uuid
    }

    /// Assigns given permanent IDs to new objects.
    /// - Throws: ``GraphError`` with code `constraint` if the context has another object with such
    ///   an ID.
    package func assignPermanentIDs(_ ids: [(object: ManagedObject, id: ManagedObjectID)]) throws {
        let numbers = try ids.map { object, id in
            guard let key = persistentStoreCoordinator.key(of: id) else { throw GraphError.notFound(id) }
            let reference = ObjectReference(key: key, entityIndex: Int(object.entityIndex))
            if let other = registry.registered(reference), other !== object {
                throw GraphError(
                    .constraint, "There is already an object \(id.shortName)", object: id, entity: id.entity.name)
            }
            return (object, key)
        }
        try assignPermanentKeys(numbers)
    }
}
