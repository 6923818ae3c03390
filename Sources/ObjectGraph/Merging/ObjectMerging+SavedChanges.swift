import RowMemory
import Schema
import Storage

// Merging of changes that other contexts saved.
extension ObjectMerging {
    /// Merges the saves of other contexts that are waiting in the inbox.
    func mergeWaitingSaves() {
        guard let inbox = context.inbox, context.saveUnderWay == nil else { return }
        for changes in inbox.takeAll() { merge(changes) }
    }

    func merge(_ changes: SavedChanges) {
        let saved = context.persistentStoreCoordinator.current(changes)
        context.reader.moveForward()
        context.deferredMerges.hasMerged = true
        let known = context.deferredMerges.accepted
        context.tracker.withoutUndo {
            for id in saved.inserted { mergeInsertion(id) }
            mergeUpdates(saved.inserted.isEmpty ? saved.updated : saved.updated.union(saved.inserted))
            for id in saved.deleted { mergeDeletion(id) }
            if context.observers.isObserved(.objectsDidChange) {
                for id in saved.inserted {
                    if let reference = context.lookup.reference(of: id) {
                        context.news.mergedInsertions.insert(context.registry.object(reference))
                    }
                }
            }
        }
        let gone = context.deferredMerges.accepted.subtracting(known)
        if !gone.isEmpty { context.undoManager?.removeGroups(leadingTo: gone) }
        context.events.endEvent()
        context.followers.post(saved, from: nil)
        guard context.observers.isObserved(.didMerge) else { return }
        var notification = ContextNotification(.didMerge, context)
        notification.merged = saved
        notification.refreshedIDs = saved.updated.filter { context.registeredObject(for: $0) != nil }
        context.observers.post(notification)
    }

    /// Notifies children that follow this context that the values they have read from it are
    /// outdated.
    func tellChildren(updated: some Sequence<ManagedObject>, deleted: some Sequence<ManagedObject> = []) {
        guard !context.followers.isEmpty else { return }
        func ids(_ objects: some Sequence<ManagedObject>) -> Set<ManagedObjectID> {
            // The objects of a removed store have no IDs.
            Set(
                objects.compactMap {
                    $0.key < 0
                        || context.persistentStoreCoordinator.objectID(key: $0.key, entityIndex: Int($0.entityIndex))
                            != nil
                        ? context.lookup.objectID(key: $0.key, entityIndex: Int($0.entityIndex)) : nil
                })
        }
        let changes = SavedChanges(updated: ids(updated), deleted: ids(deleted), contextName: context.name)
        if !changes.isEmpty { context.followers.post(changes, from: nil) }
    }

    func mergeUpdates(_ ids: Set<ManagedObjectID>) {
        var filled: [(ManagedObjectID, ManagedObject)] = []
        for id in ids {
            guard let object = context.registeredObject(for: id), !object.state.contains(.inserted) else { continue }
            if object.state.contains(.saving) {
                context.deferredMerges.ofSaveUnderWay.updated.insert(id)
            } else if object.state.contains(.deleted) {
                if !object.state.contains(.inaccessible) { context.deferredMerges.changed.insert(object) }
            } else if object.state.isFault {
                // The fault reads the row when it is fired.
                object.detachRow()
                if context.observers.isObserved(.objectsDidChange) { context.news.refreshed.insert(object) }
            } else {
                filled.append((id, object))
            }
        }
        guard !filled.isEmpty else { return }
        let rows: [ManagedObjectID: Row]
        do { rows = try context.faults.storedRows(of: filled.map(\.0)) } catch {
            context.note(error)
            return
        }
        context.deferredMerges.listsToAdjust = []
        defer {
            let lists = context.deferredMerges.listsToAdjust ?? []
            context.deferredMerges.listsToAdjust = nil
            for list in lists { adjustMembers(of: list.owner, list.relation) }
        }
        var unsettled: [(object: ManagedObject, row: Row, version: Int64)] = []
        for (id, object) in filled {
            guard let row = rows[id] else { continue }
            unsettled.append((object, row, object.row.version))
            if object.recordIndex >= 0 { mergeStoreValues(row, into: object) } else { takeValues(of: row, object) }
            context.news.refreshed.insert(object)
        }
        for index in unsettled.indices {
            do { try settle(unsettled[index].object, stored: unsettled[index].row) } catch {
                context.note(error)
                // Restore the old versions, so that the saves of these objects find the conflict.
                for rest in unsettled[index...] { rest.object.row.version = rest.version }
                return
            }
        }
    }

