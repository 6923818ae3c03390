import RowMemory
import Schema
import Storage

// Objects that were deleted in the context or in the store, but not in both.
extension ObjectMerging {
    /// Accepts that an object was deleted in the store: it becomes deleted, with nothing to write.
    /// Its values remain readable until the save.
    func acceptDeletionElsewhere(of object: ManagedObject) {
        if object.cells == nil {
            object.attach(
                context.registry.newRows.makeRow(context.shapes[Int(object.entityIndex)].layout, key: object.key))
        }
        object.state.remove(.fault)
        context.deferredMerges.gone.remove(object)
        context.deferredMerges.accepted.insert(object)
        object.state.remove(.updated)
        object.state.insert([.deleted, .inaccessible])
        if object.recordIndex < 0 { context.changes.insert(object) }
        context.news.deleted.append(object)
        forgetEverywhere(object)
    }

    /// Removes an object that was deleted in the store from the relationships that lead to it.
    private func forgetEverywhere(_ object: ManagedObject) {
        for case let relation? in context.shapes[Int(object.entityIndex)].relations {
            guard let inverse = relation.inverse else { continue }
            for other in knownTargets(of: object, relation) {
                forget(object, at: other, context.registry.relation(other, inverse.index))
            }
        }
    }

    /// Makes an object deleted that was deleted in the store, and whose changes here are discarded.
    /// Nothing of it is left to save. The object has its saved values.
    /// - Parameter isNew: Whether it was not deleted here before.
    func giveUp(_ object: ManagedObject, isNew: Bool) {
        object.state.remove([.fault, .updated])
        object.state.insert([.deleted, .inaccessible])
        context.registry.identities[context.registry.rootIndex(Int(object.entityIndex))].forgetValues(object.key)
        if isNew { context.news.deleted.append(object) }
        if object.cells != nil { forgetEverywhere(object) }
    }

    /// The objects at the other end of a relationship that are known without a query.
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

    /// Removes an object that was deleted in the store from a relationship of `other`.
    func forget(_ object: ManagedObject, at other: ManagedObject, _ end: EntityShape.Relation) {
        guard !other.state.isFault, !other.state.contains(.deleted) else { return }
        if end.isToMany {
            other.existingList(end)?.forget(object)
        } else if other.row.reference(end.slot)?.key == object.key {
            if other.recordIndex >= 0 {
                // This or another property was set here. The saved row must not refer to a missing
                // row.
                context.relationships.writeReference(other, end.slot, nil)
            } else {
                context.faults.turnIntoFault(other)
                context.news.refreshed.insert(other)
            }
        }
    }

    /// Resolves a deletion in the store in favor of the object: it is inserted again with its
    /// primary key and its relationships in this context.
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
            // In the store, the rows of its other members no longer refer to it.
            for member in list.members
            where added[ObjectIdentifier(member)] == nil && member.recordIndex < 0 && !member.state.isFault {
                context.faults.turnIntoFault(member)
                context.news.refreshed.insert(member)
            }
            list.becomeNew(ContiguousArray(added.values))
        }
    }

    /// Resolves a deletion in the context in favor of the store: the object is restored, and so are
    /// the relationships that the deletion had changed.
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

    /// Reverses the change that a deletion made at the other end of a relationship.
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

    /// Resolves a change in the store in favor of the deletion in the context: the object is
    /// deleted in its current state, and delete rules are applied to the objects that now refer to
    /// it. If reading these throws, the object keeps its version, so that the next save finds the
    /// conflict again.
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
