import RowMemory
import Schema
import Storage

/// Discards the unsaved changes of a context and all state that belongs to them.
struct ContextRollback {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Removes all change records, with the state that deletions, observers, undo and the next save
    /// keep about them. Does not change the objects.
    /// - Parameter keepsReadings: Whether observers are still notified of objects that were read
    ///   again.
    /// - Returns: The removed records.
    private func dropChanges(keepsReadings: Bool) -> ChangeRecords {
        let dropped = context.changes
        context.changes = ChangeRecords()
        context.pendingDeletions.clear()
        context.deferredMerges.forgetMerges()
        context.news.clear(keepsReadings: keepsReadings)
        context.tracker.eventLog = EventLog()
        context.undoManager?.removeAllActions(withTarget: context)
        context.tracker.edits.goBack(
            to: context.saveUnderWay?.position ?? context.tracker.edits.committed, context.undoManager)
        context.tracker.permanentKeys = PermanentKeys()
        context.nextSave.loadError = nil
        context.nextSave.watchedObjects = []
        return dropped
    }

    /// Removes new objects from the context, restores deleted ones, and resets values to the saved
    /// ones.
    func rollBack() {
        context.saveUnderWay?.interrupt(by: .rollback)
        let merges = context.deferredMerges
        let dropped = dropChanges(keepsReadings: true)
        var restored: [ManagedObject] = [], forgotten: [ManagedObject] = [], gone: [ManagedObject] = []
        for index in dropped.indices {
            guard let object = dropped.object(at: index) else { continue }
            object.recordIndex = -1
            if object.state.contains(.inserted) {
                let isAnnounced = object.state.isDisjoint(with: [.free, .unannounced])
                context.registry.unregister(object)
                // A detached object has no context and therefore no values, as after a reset.
                object.detachRow()
                object.state = .fault
                context.registry.formerHome?.note(object)
                forgotten.append(object)
                if isAnnounced { context.news.forgotten.insert(object) }
            } else {
                let wasDeleted = object.state.contains(.deleted)
                let isGone = merges.gone.contains(object) || merges.accepted.contains(object)
                restore(object, from: dropped, index, isKnownAsGone: isGone)
                if isGone {
                    gone.append(object)
                    context.merging.giveUp(object, isNew: !wasDeleted)
                } else {
                    if merges.changed.contains(object) { context.faults.turnIntoFault(object) }
                    restored.append(object)
                }
            }
        }
        // Undo may have restored objects that the save in progress deletes.
        if let save = context.saveUnderWay { save.changes.forEach(at: save.deleted) { $0.state.insert(.deleted) } }
        for object in restored { object.awake(fromSnapshotEvents: .rollback) }
        if context.observers.isObserved(.objectsDidChange) { context.news.refreshed.formUnion(restored) }
        context.events.endEvent()
        context.merging.tellChildren(updated: restored, deleted: forgotten + gone)
    }

    private func restore(
        _ object: ManagedObject, from dropped: ChangeRecords, _ index: Int, isKnownAsGone: Bool
    ) {
        context.registry.noteChange(object)
        context.tracker.releaseBorrowedRow(object)
        // A fault without a row in the store may have one by now.
        let wasMissing = object.state.contains(.inaccessible) && !isKnownAsGone
        object.state.remove([.updated, .deleted, .unannounced, .inaccessible])
        if wasMissing {
            object.detachRow()
            object.state = .fault
        }
        guard let row = object.optionalRow else { return }
        let slots = context.shapes[Int(object.entityIndex)].layout.slots
        for place in dropped.savedPositions(of: index) {
            let saved = dropped.saved[place]
            row.setSlotValue(saved.value, slots[Int(saved.property)])
        }
        for slot in slots where slot.kind == .toMany {
            object.existingList(context.registry.relation(object, Int(slot.index)))?.rollBack()
        }
    }

    /// Removes all objects and changes from the context.
    func reset() {
        context.saveUnderWay?.interrupt(by: .reset)
        _ = dropChanges(keepsReadings: false)
        context.reader.moveForward()
        let objects = context.registry.allObjects
        let invalidated = context.observers.isObserved(.objectsDidChange) ? Set(objects.map(\.objectID)) : []
        context.merging.tellChildren(
            updated: objects.filter { !$0.state.contains(.inserted) },
            deleted: objects.filter { $0.state.contains(.inserted) })
        context.registry.removeAll()
        for object in objects {
            context.registry.noteChange(object)
            object.registryReference = nil
            object.recordIndex = -1
            object.detachRow()
            object.state = .fault
            context.registry.formerHome?.note(object)
        }
        guard context.observers.isObserved(.objectsDidChange) else { return }
        var notification = ContextNotification(.objectsDidChange, context)
        notification.isReset = true
        notification.invalidated = invalidated
        context.observers.post(notification)
    }
}
