import Foundation
import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Says which store a new object is to go to. Without, it is the first that can be written to
    /// and holds the object's entity.
    ///
    /// ```swift
    /// let employee = try context.insert("Employee")
    /// try context.assign(employee, to: archive)
    /// ```
    /// What it is related to has to be in the same store when it is saved.
    /// - Throws: ``GraphError`` with code `alreadySaved` for an object that has a permanent ID,
    ///   `foreignObject` for one of another context; `StorageError` with code `unknownObject` where
    ///   the coordinator does not have the store, `unsupported` where its configuration does not
    ///   hold the entity, `readOnly`.
    public func assign(_ object: ManagedObject, to store: AttachedStore) throws {
        guard object.managedObjectContext === self else {
            throw GraphError(.foreignObject, "The object is of another context: assign it there")
        }
        guard object.key < 0 else {
            throw GraphError(
                .alreadySaved, "\(object.objectID) is in a store already: only a new object is assigned to one",
                object: object.objectID, entity: object.entity.name)
        }
        let member = try persistentStoreCoordinator.member(store, toTake: object.entity)
        topmost.assignedStores[object.key] = member.uuid
    }

    /// The context that saves to the stores.
    var topmost: ManagedObjectContext { parent?.topmost ?? self }

    /// The UUID of the store that an object is in or goes to.
    func storeUUID(of object: ManagedObject) -> String? {
        if object.key > 0 { return persistentStoreCoordinator.member(at: StoreKey.place(of: object.key))?.uuid }
        if let assigned = topmost.assignedStores[object.key] { return assigned }
        guard let union = persistentStoreCoordinator.union else {
            return persistentStoreCoordinator.firstStore?.identity.uuid
        }
        return try? union.homeStore(of: Int(object.entityIndex)).uuid
    }
}
