import Foundation
import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Determines the store in which a new object will be saved. By default this is the first
    /// writable store whose configuration contains the object's entity.
    ///
    /// ```swift
    /// let employee = try context.insert("Employee")
    /// try context.assign(employee, to: archive)
    /// ```
    /// Related objects must be in the same store when the object is saved.
    ///
    /// - Throws: ``GraphError`` with code `alreadySaved` for an object with a permanent ID,
    ///   `foreignObject` for an object of another context; ``StorageError`` with code
    ///   `unknownObject` if the coordinator does not have the store, `unsupported` if the
    ///   configuration of the store lacks the entity, `readOnly`.
    public func assign(_ object: ManagedObject, to store: PersistentStore) throws {
        guard object.managedObjectContext === self else {
            throw GraphError(.foreignObject, "The object is of another context: assign it there")
        }
        guard object.key < 0 else {
            throw GraphError(
                .alreadySaved,
                "\(object.objectID.shortName) is in a store already: only a new object is assigned to one",
                object: object.objectID, entity: object.entity.name)
        }
        let member = try persistentStoreCoordinator.member(store, toTake: object.entity)
        topmost.assignedStores[object.key] = member.uuid
    }

    /// The context without a parent, which saves to the stores.
    var topmost: ManagedObjectContext { parent?.topmost ?? self }

    /// The UUID of the store that an object is saved in, or will be saved in.
    func storeUUID(of object: ManagedObject) -> String? {
        if object.key > 0 { return persistentStoreCoordinator.member(at: StoreKey.place(of: object.key))?.uuid }
        if let assigned = topmost.assignedStores[object.key] { return assigned }
        guard let union = persistentStoreCoordinator.union else {
            return persistentStoreCoordinator.firstStore?.identity.uuid
        }
        return try? union.homeStore(of: Int(object.entityIndex)).uuid
    }
}
