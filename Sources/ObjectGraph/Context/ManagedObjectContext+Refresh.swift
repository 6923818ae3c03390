import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Drops all changes: new objects are forgotten, deleted ones are back, values are the saved ones. Undo forgets everything. Reads nothing.
    ///
    /// While a save is being written elsewhere, as a document's are, this acts as if it came after the save: what was changed since the save began is dropped at once, what the save
    /// writes stays, and where the save fails that is dropped too, unless there are new changes by then. `revert()` of a document gives up autosaved work as well.
    public func rollback() {
        saveUnderWay?.interrupt(by: .rollback)
        let dropped = changes
        changes = ChangeRecords()
        forgetPendingWork()
        var restored: [ManagedObject] = [], forgotten: [ManagedObject] = []
        for index in dropped.indices {
            guard let object = dropped.object(at: index) else { continue }
            object.recordIndex = -1
            if object.state.contains(.inserted) {
                let isAnnounced = object.state.isDisjoint(with: [.free, .unannounced])
                registry.unregister(object)
                // Without a context it has nothing to answer with, as after a reset.
                object.detachRow()
                object.state = .fault
                forgotten.append(object)
                if isAnnounced { news.forgotten.insert(object) }
            } else {
                restore(object, from: dropped, index)
                restored.append(object)
            }
        }
        // Undo may have brought back what the save deletes.
        if let save = saveUnderWay { save.changes.forEach(at: save.deleted) { $0.state.insert(.deleted) } }
        for object in restored { object.awake(fromSnapshotEvents: .rollback) }
        if isObserved(.objectsDidChange) { news.refreshed.formUnion(restored) }
        endEvent()
        tellChildren(updated: restored, deleted: forgotten)
    }

    /// Leaves word with children that follow this context that what they have read of it holds no longer.
    private func tellChildren(updated: some Sequence<ManagedObject>, deleted: some Sequence<ManagedObject> = []) {
        guard !followers.isEmpty else { return }
        func ids(_ objects: some Sequence<ManagedObject>) -> Set<ManagedObjectID> {
            // The objects of a store that was removed have no IDs any more.
            Set(objects.compactMap { $0.key < 0 || persistentStoreCoordinator.objectID(key: $0.key, entityIndex: Int($0.entityIndex)) != nil ? objectID(key: $0.key, entityIndex: Int($0.entityIndex)) : nil })
        }
        let changes = SavedChanges(updated: ids(updated), deleted: ids(deleted), contextName: name)
        if !changes.isEmpty { followers.post(changes, from: nil) }
    }

    /// Forgets what the event has done beside the changes, and what undo knows.
    private func forgetPendingWork() {
        pendingDeletions.removeAll()
        postponedDeletions.removeAll()
        news.forgetDeletions()
        eventLog = EventLog()
        undoManager?.removeAllActions(withTarget: self)
        edits.goBack(to: saveUnderWay?.position ?? edits.committed, undoManager)
        permanentKeys = PermanentKeys()
        loadError = nil
    }

    private func restore(_ object: ManagedObject, from dropped: ChangeRecords, _ index: Int) {
        noteChange(object)
        recorder.leaveLentRow(object)
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

    /// Forgets every object and change. Objects that are still held have no context any more, and no values: keep object IDs.
    ///
    /// A save that is being written elsewhere meanwhile, as a document's are, goes on: it writes what it has taken, or, where it fails, nothing.
    public func reset() {
        saveUnderWay?.interrupt(by: .reset)
        changes = ChangeRecords()
        forgetPendingWork()
        news = EventNews()
        moveGenerationForward()
        let objects = registry.allObjects
        tellChildren(updated: objects.filter { !$0.state.contains(.inserted) }, deleted: objects.filter { $0.state.contains(.inserted) })
        registry.removeAll()
        for object in objects {
            noteChange(object)
            object.contextReference = nil
            object.recordIndex = -1
            object.detachRow()
            object.state = .fault
        }
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
    /// A deletion that is merged is made again, of what the store has now, if somebody else changed it; undo forgets every group that concerns what is deleted then. Never fails: where the store can't be read the object stays as it is, and the next save throws why.
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
            if object.state.contains(.deleted) { merging.deleteAgain(object) } else { merging.mergeStoreValues(into: object) }
        } else {
            let ledToDeleted = merging.ledToDeleted(object)
            changes.remove(object)
            faults.turnIntoFault(object)
            if ledToDeleted { merging.followDeletionsAgain(from: object) }
        }
        news.refreshed.insert(object)
        endEvent()
        tellChildren(updated: [object])
    }

    /// Makes all objects without changes faults again, and brings the others up to date under their changes.
    public func refreshAllObjects() {
        processPendingChanges()
        registry.recent.removeAll()
        for map in registry.identities where !map.listedSlabs.isEmpty { map.unlistAll() }
        for object in registry.allObjects where object.state.isDisjoint(with: [.inserted, .saving, .deleted]) {
            if object.recordIndex >= 0 { merging.mergeStoreValues(into: object) } else { faults.turnIntoFault(object) }
        }
        let objects = registry.allObjects
        news.refreshed.formUnion(objects)
        endEvent()
        tellChildren(updated: objects)
    }

    /// Deletes what the store has no more, as if somebody else had saved that: after another state has taken its place. Reads the rows of all objects without changes;
    /// where that fails they are as they were.
    package func forgetMissingObjects() {
        let objects = registry.allObjects.filter { $0.recordIndex < 0 && $0.state.isDisjoint(with: [.inserted, .saving, .deleted]) }
        guard !objects.isEmpty, let rows = try? storedRows(of: objects.map(\.objectID)) else { return }
        let missing = Set(objects.map(\.objectID).filter { rows[$0] == nil })
        if !missing.isEmpty { mergeChanges(from: SavedChanges(deleted: missing)) }
    }

    /// Reads again the values of realised objects without changes, from rows that a fetch brought.
    func refresh(_ object: ManagedObject, from row: Row) {
        guard !object.state.isFault, object.recordIndex < 0, object.state.isDisjoint(with: [.inserted, .deleted, .saving]) else { return }
        guard object.optionalRow?.isSame(as: row) != true else { return }
        noteChange(object)
        object.attach(row)
        object.awake(fromSnapshotEvents: .refresh)
        news.refreshed.insert(object)
    }
}
