import RowMemory
import Schema
import Storage

// Objects that were deleted on one side.
extension ObjectMerging {
    /// The store's side of an object that was deleted elsewhere: deleted here too, with nothing to
    /// write. Its values stay readable until the save.
    func acceptDeletionElsewhere(of object: ManagedObject) {
        object.state.remove(.updated)
        object.state.insert([.deleted, .inaccessible])
        if object.recordIndex < 0 { context.changes.insert(object) }
        context.news.deleted.append(object)
        guard object.optionalRow != nil else { return }
        for case let relation? in context.shapes[Int(object.entityIndex)].relations {
            guard let inverse = relation.inverse else { continue }
            for other in knownTargets(of: object, relation) {
                forget(object, at: other, context.registry.relation(other, inverse.index))
            }
        }
    }

    /// The objects that a relationship is known to lead to without asking the store.
    func knownTargets(of object: ManagedObject, _ relation: EntityShape.Relation) -> ContiguousArray<ManagedObject> {
        if !relation.isToMany {
            guard let reference = object.row.reference(relation.slot),
                let target = context.registry.registered(reference)
            else { return [] }
            return [target]
        }
        guard let list = object.existingList(relation) else { return [] }
        return list.isLoaded ? list.members : ContiguousArray(list.changes.added.values)
    }

    /// Makes `other` lead to an object no longer that is gone from the store.
    func forget(_ object: ManagedObject, at other: ManagedObject, _ end: EntityShape.Relation) {
        guard !other.state.isFault, !other.state.contains(.deleted) else { return }
        if end.isToMany {
            other.existingList(end)?.forget(object)
        } else if other.row.reference(end.slot)?.key == object.key {
            if other.recordIndex >= 0 {
                // It was set here, or the rest of the object was: what is written must not lead
                // nowhere.
                context.relationships.writeReference(other, end.slot, nil)
            } else {
                context.faults.turnIntoFault(other)
                context.news.refreshed.insert(other)
            }
        }
    }

    /// The object's side: it is inserted again, under its number and with what leads from and to it
    /// here.
    func recreate(_ object: ManagedObject) {
        object.state.remove(.updated)
        object.state.insert(.inserted)
        object.row.version = 0
        for relation in context.shapes[Int(object.entityIndex)].toManys {
            guard let list = object.existingList(relation), !relation.description.isTransient else { continue }
            let added = list.changes.added
            if relation.isLinked || list.changes.removed.isEmpty && added.count == list.members.count && list.isLoaded {
                list.becomeNew(relation.isLinked ? knownTargets(of: object, relation) : list.members)
                continue
            }
            // The rows of its other members do not lead to it any more.
            for member in list.members
            where added[ObjectIdentifier(member)] == nil && member.recordIndex < 0 && !member.state.isFault {
                context.faults.turnIntoFault(member)
                context.news.refreshed.insert(member)
            }
            list.becomeNew(ContiguousArray(added.values))
        }
    }

    /// The store's side of an object that was deleted here and changed elsewhere: it stays, and so
    /// do its relationships as far as the deletion took them back.
    func revive(_ object: ManagedObject, _ stored: Row) {
        let shape = context.shapes[Int(object.entityIndex)]
        let members = shape.toManys.map { relation in (relation, object.existingList(relation)?.members ?? []) }
        context.changes.remove(object)
        object.state.remove([.deleted, .updated])
        for slot in shape.layout.slots where slot.kind != .toMany && !shape.isTransient[Int(slot.index)] {
            object.row.copyValue(of: slot, from: stored)
        }
        object.row.version = stored.version
        for relation in shape.toManys { object.row.clear(relation.slot) }
        for relation in shape.toOnes {
            guard let inverse = relation.inverse, let reference = stored.reference(relation.slot),
                let target = context.registry.registered(reference)
            else { continue }
            reconnect(target, context.registry.relation(target, inverse.index), to: object)
        }
        for (relation, members) in members {
            guard let inverse = relation.inverse else { continue }
            for member in members { reconnect(member, context.registry.relation(member, inverse.index), to: object) }
        }
    }

    /// Takes back at the other end what a deletion did there.
    func reconnect(_ other: ManagedObject, _ end: EntityShape.Relation, to object: ManagedObject) {
        guard other.recordIndex >= 0, !other.state.isFault, !other.state.contains(.deleted) else { return }
        if end.isToMany {
            if other.existingList(end)?.changes.removed[ObjectIdentifier(object)] != nil {
                context.relationships.addMember(other, end, object)
            }
        } else if other.row.reference(end.slot) == nil,
            case .reference(let saved?)? = context.changes.savedValue(of: Int(other.recordIndex), property: end.index),
            saved.key == object.key
        {
            context.relationships.writeReference(other, end.slot, object.reference)
        }
    }

    /// The object's side: it is deleted as it is in the store now, and what came to lead to it
    /// meanwhile follows the delete rules. Where that can't be read it keeps its version, and so
    /// its conflict.
    func deleteAnyway(_ object: ManagedObject, _ stored: Row) throws {
        mergeValues(of: stored, into: object)
        for relation in context.shapes[Int(object.entityIndex)].toOnes where !relation.description.isTransient {
            object.row.setSlotValue(stored.slotValue(relation.slot), relation.slot)
            guard let target = stored.reference(relation.slot), let inverse = relation.inverse, !inverse.isToMany,
                relation.description.deleteRule != .noAction
            else { continue }
            try release(target, inverse.index, from: object)
        }
        for relation in context.shapes[Int(object.entityIndex)].toManys
        where relation.description.deleteRule != .noAction || relation.isLinked {
            try rebase(object, relation, keepingOrder: false)
        }
        try context.deletions.runDeleteRules(of: object)
        object.row.version = stored.version
    }
}
