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

    func merge(_ saved: SavedChanges) {
        context.reader.moveForward()
        context.tracker.withoutUndo {
            mergeUpdates(saved.updated)
            for id in saved.deleted { mergeDeletion(id) }
            if context.observers.isObserved(.objectsDidChange) {
                for id in saved.inserted {
                    if let reference = context.lookup.reference(of: id) {
                        context.news.mergedInsertions.insert(context.registry.object(reference))
                    }
                }
            }
        }
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
            guard let object = context.registeredObject(for: id),
                object.state.isDisjoint(with: [.inserted, .deleted, .saving])
            else { continue }
            if object.state.isFault {
                // The fault reads the row when it is fired.
                object.detachRow()
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
        guard let object = context.registeredObject(for: id), object.state.isDisjoint(with: [.inserted, .saving]) else {
            return
        }
        if object.state.contains(.deleted) {
            object.state.insert(.inaccessible)
        } else if object.recordIndex < 0 {
            if object.cells == nil {
                object.attach(
                    context.registry.newRows.makeRow(context.shapes[Int(object.entityIndex)].layout, key: object.key))
            }
            object.state.remove(.fault)
            acceptDeletionElsewhere(of: object)
        }
    }
}
