import RowMemory
import Schema
import Storage

// The built-in policies for objects that are not in the store as they were read. Whatever is settled here is checked again by the save that follows: its store compares
// the versions anew.
extension ManagedObjectContext {
    func resolve(_ conflicts: [MergeConflict], by type: MergePolicyType) throws {
        let rows = try storedRows(of: conflicts.map(\.objectID))
        let favoursStore = type == .mergeByPropertyStoreTrump || type == .rollback
        var revived: [ManagedObject] = []
        try withoutUndo {
            for conflict in conflicts {
                guard let object = registeredObject(for: conflict.objectID), object.recordIndex >= 0 else { continue }
                switch (rows[conflict.objectID], object.state.contains(.deleted)) {
                case (let row?, false): try merge(row, into: object, by: type)
                case (let row?, true):
                    if favoursStore {
                        revive(object, row)
                        revived.append(object)
                    } else {
                        try deleteAnyway(object, row)
                    }
                case (nil, true): object.state.insert(.inaccessible)
                case (nil, false): if favoursStore { acceptDeletionElsewhere(of: object) } else { recreate(object) }
                }
                refreshedObjects.insert(object)
                if object.contextReference != nil { object.awake(fromSnapshotEvents: .mergePolicy) }
            }
            // Only now, since what stands at the other end may have been merged itself.
            for conflict in conflicts {
                guard let object = registeredObject(for: conflict.objectID), !object.state.contains(.deleted), object.optionalRow != nil else { continue }
                forgetDeletedTargets(of: object)
                guard object.recordIndex >= 0 else { continue }
                if let row = rows[conflict.objectID] { try settleToOnes(of: object, stored: row) } else { try settleToOnes(ofRecreated: object) }
            }
            for object in revived { try settleToOnes(ofRevived: object, isStoreAlone: type == .rollback) }
        }
    }

    // MARK: Changed on both sides

