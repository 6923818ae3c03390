import RowMemory
import Schema
import Storage

/// Updates the objects of a save: marks them as being saved, and finally makes them clean or
/// restores their changes.
struct SaveOutcome {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Marks the objects as being saved. Later changes are recorded separately.
    func begin(_ plan: SavePlan) {
        context.saveUnderWay = plan.underWay
        if !plan.underWay.borrowedSlabs.isEmpty { context.registry.newRows.leaveSlabs() }
        context.pendingDeletions.endCollecting()
        context.changes = ChangeRecords()
        for list in plan.underWay.lists { list.beginSaving() }
        plan.underWay.changes.forEach { object, _ in
            object.recordIndex = -1
            object.state = object.state.subtracting([.inserted, .updated, .free]).union(.saving)
        }
    }

    /// Completes a save that the store has written. Objects become clean only here.
    func accept(_ receipt: SaveReceipt) {
        guard var save = context.saveUnderWay else { return }
        context.saveUnderWay = nil
        save.takeBackRows()
        context.reader.moveForward()
        context.tracker.edits.committed = save.position
        if save.interruption == .reset { return acceptForgotten(save, receipt) }
        var renamed: [UnheldObjects] = []
        // In a parent context, the objects remain new and keep their temporary keys.
        if context.parent != nil {
            for places in save.inserted { save.changes.forEach(at: places) { $0.cells?.setVersion(1) } }
        }
        for (places, keys) in zip(save.inserted, receipt.keys) where context.parent == nil {
            // Usually either all objects of a group have temporary keys or none has. Objects that
            // undo restored can be mixed in.
            var objects: UnheldObjects = []
            var next = 0
            save.changes.forEach(at: places) { object in
                if object.key < 0 {
                    objects.append(.passUnretained(object))
                    context.keys.givePermanentKey(object, keys[next])
                }
                object.cells?.setVersion(1)
                next += 1
            }
            if !objects.isEmpty { renamed.append(objects) }
        }
        context.keys.replaceTemporaryKeys(renamed, savedObjects: save)
        save.changes.forEach(at: save.updated) { object in
            if let cells = object.cells { cells.setVersion(cells.version + 1) }
        }
        for list in save.lists { list.finishSaving() }
        save.changes.forEach { object, _ in object.state.remove(.saving) }
        // Before the objects lose their context and their deleted state.
        if context.registry.isPlain.contains(false) {
            for object in save.changes.objects(at: save.deleted) where object.state.contains(.deleted) {
                object.didSave()
            }
        }
        save.changes.forEach(at: save.deleted) { acceptDeletion($0) }
        for deletion in save.memberDeletions { context.deletions.acceptDeletion(of: deletion) }
        context.assignedStores = context.assignedStores.filter { context.registry.temporaries.object(-$0.key) != nil }
        context.outcome.takeDerivedValues(receipt.derived)
        let vanished = acceptVanished(save)
        finish(save, derived: receipt.derived)
        // The records are cleared before they are reused in the context: objects that are released
        // meanwhile access the context's records.
        save.changes.forgetSaved()
        if context.changes.isEmpty { context.changes = save.changes }
        if vanished { context.events.endEvent() }
        context.merging.mergeSavesDuringSave()
    }

    /// Deletes the objects of a save whose changes cancelled out, so that nothing was written, and
    /// that were deleted in the store.
    /// - Returns: Whether there were any.
    private func acceptVanished(_ save: SaveUnderWay) -> Bool {
        if context.deferredMerges.isEmpty { return false }
        let vanished = save.changes.objects(at: save.unchanged).filter {
            context.deferredMerges.gone.contains($0) && $0.recordIndex < 0 && $0.registryReference != nil
        }
        for object in vanished {
            context.merging.acceptDeletionElsewhere(of: object)
            acceptDeletion(object)
        }
        context.deferredMerges.forget(save.changes.indices.compactMap { save.changes.object(at: $0) })
        return !vanished.isEmpty
    }

    func acceptDeletion(_ object: ManagedObject) {
        if object.state.contains(.deleted) {
            context.changes.remove(object)
            context.registry.unregister(object)
            object.state = []
        } else {
            // Undo restored the object while the store was deleting its row, so it is new again.
            object.state.remove(.updated)
            object.state.insert(.inserted)
            if object.recordIndex < 0 { context.changes.insert(object) }
        }
    }

