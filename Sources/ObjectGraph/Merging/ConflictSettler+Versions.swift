import RowMemory
import Schema
import Storage

// The built-in policies for objects whose version in the store is not the one that was read.
extension ConflictSettler {
    func resolve(_ conflicts: [MergeConflict], by type: MergePolicyType) throws {
        let rows = try context.faults.storedRows(of: conflicts.map(\.objectID))
        let favorsStore = type == .mergeByPropertyStoreTrump || type == .rollback
        var revived: [ManagedObject] = []
        try context.tracker.withoutUndo {
            for conflict in conflicts {
                guard let object = context.registeredObject(for: conflict.objectID), object.recordIndex >= 0 else {
                    continue
                }
                switch (rows[conflict.objectID], object.state.contains(.deleted)) {
                case (let row?, false): try merge(row, into: object, by: type)
                case (let row?, true):
                    if favorsStore {
                        merging.revive(object, row)
                        revived.append(object)
                    } else {
                        try merging.deleteAnyway(object, row)
                    }
                case (nil, true):
                    if !object.state.contains(.inaccessible) { context.deferredMerges.gone.insert(object) }
                    object.state.insert(.inaccessible)
                case (nil, false):
                    if favorsStore { merging.acceptDeletionElsewhere(of: object) } else { merging.recreate(object) }
                }
                context.news.refreshed.insert(object)
                if object.registryReference != nil { object.awake(fromSnapshotEvents: .mergePolicy) }
            }
            // After the first loop, because the object at the other end may have been merged, too.
            for conflict in conflicts {
                guard let object = context.registeredObject(for: conflict.objectID), !object.state.contains(.deleted),
                    object.optionalRow != nil
                else { continue }
                merging.forgetDeletedTargets(of: object)
                guard object.recordIndex >= 0 else { continue }
                if let row = rows[conflict.objectID] {
                    try merging.settleToOnes(of: object, stored: row)
                } else {
                    try merging.settleToOnes(ofRecreated: object)
                }
            }
            for object in revived { try merging.settleToOnes(ofRevived: object, isOnlyStore: type == .rollback) }
        }
    }

    func merge(_ stored: Row, into object: ManagedObject, by type: MergePolicyType) throws {
        let shape = context.shapes[Int(object.entityIndex)]
        for property in shape.entity.properties where !property.isToMany && !property.isTransient {
            let slot = shape.layout.slots[property.index]
            let read = ObjectChanges(object).committed(property.index, shape), own = object.row.slotValue(slot),
                theirs = stored.slotValue(slot)
            let merged =
                switch type {
                case .mergeByPropertyStoreTrump: theirs == read ? own : theirs
                case .mergeByPropertyObjectTrump: own == read ? theirs : own
                case .overwrite, .error: own
                case .rollback: theirs
                }
            set(merged, of: object, property.index, saved: theirs)
        }
        for relation in shape.toManys { try merge(object, relation, by: type) }
        object.row.version = stored.version
        if type == .rollback, !context.tracker.differsFromSaved(object) {
            context.changes.remove(object)
            object.state.remove(.updated)
        }
    }

    /// Sets a property to the result of a merge. `saved` is the value in the store.
    func set(_ value: SlotValue, of object: ManagedObject, _ property: Int, saved: SlotValue) {
        let shape = context.shapes[Int(object.entityIndex)]
        let slot = shape.layout.slots[property]
        if object.row.slotValue(slot) != value {
            if let relation = shape.relations[property], case .reference(let reference) = value {
                context.relationships.setTarget(object, relation, reference.map { context.registry.object($0) })
            } else {
                object.row.setSlotValue(value, slot)
            }
        }
        let index = Int(object.recordIndex)
        if let place = context.changes.savedPositions(of: index).first(where: {
            context.changes.saved[$0].property == property
        }) {
            context.changes.replaceSaved(at: place, with: saved)
        } else if object.row.slotValue(slot) != saved {
            _ = context.changes.touch(index, property: property)
            context.changes.keepSaved(saved, of: index, property: property)
        }
    }

    func merge(_ object: ManagedObject, _ relation: EntityShape.Relation, by type: MergePolicyType) throws {
        guard let list = object.existingList(relation) else { return }
        if type == .rollback, relation.isLinked {
            // Reset the other end, too. If it is a to-one relationship, it is a property of the
            // member, and a conflict of this object does not change it.
            for member in list.changes.added.values { context.relationships.remove(member, from: object, relation) }
            for member in list.changes.removed.values { context.relationships.add(member, to: object, relation) }
        }
        if list.changes.isEmpty || relation.description.isTransient {
            if !relation.description.isTransient { object.row.clear(relation.slot) }
            return
        }
        try merging.rebase(object, relation, keepingOrder: type == .mergeByPropertyObjectTrump || type == .overwrite)
    }
}
