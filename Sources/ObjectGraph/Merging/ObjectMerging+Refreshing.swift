import RowMemory
import Schema
import Storage

// One object that is refreshed under its changes. Where the store can't be read the object stays as it is, and the next save throws why.
extension ObjectMerging {
    func mergeStoreValues(into object: ManagedObject) {
        context.withoutUndo {
            do {
                // An object that is gone keeps its changes: their save says so.
                guard let row = try context.storedRows(of: [object.objectID]).values.first else { return }
                let version = object.optionalRow?.version
                mergeStoreValues(row, into: object)
                do { try settle(object, stored: row) } catch {
                    // Its save is to meet the conflict.
                    if let version { object.row.version = version }
                    throw error
                }
            } catch {
                context.noteLoadError(error)
            }
        }
    }

    /// Deletes what the store has now of an object that is deleted here.
    func deleteAgain(_ object: ManagedObject) {
        context.withoutUndo {
            do {
                guard let old = object.optionalRow, let row = try context.storedRows(of: [object.objectID]).values.first, row.version != old.version else { return }
                // Undo knows of the deletion that others did not yet belong to: whatever happens here, that can't be taken back any more.
                var concerned: Set<ManagedObject> = [object]
                defer { context.undoManager?.removeGroups(concerning: concerned, in: context) }
                try deleteAnyway(object, row)
                context.deletions.propagateDeletions()
                concerned.formUnion(context.changes.eventObjects)
            } catch {
                context.noteLoadError(error)
            }
        }
    }

    /// Whether an object led to one that is deleted here. That it does so no longer is part of the deletion, and does not go with the object's own changes.
    func ledToDeleted(_ object: ManagedObject) -> Bool {
        guard object.recordIndex >= 0, !object.state.contains(.deleted) else { return false }
        return context.changes.savedPlaces(of: Int(object.recordIndex)).contains { place in
            guard case .reference(let reference?) = context.changes.saved[place].value else { return false }
            return context.registry.registered(reference)?.state.contains(.deleted) == true
        }
    }

    func followDeletionsAgain(from object: ManagedObject) {
        context.withoutUndo {
            do {
                // One that is gone meanwhile leads nowhere.
                guard let row = try context.storedRows(of: [object.objectID]).values.first else { return }
                object.attach(row)
                try context.faults.realise(object)
                try followDeletions(from: object)
            } catch {
                context.noteLoadError(error)
            }
        }
    }
}