    private func merge(_ stored: Row, into object: ManagedObject, by type: MergePolicyType) throws {
        let shape = shapes[Int(object.entityIndex)]
        for property in shape.entity.properties where !property.isToMany && !property.isTransient {
            let slot = shape.layout.slots[property.index]
            let read = object.committed(property.index, shape), own = object.row.slotValue(slot), theirs = stored.slotValue(slot)
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
        if type == .rollback, !differsFromSaved(object) {
            changes.remove(object)
            object.state.remove(.updated)
        }
    }

    /// Gives a property a value that comes from a merge, where `saved` is what the store has.
    func set(_ value: SlotValue, of object: ManagedObject, _ property: Int, saved: SlotValue) {
        let shape = shapes[Int(object.entityIndex)]
        let slot = shape.layout.slots[property]
        if object.row.slotValue(slot) != value {
            if let relation = shape.relations[property], case .reference(let reference) = value {
                setTarget(object, relation, reference.map { self.object($0) })
            } else {
                object.row.setSlotValue(value, slot)
            }
        }
        let index = Int(object.recordIndex)
        if let place = changes.savedPlaces(of: index).first(where: { changes.saved[$0].property == property }) {
            changes.replaceSaved(at: place, with: saved)
        } else if object.row.slotValue(slot) != saved {
            _ = changes.touch(index, property: property)
            changes.keepSaved(saved, of: index, property: property)
        }
    }

    private func merge(_ object: ManagedObject, _ relation: EntityShape.Relation, by type: MergePolicyType) throws {
        guard let list = object.existingList(relation) else { return }
        if type == .rollback, relation.isLinked {
            // The other end goes back too. Where it is a to-one it is a property of the member, and no conflict of this object's decides about it.
            for member in list.changes.added.values { remove(member, from: object, relation) }
            for member in list.changes.removed.values { add(member, to: object, relation) }
        }
        if list.changes.isEmpty || relation.description.isTransient {
            if !relation.description.isTransient { object.row.clear(relation.slot) }
            return
        }
        try rebase(object, relation, keepingOrder: type == .mergeByPropertyObjectTrump || type == .overwrite)
    }

    /// Puts the differences of a to-many relationship on top of the members that the store has now.
    func rebase(_ object: ManagedObject, _ relation: EntityShape.Relation, keepingOrder: Bool) throws {
        let batch = try store().related(
            entityIndex: relation.property.declaringEntityIndex, propertyIndex: relation.index, owners: [object.key], includingRows: true)
        let held = adopt(batch.rows)
        withExtendedLifetime(held) {
            let list = list(object, relation)
            let before = list.members
            list.rebase(onto: ContiguousArray((batch.members.first ?? []).map { self.object($0) }), keepingOrder: keepingOrder)
            if relation.isLinked { forgetOtherEnds(before, list.members, of: object, relation) }
        }
    }

    /// What others did to a link was not seen at its other end either: that is read again at its next use, or follows where it has differences of its own.
    private func forgetOtherEnds(
        _ before: ContiguousArray<ManagedObject>, _ after: ContiguousArray<ManagedObject>, of object: ManagedObject, _ relation: EntityShape.Relation
    ) {
        guard let inverse = relation.inverse else { return }
        let own = list(object, relation).changes, members = Set(after)
        for member in members.symmetricDifference(before) where !member.state.isFault {
            let id = ObjectIdentifier(member)
            if own.added[id] != nil || own.removed[id] != nil { continue }
            let end = self.relation(member, inverse.index)
            guard let list = member.existingList(end) else { continue }
            if list.changes.isEmpty && list.saving == nil {
                member.row.clear(end.slot)
            } else if members.contains(member) {
                list.learn(object)
            } else {
                list.forget(object)
            }
        }
    }

    // MARK: Deleted on one side

    /// The store's side of an object that was deleted elsewhere: deleted here too, with nothing to write. Its values stay readable until the save.
    func acceptDeletionElsewhere(of object: ManagedObject) {
        object.state.remove(.updated)
        object.state.insert([.deleted, .inaccessible])
        if object.recordIndex < 0 { changes.insert(object) }
        deletedInEvent.append(object)
        guard object.optionalRow != nil else { return }
        for case let relation? in shapes[Int(object.entityIndex)].relations {
            guard let inverse = relation.inverse else { continue }
            for other in knownTargets(of: object, relation) { forget(object, at: other, self.relation(other, inverse.index)) }
        }
    }

    /// The objects that a relationship is known to lead to without asking the store.
    func knownTargets(of object: ManagedObject, _ relation: EntityShape.Relation) -> ContiguousArray<ManagedObject> {
        if !relation.isToMany {
            guard let reference = object.row.reference(relation.slot), let target = registered(reference) else { return [] }
            return [target]
        }
        guard let list = object.existingList(relation) else { return [] }
        return list.isLoaded ? list.members : ContiguousArray(list.changes.added.values)
    }

    /// Makes `other` lead to an object no longer that is gone from the store.
    private func forget(_ object: ManagedObject, at other: ManagedObject, _ end: EntityShape.Relation) {
        guard !other.state.isFault, !other.state.contains(.deleted) else { return }
        if end.isToMany {
            other.existingList(end)?.forget(object)
        } else if other.row.reference(end.slot)?.key == object.key {
            if other.recordIndex >= 0 {
                // It was set here, or the rest of the object was: what is written must not lead nowhere.
                writeReference(other, end.slot, nil)
            } else {
                turnIntoFault(other)
                refreshedObjects.insert(other)
            }
        }
    }

    /// The object's side: it is inserted again, under its number and with what leads from and to it here.
    private func recreate(_ object: ManagedObject) {
        object.state.remove(.updated)
        object.state.insert(.inserted)
        object.row.version = 0
        for relation in shapes[Int(object.entityIndex)].toManys {
            guard let list = object.existingList(relation), !relation.description.isTransient else { continue }
            let added = list.changes.added
            if relation.isLinked || list.changes.removed.isEmpty && added.count == list.members.count && list.isLoaded {
                list.becomeNew(relation.isLinked ? knownTargets(of: object, relation) : list.members)
                continue
            }
            // The rows of its other members do not lead to it any more.
            for member in list.members where added[ObjectIdentifier(member)] == nil && member.recordIndex < 0 && !member.state.isFault {
                turnIntoFault(member)
                refreshedObjects.insert(member)
            }
            list.becomeNew(ContiguousArray(added.values))
        }
    }

    /// The store's side of an object that was deleted here and changed elsewhere: it stays, and so do its relationships as far as the deletion took them back.
    private func revive(_ object: ManagedObject, _ stored: Row) {
        let shape = shapes[Int(object.entityIndex)]
        let members = shape.toManys.map { relation in (relation, object.existingList(relation)?.members ?? []) }
        changes.remove(object)
        object.state.remove([.deleted, .updated])
        for slot in shape.layout.slots where slot.kind != .toMany && !shape.isTransient[Int(slot.index)] { object.row.copyValue(of: slot, from: stored) }
        object.row.version = stored.version
        for relation in shape.toManys { object.row.clear(relation.slot) }
        for relation in shape.toOnes {
            guard let inverse = relation.inverse, let reference = stored.reference(relation.slot), let target = registered(reference) else { continue }
            reconnect(target, self.relation(target, inverse.index), to: object)
        }
        for (relation, members) in members {
            guard let inverse = relation.inverse else { continue }
            for member in members { reconnect(member, self.relation(member, inverse.index), to: object) }
        }
    }

    /// Takes back at the other end what a deletion did there.
    private func reconnect(_ other: ManagedObject, _ end: EntityShape.Relation, to object: ManagedObject) {
        guard other.recordIndex >= 0, !other.state.isFault, !other.state.contains(.deleted) else { return }
        if end.isToMany {
            if other.existingList(end)?.changes.removed[ObjectIdentifier(object)] != nil { addMember(other, end, object) }
        } else if other.row.reference(end.slot) == nil,
            case .reference(let saved?)? = changes.savedValue(of: Int(other.recordIndex), property: end.index), saved.key == object.key
        {
            writeReference(other, end.slot, reference(to: object))
        }
    }

    /// The object's side: it is deleted as it is in the store now, and what came to lead to it meanwhile follows the delete rules. Where that can't be read it keeps its version, and so its conflict.
    func deleteAnyway(_ object: ManagedObject, _ stored: Row) throws {
        mergeValues(of: stored, into: object)
        for relation in shapes[Int(object.entityIndex)].toOnes where !relation.description.isTransient {
            object.row.setSlotValue(stored.slotValue(relation.slot), relation.slot)
            guard let target = stored.reference(relation.slot), let inverse = relation.inverse, !inverse.isToMany, relation.description.deleteRule != .noAction else { continue }
            try release(target, inverse.index, from: object)
        }
        for relation in shapes[Int(object.entityIndex)].toManys where relation.description.deleteRule != .noAction || relation.isLinked {
            try rebase(object, relation, keepingOrder: false)
        }
        try runDeleteRules(of: object)
        object.row.version = stored.version
    }
}
