import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Brings what another context saved into this one: objects that are known here show the new values, under their own unsaved changes; those that were deleted are deleted
    /// here, unless they have unsaved changes, whose save will say so.
    ///
    /// Costs one trip to the store for each hierarchy with changed objects. Nothing of it is undoable, and nothing of it is saved again. Never fails: where the store can't be
    /// read objects stay as they are, and the next save throws why.
    public func mergeChanges(from changes: SavedChanges) {
        processPendingChanges()
        merge(changes)
    }

    /// ``mergeChanges(from:)`` with what a context told of its save.
    public func mergeChanges(fromContextDidSave notification: ContextNotification) {
        mergeChanges(from: notification.changes)
    }

    /// Brings changes that no context has told of, such as those of a batch request, into several contexts.
    public static func mergeChanges(fromRemoteContextSave changes: SavedChanges, into contexts: [ManagedObjectContext]) {
        for context in contexts { context.mergeChanges(from: changes) }
    }

    /// Merges what was saved elsewhere since the last time.
    func mergeWaitingSaves() {
        guard let inbox, saveUnderWay == nil else { return }
        for changes in inbox.takeAll() { merge(changes) }
    }

    private func merge(_ saved: SavedChanges) {
        moveGenerationForward()
        withoutUndo {
            mergeUpdates(saved.updated)
            for id in saved.deleted { mergeDeletion(id) }
            if isObserved(.objectsDidChange) {
                for id in saved.inserted { if let reference = ownReference(of: id) { mergedInsertions.insert(object(reference)) } }
            }
        }
        endEvent()
        followers.post(saved, from: nil)
        guard isObserved(.didMerge) else { return }
        var notification = ContextNotification(.didMerge, self)
        notification.merged = saved
        post(notification)
    }

    private func mergeUpdates(_ ids: Set<ManagedObjectID>) {
        var realised: [(ManagedObjectID, ManagedObject)] = []
        for id in ids {
            guard let object = registeredObject(for: id), object.state.isDisjoint(with: [.inserted, .deleted, .saving]) else { continue }
            if object.state.isFault {
                // Its row is read when it is needed.
                object.detachRow()
            } else {
                realised.append((id, object))
            }
        }
        guard !realised.isEmpty else { return }
        let rows: [ManagedObjectID: Row]
        do { rows = try storedRows(of: realised.map(\.0)) } catch {
            if loadError == nil { loadError = error }
            return
        }
        var unsettled: [(object: ManagedObject, row: Row, version: Int64)] = []
        for (id, object) in realised {
            guard let row = rows[id] else { continue }
            unsettled.append((object, row, object.row.version))
            if object.recordIndex >= 0 { mergeStoreValues(row, into: object) } else { takeValues(of: row, object) }
            refreshedObjects.insert(object)
        }
        for index in unsettled.indices {
            do { try settle(unsettled[index].object, stored: unsettled[index].row) } catch {
                if loadError == nil { loadError = error }
                // Their save is to meet the conflict.
                for rest in unsettled[index...] { rest.object.row.version = rest.version }
                return
            }
        }
    }

    /// Gives an object without changes the values that the store has now. Transient ones stay.
    func takeValues(of fresh: Row, _ object: ManagedObject) {
        noteChange(object)
        let shape = shapes[Int(object.entityIndex)]
        let row = object.row
        for slot in shape.layout.slots {
            if slot.kind == .toMany {
                if !shape.isTransient[Int(slot.index)] { row.clear(slot) }
            } else if !shape.isTransient[Int(slot.index)] {
                row.copyValue(of: slot, from: fresh)
            }
        }
        row.version = fresh.version
        if !shape.isPlain { object.awake(fromSnapshotEvents: .refresh) }
    }

    private func mergeDeletion(_ id: ManagedObjectID) {
        guard let object = registeredObject(for: id), object.state.isDisjoint(with: [.inserted, .saving]) else { return }
        if object.state.contains(.deleted) {
            object.state.insert(.inaccessible)
        } else if object.recordIndex < 0 {
            if object.cells == nil { object.attach(nursery.makeRow(shapes[Int(object.entityIndex)].layout, key: object.key)) }
            object.state.remove(.fault)
            acceptDeletionElsewhere(of: object)
        }
    }

    /// Begins or ends following what is saved to the coordinator or parent.
    func follow(_ isFollowing: Bool) {
        let source = parent?.followers ?? persistentStoreCoordinator.followers
        if let inbox { source.remove(inbox) }
        inbox = isFollowing ? SaveInbox() : nil
        if let inbox { source.add(inbox) }
    }
}
