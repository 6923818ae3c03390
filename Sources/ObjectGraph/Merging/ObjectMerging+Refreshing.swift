import RowMemory
import Schema
import Storage

// Refreshing of single objects. If the store can't be read, the object is unchanged, and the next
// save throws the error.
extension ObjectMerging {
    /// Makes an object read its values from the store at the next use. Its unsaved changes are
    /// discarded, or applied to the new values.
    func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.registryReference != nil, !object.state.contains(.saving) else { return }
        context.processWithinStep()
        if object.state.contains(.inserted) {
            if !mergeChanges, !object.state.isFault {
                object.willTurnIntoFault()
                object.state.insert(.fault)
                object.didTurnIntoFault()
            }
        } else if mergeChanges && object.recordIndex >= 0 {
            if object.state.contains(.deleted) { deleteAgain(object) } else { mergeStoreValues(into: object) }
        } else {
            guard !discardChangesOfMissing(object) else {
                context.events.endEvent()
                return tellChildren(updated: [], deleted: [object])
            }
            let ledToDeleted = referencesDeleted(object)
            context.changes.remove(object)
            context.deferredMerges.changed.remove(object)
            context.faults.turnIntoFault(object)
            if ledToDeleted { followDeletionsAgain(from: object) }
        }
        context.news.refreshed.insert(object)
        context.events.endEvent()
        tellChildren(updated: [object])
    }

    /// Discards the changes of an object that is known to be deleted in the store, which makes it
    /// deleted here, too. Returns false for other objects.
    private func discardChangesOfMissing(_ object: ManagedObject) -> Bool {
        let merges = context.deferredMerges
        if merges.accepted.contains(object) { return true }
        guard merges.gone.contains(object) else { return false }
        if object.state.contains(.deleted) { return true }
        context.tracker.withoutUndo {
            context.changes.remove(object)
            acceptDeletionElsewhere(of: object)
        }
        context.undoManager?.removeGroups(concerning: [object])
        return true
    }

    /// Turns all objects without changes into faults, and merges the store's values into the
    /// others.
    func refreshAllObjects() {
        context.processWithinStep()
        context.registry.recent.removeAll()
        for map in context.registry.identities where !map.listedSlabs.isEmpty { map.unlistAll() }
        for object in context.registry.allObjects where object.state.isDisjoint(with: [.inserted, .saving, .deleted]) {
            if object.recordIndex >= 0 { mergeStoreValues(into: object) } else { context.faults.turnIntoFault(object) }
        }
        let objects = context.registry.allObjects
        context.news.refreshed.formUnion(objects)
        context.events.endEvent()
        tellChildren(updated: objects)
    }

    /// Tells live results that the store may have objects that the context does not know, at the
    /// end of the event. Used after the content of the store was replaced.
    package func noteOtherObjects() { context.news.refreshesAll = true }

    /// Deletes objects that no longer exist in the store, as if another context had saved the
    /// deletion. Used after the content of the store was replaced. Reads the rows of all objects
    /// without changes; if that fails, the objects are unchanged.
    package func forgetMissingObjects() {
        let objects = context.registry.allObjects.filter {
            $0.recordIndex < 0 && $0.state.isDisjoint(with: [.inserted, .saving, .deleted])
        }
        guard !objects.isEmpty, let rows = try? context.faults.storedRows(of: objects.map(\.objectID)) else { return }
        let missing = Set(objects.map(\.objectID).filter { rows[$0] == nil })
        if !missing.isEmpty { context.mergeChanges(from: SavedChanges(deleted: missing)) }
    }

    /// Updates an object that has values and no changes from a row that a fetch has read.
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
                // An object that was deleted in the store keeps its changes: its save reports the
                // conflict.
                guard let row = try context.faults.storedRows(of: [object.objectID]).values.first else { return }
                let version = object.optionalRow?.version
                mergeStoreValues(row, into: object)
                do { try settle(object, stored: row) } catch {
                    // Restore the old version, so that the save finds the conflict.
                    if let version { object.row.version = version }
                    throw error
                }
            } catch {
                context.note(error)
            }
        }
    }

    /// Applies the deletion of an object again to its current state in the store.
    func deleteAgain(_ object: ManagedObject) {
        context.tracker.withoutUndo {
            do {
                guard let old = object.optionalRow,
                    let row = try context.faults.storedRows(of: [object.objectID]).values.first,
                    row.version != old.version
                else { return }
                // The undo group of the deletion does not contain the objects that the new state
                // adds to it, so it can no longer be undone, however this ends.
                var concerned: Set<ManagedObject> = [object]
                defer { context.undoManager?.removeGroups(concerning: concerned) }
                try deleteAnyway(object, row)
                context.deletions.propagateDeletions()
                concerned.formUnion(context.changes.eventObjects)
            } catch {
                context.note(error)
            }
        }
    }

    /// Whether an object referred to one that is deleted here. Clearing that reference is part of
    /// the deletion, and must survive when the object's own changes are discarded.
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
                // A row that was deleted meanwhile refers to nothing.
                guard let row = try context.faults.storedRows(of: [object.objectID]).values.first else { return }
                object.attach(row)
                try context.faults.fulfillFault(object)
                try followDeletions(from: object)
            } catch {
                context.note(error)
            }
        }
    }
}
