import RowMemory
import Storage

extension ConflictSettler {
    /// Detects the conflicts of the unchanged objects that the application watches, and lets the
    /// merge policy resolve them.
    func settleWatchedObjects() throws {
        let objects = context.nextSave.watchedObjects.compactMap { context.registeredObject(for: $0) }.filter {
            !$0.isInserted && !$0.isUpdated && !$0.isDeleted && !$0.isFault
        }
        guard !objects.isEmpty else { return }
        // A pinned context would compare its own state with itself.
        context.reader.moveForward()
        let rows = try context.faults.storedRows(of: objects.map(\.objectID))
        let conflicts = objects.compactMap { object -> StoreConflict? in
            let stored = rows[object.objectID]?.version ?? 0, known = object.row.version
            guard stored != known else { return nil }
            return StoreConflict(object: object.objectID, expectedVersion: known, storedVersion: stored)
        }
        guard !conflicts.isEmpty else { return }
        try settle(
            StorageError(
                .conflict,
                "\(conflicts.count == 1 ? "An object" : "Objects") that the save depends on changed in the store",
                conflicts: conflicts))
        // A merge policy works on changes, and these objects have none.
        for conflict in conflicts {
            if let object = context.registeredObject(for: conflict.object) {
                context.refresh(object, mergeChanges: true)
            }
        }
    }
}
