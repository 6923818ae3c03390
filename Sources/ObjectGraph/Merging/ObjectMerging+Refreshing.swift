import RowMemory
import Schema
import Storage

// One object that is refreshed under its changes. Where the store can't be read the object stays as
// it is, and the next save throws why.
extension ObjectMerging {
    /// Makes an object show the store's values at its next use; its unsaved changes go, or stay on
    /// top of them.
    func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.registryReference != nil, !object.state.contains(.saving) else { return }
        context.processPendingChanges()
        if object.state.contains(.inserted) {
            if !mergeChanges, !object.state.isFault {
                object.willTurnIntoFault()
                object.state.insert(.fault)
                object.didTurnIntoFault()
            }
        } else if mergeChanges && object.recordIndex >= 0 {
            if object.state.contains(.deleted) { deleteAgain(object) } else { mergeStoreValues(into: object) }
        } else {
            let ledToDeleted = referencesDeleted(object)
            context.changes.remove(object)
            context.faults.turnIntoFault(object)
            if ledToDeleted { followDeletionsAgain(from: object) }
        }
        context.news.refreshed.insert(object)
        context.endEvent()
        tellChildren(updated: [object])
    }

    /// Makes all objects without changes faults again, and brings the others up to date under their
    /// changes.
    func refreshAllObjects() {
        context.processPendingChanges()
        context.registry.recent.removeAll()
        for map in context.registry.identities where !map.listedSlabs.isEmpty { map.unlistAll() }
        for object in context.registry.allObjects where object.state.isDisjoint(with: [.inserted, .saving, .deleted]) {
            if object.recordIndex >= 0 { mergeStoreValues(into: object) } else { context.faults.turnIntoFault(object) }
        }
        let objects = context.registry.allObjects
        context.news.refreshed.formUnion(objects)
        context.endEvent()
        tellChildren(updated: objects)
    }

    /// Deletes what the store has no more, as if somebody else had saved that.
    func forgetMissingObjects() {
        let objects = context.registry.allObjects.filter {
            $0.recordIndex < 0 && $0.state.isDisjoint(with: [.inserted, .saving, .deleted])
        }
        guard !objects.isEmpty, let rows = try? context.faults.storedRows(of: objects.map(\.objectID)) else { return }
        let missing = Set(objects.map(\.objectID).filter { rows[$0] == nil })
        if !missing.isEmpty { context.mergeChanges(from: SavedChanges(deleted: missing)) }
    }

    /// Reads again the values of filled objects without changes, from rows that a fetch brought.
    func refresh(_ object: ManagedObject, from row: Row) {
        guard !object.state.isFault, object.recordIndex < 0,
            object.state.isDisjoint(with: [.inserted, .deleted, .saving])
        else { return }
        guard object.optionalRow?.isSame(as: row) != true else { return }
        context.registry.noteChange(object)
        object.attach(row)
        object.awake(fromSnapshotEvents: .refresh)
        context.news.refreshed.insert(object)
    }

    func mergeStoreValues(into object: ManagedObject) {
        context.tracker.withoutUndo {
            do {
                // An object that is gone keeps its changes: their save says so.
                guard let row = try context.faults.storedRows(of: [object.objectID]).values.first else { return }
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
        context.tracker.withoutUndo {
            do {
                guard let old = object.optionalRow,
                    let row = try context.faults.storedRows(of: [object.objectID]).values.first,
                    row.version != old.version
                else { return }
                // Undo knows of the deletion that others did not yet belong to: whatever happens
                // here, that can't be taken back any more.
                var concerned: Set<ManagedObject> = [object]
                defer { context.undoManager?.removeGroups(concerning: concerned) }
                try deleteAnyway(object, row)
                context.deletions.propagateDeletions()
                concerned.formUnion(context.changes.eventObjects)
            } catch {
                context.noteLoadError(error)
            }
        }
    }

    /// Whether an object led to one that is deleted here. That it does so no longer is part of the
    /// deletion, and does not go with the object's own changes.
    func referencesDeleted(_ object: ManagedObject) -> Bool {
        guard object.recordIndex >= 0, !object.state.contains(.deleted) else { return false }
        return context.changes.savedPositions(of: Int(object.recordIndex)).contains { place in
            guard case .reference(let reference?) = context.changes.saved[place].value else { return false }
            return context.registry.registered(reference)?.state.contains(.deleted) == true
        }
    }

    func followDeletionsAgain(from object: ManagedObject) {
        context.tracker.withoutUndo {
            do {
                // One that is gone meanwhile leads nowhere.
                guard let row = try context.faults.storedRows(of: [object.objectID]).values.first else { return }
                object.attach(row)
                try context.faults.fulfillFault(object)
                try followDeletions(from: object)
            } catch {
                context.noteLoadError(error)
            }
        }
    }
}
