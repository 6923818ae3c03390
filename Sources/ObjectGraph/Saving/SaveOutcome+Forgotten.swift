import RowMemory
import Schema
import Storage

// Completion of a save whose objects were removed by a reset in the meantime. The save is written
// like any other; objects that were read again since then are updated by a merge.
extension SaveOutcome {
    func acceptForgotten(_ save: SaveUnderWay, _ receipt: SaveReceipt) {
        context.assignedStores = context.assignedStores.filter { context.registry.temporaries.object(-$0.key) != nil }
        let saved = savedChanges(of: save, receipt)
        context.mergeChanges(from: saved)
        let source = context.parent?.followers ?? context.persistentStoreCoordinator.followers
        source.post(saved, from: context.inbox)
        guard context.observers.isObserved(.didSave) else { return }
        var notification = ContextNotification(.didSave, context)
        notification.merged = saved
        context.observers.post(notification)
    }

    private func savedChanges(of save: SaveUnderWay, _ receipt: SaveReceipt) -> SavedChanges {
        func id(_ object: ManagedObject, key: Int64) -> ManagedObjectID {
            context.lookup.objectID(key: key, entityIndex: Int(object.entityIndex))
        }
        var saved = SavedChanges(contextName: context.name)
        for (places, keys) in zip(save.inserted, receipt.keys) {
            // Usually either all objects had permanent keys before the save or none had. The keys
            // of the others are consecutive.
            var next = 0
            save.changes.forEach(at: places) { object in
                saved.inserted.insert(id(object, key: object.key > 0 ? object.key : keys[next]))
                next += 1
            }
        }
        save.changes.forEach(at: save.updated) { saved.updated.insert(id($0, key: $0.key)) }
        save.changes.forEach(at: save.deleted) {
            if !save.goneBefore.contains($0) { saved.deleted.insert(id($0, key: $0.key)) }
        }
        return saved
    }
}
