import Schema
import Storage

/// Determines the stores in which objects of a context are saved.
package struct StoreAssignment {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// The context without a parent, which saves to the stores.
    private var topmost: ManagedObjectContext {
        var next = context
        while let parent = next.parent { next = parent }
        return next
    }

    /// The UUIDs of the stores that new objects are assigned to, by temporary key.
    var assigned: [Int64: String] {
        let assigned = topmost.assignedStores
        return assigned.isEmpty ? assigned : assigned.mapValues(context.persistentStoreCoordinator.currentUUID)
    }

    /// What ``ManagedObjectContext/assign(_:to:)`` does.
    func assign(_ object: ManagedObject, to store: PersistentStore) throws {
        guard object.managedObjectContext === context else {
            throw GraphError(.foreignObject, "The object is of another context: assign it there")
        }
        guard object.key < 0 else {
            throw GraphError(
                .alreadySaved,
                "\(object.objectID.shortName) is in a store already: only a new object is assigned to one",
                object: object.objectID, entity: object.entity.name)
        }
        let member = try context.persistentStoreCoordinator.member(store, toTake: object.entity)
        topmost.assignedStores[object.key] = member.uuid
    }

    /// The UUID of the store that an object is saved in, or will be saved in.
    func storeUUID(of object: ManagedObject) -> String? {
        let coordinator = context.persistentStoreCoordinator
        if object.key > 0 { return coordinator.member(at: StoreKey.place(of: object.key))?.uuid }
        if let uuid = assigned[object.key] { return uuid }
        guard let union = coordinator.union else { return coordinator.firstStore?.identity.uuid }
        return try? union.homeStore(of: Int(object.entityIndex)).uuid
    }

    /// The UUID of the store that a new object will be saved to.
    package func storeUUID(ofNew object: ManagedObject) throws -> String {
        if let uuid = assigned[object.key] { return uuid }
        if let union = context.persistentStoreCoordinator.union {
            return try union.homeStore(of: Int(object.entityIndex)).uuid
        }
        return try context.reader.identity().uuid
    }
}