    func mergeDeletion(_ id: ManagedObjectID) {
        guard let object = context.registeredObject(for: id), !object.state.contains(.inserted) else { return }
        if object.state.contains(.saving) {
            context.deferredMerges.ofSaveUnderWay.deleted.insert(id)
        } else if object.state.contains(.deleted) {
            if object.state.contains(.inaccessible) { return }
            object.state.insert(.inaccessible)
            context.deferredMerges.gone.insert(object)
        } else if object.recordIndex < 0 {
            acceptDeletionElsewhere(of: object)
        } else {
            context.deferredMerges.gone.insert(object)
        }
    }

    /// Accepts that an object is in the store again that another context had deleted.
    func mergeInsertion(_ id: ManagedObjectID) {
        guard let object = context.registeredObject(for: id), object.state.isDisjoint(with: [.inserted, .saving]) else {
            return
        }
        if context.deferredMerges.gone.remove(object) != nil {
            object.state.remove(.inaccessible)
        } else if object.state.isSuperset(of: [.deleted, .inaccessible]) {
            context.deferredMerges.accepted.remove(object)
            context.changes.remove(object)
            context.faults.turnIntoFault(object)
        }
    }

    /// Merges what was saved of objects while this context was saving them.
    func mergeSavesDuringSave() {
        let saves = context.deferredMerges.takeSaves()
        if !saves.isEmpty { merge(saves) }
    }

    /// Merges the state in the store into an object whose deletion was undone, and moves it between
    /// the to-many relationships that lead to it.
    private func bringUpToDate(_ object: ManagedObject) {
        let toOnes = context.shapes[Int(object.entityIndex)].toOnes.filter { $0.inverse?.isToMany == true }
        let before = toOnes.map { object.optionalRow?.reference($0.slot) }
        mergeUpdates([object.objectID])
        for (relation, former) in zip(toOnes, before) {
            guard let inverse = relation.inverse else { continue }
            let now = object.optionalRow?.reference(relation.slot)
            if let former, former.key != now?.key, let other = context.registry.registered(former),
                !other.state.isFault, !other.state.contains(.deleted)
            {
                let end = context.registry.relation(other, inverse.index)
                if other.existingList(end)?.contains(object) == true {
                    context.relationships.removeMember(other, end, object)
                }
            }
            if let now, let other = context.registry.registered(now), !other.state.isFault,
                !other.state.contains(.deleted)
            {
                let end = context.registry.relation(other, inverse.index)
                guard let list = other.existingList(end), list.isLoaded, !list.contains(object) else { continue }
                if list.changes.removed[ObjectIdentifier(object)] != nil {
                    context.relationships.addMember(other, end, object)
                } else {
                    list.learn(object)
                }
            }
        }
    }

    /// Settles, after undo, objects that are as they were saved but that other contexts have
    /// changed or deleted since.
    func settleUnchangedObjects() {
        let merges = context.deferredMerges
        if merges.isEmpty { return }
        let gone = merges.gone.filter {
            $0.registryReference != nil && $0.recordIndex < 0
                && $0.state.isDisjoint(with: [.inserted, .saving, .deleted])
        }
        let changed = merges.changed.filter { $0.registryReference != nil && !$0.state.contains(.deleted) }
        if gone.isEmpty && changed.isEmpty { return }
        context.deferredMerges.changed.subtract(changed)
        context.tracker.withoutUndo {
            for object in changed { bringUpToDate(object) }
            for object in gone { acceptDeletionElsewhere(of: object) }
        }
        // The groups that concern them can't be undone or redone any more.
        if !gone.isEmpty { context.undoManager?.removeGroups(concerning: gone) }
        context.events.endEvent()
    }
}