    /// - Returns: The rollback or reset that happened while the store was writing; nil if there was
    ///   none.
    @discardableResult
    func putBack() -> SaveUnderWay.Interruption? {
        guard let save = context.saveUnderWay else { return nil }
        context.saveUnderWay = nil
        save.takeBackRows()
        if save.interruption == .reset {
            // Without later edits, the content is that of the last commit.
            if context.tracker.edits.position(context.undoManager) == save.position {
                context.tracker.edits.returnToCommitted(context.undoManager)
            }
            return .reset
        }
        for list in save.lists { list.cancelSaving() }
        let newer = context.changes
        newer.forEach { object, _ in object.recordIndex = -1 }
        context.changes = save.changes
        save.changes.forEach { object, index in
            object.recordIndex = Int32(index)
            object.state.remove(.saving)
        }
        for places in save.inserted {
            save.changes.forEach(at: places) { object in
                object.state.insert(.inserted)
                // The object as a whole is new, so its differences from the failed save do not
                // count.
                for relation in context.shapes[Int(object.entityIndex)].toManys {
                    object.existingList(relation)?.forgetDifferences()
                }
            }
        }
        save.changes.forEach(at: save.updated + save.unchanged) { object in
            if !object.state.contains(.deleted) { object.state.insert(.updated) }
        }
        context.pendingDeletions.postpone(save.memberDeletions)
        let isEdited = !newer.isEmpty || !context.pendingDeletions.pending.isEmpty
        merge(newer)
        if save.interruption == .rollback, !isEdited { context.rollback() }
        return save.interruption
    }

    /// Applies changes that were made during a save on top of the changes that it did not write.
    func merge(_ newer: ChangeRecords) {
        for index in newer.indices {
            guard let object = newer.object(at: index) else { continue }
            if object.recordIndex < 0 { context.changes.insert(object) }
            let place = Int(object.recordIndex)
            for property in newer.changed(at: index).places {
                let isFirst = context.changes.touch(place, property: property).sinceSave
                if isFirst, !object.state.contains(.inserted),
                    let value = newer.savedValue(of: index, property: property)
                {
                    context.changes.keepSaved(value, of: place, property: property)
                }
            }
            if object.state.contains(.inserted) {
                object.state.remove(.updated)
                if object.state.contains(.deleted) {
                    context.changes.remove(object)
                    context.registry.unregister(object)
                }
            }
        }
    }

    /// - Parameter derived: The rows whose derived values the save has changed.
    func finish(_ save: SaveUnderWay, derived: RowBatch) {
        if context.registry.isPlain.contains(false) {
            for index in save.changes.indices {
                if let object = save.changes.object(at: index), object.registryReference != nil { object.didSave() }
            }
        }
        let source = context.parent?.followers ?? context.persistentStoreCoordinator.followers
        // Children have read what was not saved yet, and not what the store derives.
        let isFollowed = !source.isEmpty || !context.followers.isEmpty
        guard isFollowed || context.observers.isObserved(.didSave) else { return }
        var notification = ContextNotification(.didSave, context)
        for places in save.inserted { notification.inserted.formUnion(save.changes.objects(at: places)) }
        notification.updated = Set(save.changes.objects(at: save.updated))
        for index in 0..<derived.count {
            let reference = ObjectReference(key: derived[index].key, entityIndex: derived[index].entityIndex)
            let isNew = context.registry.registered(reference).map(notification.inserted.contains) ?? false
            if !isNew {
                notification.derived.insert(
                    context.lookup.objectID(key: reference.key, entityIndex: reference.entityIndex))
            }
        }
        // Deletions that the store had already are not part of this save.
        notification.deleted = Set(save.changes.objects(at: save.deleted).filter { !save.goneBefore.contains($0) })
        if isFollowed {
            let changes = notification.changes
            source.post(changes, from: context.inbox)
            context.followers.post(changes, from: nil)
        }
        if context.observers.isObserved(.didSave) { notification.details = details }
        context.observers.post(notification)
    }

    /// What the store says of the save that was just written.
    private var details: [String: any Sendable] {
        typealias Key = ManagedObjectContext.NotificationKey
        guard context.parent == nil else { return [:] }
        var details: [String: any Sendable] = [:]
        let store = context.persistentStoreCoordinator.stores.lazy.compactMap { $0 as? any HistoryStore }
            .first { $0.description.tracksHistory }
        if let store, let token = try? store.currentHistoryToken() {
            details[Key.historyToken.rawValue] = token
        }
        if let generation = try? context.reader.pinnedToken() { details[Key.queryGeneration.rawValue] = generation }
        return details
    }
}
