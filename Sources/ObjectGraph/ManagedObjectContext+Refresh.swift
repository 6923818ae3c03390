import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Drops all changes: new objects are forgotten, deleted ones are back, values are the saved ones. Undo forgets everything. Reads nothing.
    ///
    /// The context of a document is not rolled back by itself, for a save in the background may be writing it, which traps here: `revert()` of the document waits for
    /// that.
    public func rollback() {
        precondition(saveUnderWay == nil, "A save of this context is under way: wait for it to end before rolling back")
        let dropped = changes
        changes = ChangeRecords()
        pendingDeletions.removeAll()
        postponedDeletions.removeAll()
        forgottenObjects.removeAll()
        deletedInEvent.removeAll()
        eventLog = EventLog()
        undoManager?.removeAllActions(withTarget: self)
        edits.returnToCommitted(undoManager)
        permanentKeys = PermanentKeys()
        loadError = nil
        var restored: [ManagedObject] = []
        for index in dropped.indices {
            guard let object = dropped.object(at: index) else { continue }
            object.recordIndex = -1
            if object.state.contains(.inserted) {
                let isAnnounced = object.state.isDisjoint(with: [.free, .unannounced])
                noteChange(object)
                unregister(object)
                // Without a context it has nothing to answer with, as after a reset.
                object.detachRow()
                object.state = .fault
                if isAnnounced { forgottenObjects.insert(object) }
            } else {
                restore(object, from: dropped, index)
                restored.append(object)
            }
        }
        for object in restored { object.awake(fromSnapshotEvents: .rollback) }
        if isObserved(.objectsDidChange) { refreshedObjects.formUnion(restored) }
        endEvent()
    }

    private func restore(_ object: ManagedObject, from dropped: ChangeRecords, _ index: Int) {
        noteChange(object)
        let wasInaccessible = object.state.contains(.inaccessible)
        object.state.remove([.updated, .deleted, .unannounced, .inaccessible])
        if wasInaccessible {
            object.detachRow()
            object.state = .fault
        }
        guard let row = object.optionalRow else { return }
        let slots = shapes[Int(object.entityIndex)].layout.slots
        for place in dropped.savedPlaces(of: index) {
            let saved = dropped.saved[place]
            row.setSlotValue(saved.value, slots[Int(saved.property)])
        }
        for slot in slots where slot.kind == .toMany { object.existingList(relation(object, Int(slot.index)))?.rollBack() }
    }

    /// Forgets every object and change. Objects that are still held are of no use any more: keep object IDs.
    public func reset() {
        precondition(saveUnderWay == nil, "A save of this context is under way: wait for it to end before resetting")
        changes = ChangeRecords()
        pendingDeletions.removeAll()
        postponedDeletions.removeAll()
        forgottenObjects.removeAll()
        deletedInEvent.removeAll()
        refreshedObjects.removeAll()
        mergedInsertions.removeAll()
        eventLog = EventLog()
        undoManager?.removeAllActions(withTarget: self)
        edits.returnToCommitted(undoManager)
        permanentKeys = PermanentKeys()
        loadError = nil
        moveGenerationForward()
        let objects = allObjects
        for index in identities.indices { identities[index].removeAll() }
        temporaries.removeAll()
        for object in objects {
            noteChange(object)
            object.contextReference = nil
            object.recordIndex = -1
            object.detachRow()
            object.state = .fault
        }
        recent.removeAll()
        retainedObjects = []
        guard isObserved(.objectsDidChange) else { return }
        var notification = ContextNotification(.objectsDidChange, self)
        notification.isReset = true
        post(notification)
    }

    /// Makes an object show the store's values at its next use.
    ///
    /// - Parameter mergeChanges: whether unsaved changes stay, on top of what the store has now; they are dropped otherwise, and the other ends of its relationships stay as
    /// they are: refresh these too. A new object keeps its values either way.
    ///
    /// A deletion that is merged is made again, of what the store has now, if somebody else changed it; undo forgets everything then. Never fails: where the store can't be read the object stays as it is, and the next save throws why.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.contextReference != nil, !object.state.contains(.saving) else { return }
        processPendingChanges()
        if object.state.contains(.inserted) {
            if !mergeChanges, !object.state.isFault {
                object.willTurnIntoFault()
                object.state.insert(.fault)
                object.didTurnIntoFault()
            }
        } else if mergeChanges && object.recordIndex >= 0 {
            if object.state.contains(.deleted) { deleteAgain(object) } else { mergeStoreValues(into: object) }
        } else {
            let ledToDeleted = ledToDeleted(object)
            changes.remove(object)
            turnIntoFault(object)
            if ledToDeleted { followDeletionsAgain(from: object) }
        }
        refreshedObjects.insert(object)
        endEvent()
    }

    /// Whether an object led to one that is deleted here. That it does so no longer is part of the deletion, and does not go with the object's own changes.
    private func ledToDeleted(_ object: ManagedObject) -> Bool {
        guard object.recordIndex >= 0, !object.state.contains(.deleted) else { return false }
        return changes.savedPlaces(of: Int(object.recordIndex)).contains { place in
            guard case .reference(let reference?) = changes.saved[place].value else { return false }
            return registered(reference)?.state.contains(.deleted) == true
        }
    }

    /// Makes all objects without changes faults again, and brings the others up to date under their changes.
    public func refreshAllObjects() {
        processPendingChanges()
        recent.removeAll()
        for map in identities where !map.listedSlabs.isEmpty { map.unlistAll() }
        for object in allObjects where object.state.isDisjoint(with: [.inserted, .saving, .deleted]) {
            if object.recordIndex >= 0 { mergeStoreValues(into: object) } else { turnIntoFault(object) }
        }
        refreshedObjects.formUnion(allObjects)
        endEvent()
    }

    /// Deletes what the store has no more, as if somebody else had saved that: after another state has taken its place. Reads the rows of all objects without changes;
    /// where that fails they are as they were.
    package func forgetMissingObjects() {
        let objects = allObjects.filter { $0.recordIndex < 0 && $0.state.isDisjoint(with: [.inserted, .saving, .deleted]) }
        guard !objects.isEmpty, let rows = try? storedRows(of: objects.map(\.objectID)) else { return }
        let missing = Set(objects.map(\.objectID).filter { rows[$0] == nil })
        if !missing.isEmpty { mergeChanges(from: SavedChanges(deleted: missing)) }
    }

    private func mergeStoreValues(into object: ManagedObject) {
        withoutUndo {
            do {
                // An object that is gone keeps its changes: their save says so.
                guard let row = try storedRows(of: [object.objectID]).values.first else { return }
                let version = object.optionalRow?.version
                mergeStoreValues(row, into: object)
                do { try settle(object, stored: row) } catch {
                    // Its save is to meet the conflict.
                    if let version { object.row.version = version }
                    throw error
                }
            } catch {
                if loadError == nil { loadError = error }
            }
        }
    }

    /// Deletes what the store has now of an object that is deleted here.
    private func deleteAgain(_ object: ManagedObject) {
        withoutUndo {
            do {
                guard let old = object.optionalRow, let row = try storedRows(of: [object.objectID]).values.first, row.version != old.version else { return }
                // What undo would take back is the deletion that others did not yet belong to.
                undoManager?.removeAllActions(withTarget: self)
                try deleteAnyway(object, row)
                propagateDeletions()
            } catch {
                if loadError == nil { loadError = error }
            }
        }
    }

    private func followDeletionsAgain(from object: ManagedObject) {
        withoutUndo {
            do {
                // One that is gone meanwhile leads nowhere.
                guard let row = try storedRows(of: [object.objectID]).values.first else { return }
                object.attach(row)
                try realise(object)
                try followDeletions(from: object)
            } catch {
                if loadError == nil { loadError = error }
            }
        }
    }

    /// Makes what an object leads to after a merge of the store's values, and what leads to it, agree with each other.
    func settle(_ object: ManagedObject, stored: Row) throws {
        try followDeletions(from: object)
        if object.recordIndex >= 0, !object.state.contains(.deleted) { try settleToOnes(of: object, stored: stored) }
    }

    /// Puts an object's unsaved changes on top of what the store has now.
    func mergeStoreValues(_ fresh: Row, into object: ManagedObject) {
        noteChange(object)
        guard let old = object.optionalRow else {
            object.attach(fresh)
            return
        }
        mergeValues(of: fresh, into: object)
        let version = old.version
        old.version = fresh.version
        for relation in shapes[Int(object.entityIndex)].toManys where !relation.description.isTransient {
            guard let list = object.existingList(relation) else { continue }
            if list.changes.isEmpty {
                old.clear(relation.slot)
            } else {
                do { try rebase(object, relation, keepingOrder: true) } catch {
                    if loadError == nil { loadError = error }
                    old.version = version
                }
            }
        }
        object.awake(fromSnapshotEvents: .refresh)
    }

    /// Puts the unsaved values of an object, all but members, on top of those that the store has now.
    func mergeValues(of fresh: Row, into object: ManagedObject) {
        let index = Int(object.recordIndex), old = object.row
        let shape = shapes[Int(object.entityIndex)]
        let changed = changes.changed(at: index)
        // The store's value takes the place of the saved one, and the changed value stays.
        for place in changes.savedPlaces(of: index) {
            let slot = shape.layout.slots[Int(changes.saved[place].property)]
            // What was set and set back is no change.
            if changes.saved[place].value == old.slotValue(slot) { old.setSlotValue(fresh.slotValue(slot), slot) }
            changes.replaceSaved(at: place, with: fresh.slotValue(slot))
        }
        for slot in shape.layout.slots where slot.kind != .toMany {
            let isTransient = shape.entity.properties[Int(slot.index)].isTransient
            if changed.contains(Int(slot.index)) || isTransient { continue }
            old.copyValue(of: slot, from: fresh)
        }
    }

    /// Reads again the values of realised objects without changes, from rows that a fetch brought.
    func refresh(_ object: ManagedObject, from row: Row) {
        guard !object.state.isFault, object.recordIndex < 0, object.state.isDisjoint(with: [.inserted, .deleted, .saving]) else { return }
        guard object.optionalRow?.isSame(as: row) != true else { return }
        noteChange(object)
        object.attach(row)
        object.awake(fromSnapshotEvents: .refresh)
        refreshedObjects.insert(object)
    }
}
