import RowMemory
import Schema
import Storage

/// Merges the current state of the store into objects of a context, below their unsaved changes.
///
/// None of it can be undone. Afterwards both ends of each relationship are consistent. The
/// following save checks for conflicts again.
package struct ObjectMerging {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Applies an object's unsaved changes to the current row in the store.
    func mergeStoreValues(_ fresh: Row, into object: ManagedObject) {
        context.registry.noteChange(object)
        guard let old = object.optionalRow else {
            object.attach(fresh)
            return
        }
        mergeValues(of: fresh, into: object)
        let version = old.version
        old.version = fresh.version
        for relation in context.shapes[Int(object.entityIndex)].toManys where !relation.description.isTransient {
            guard let list = object.existingList(relation) else { continue }
            if list.changes.isEmpty {
                old.clear(relation.slot)
            } else {
                do { try rebase(object, relation, keepingOrder: true) } catch {
                    context.note(error)
                    old.version = version
                }
            }
        }
        object.awake(fromSnapshotEvents: .refresh)
    }

    /// Applies an object's unsaved values, except members of relationships, to the current row in
    /// the store.
    func mergeValues(of fresh: Row, into object: ManagedObject) {
        let index = Int(object.recordIndex), old = object.row
        let shape = context.shapes[Int(object.entityIndex)]
        let changed = context.changes.changed(at: index)
        // The store's value replaces the saved one; a changed value stays.
        for place in context.changes.savedPositions(of: index) {
            let slot = shape.layout.slots[Int(context.changes.saved[place].property)]
            // A value that was changed back is not a change.
            if context.changes.saved[place].value == old.slotValue(slot) {
                old.setSlotValue(fresh.slotValue(slot), slot)
            }
            context.changes.replaceSaved(at: place, with: fresh.slotValue(slot))
        }
        for slot in shape.layout.slots where slot.kind != .toMany {
            let isTransient = shape.entity.properties[Int(slot.index)].isTransient
            if changed.contains(Int(slot.index)) || isTransient { continue }
            old.copyValue(of: slot, from: fresh)
        }
    }

    /// Replaces the values of an object without changes by the store's. Transient values are kept.
    func takeValues(of fresh: Row, _ object: ManagedObject) {
        context.registry.noteChange(object)
        let shape = context.shapes[Int(object.entityIndex)]
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

    /// Makes both ends of an object's relationships consistent after the store's values were
    /// merged.
    func settle(_ object: ManagedObject, stored: Row) throws {
        try followDeletions(from: object)
        if object.recordIndex >= 0, !object.state.contains(.deleted) { try settleToOnes(of: object, stored: stored) }
    }

    // MARK: Members

    /// Applies the unsaved changes of a to-many relationship to its current members in the store.
    func rebase(_ object: ManagedObject, _ relation: EntityShape.Relation, keepingOrder: Bool) throws {
        let batch = try context.store().related(
            entityIndex: relation.property.declaringEntityIndex, propertyIndex: relation.index, owners: [object.key],
            includingRows: true)
        let held = context.registry.adopt(batch.rows)
        withExtendedLifetime(held) {
            let list = context.members.list(object, relation)
            let before = list.members
            list.rebase(
                onto: ContiguousArray((batch.members.first ?? []).map { context.registry.object($0) }),
                keepingOrder: keepingOrder)
            if relation.isLinked { forgetOtherEnds(before, list.members, of: object, relation) }
        }
        adjustMembers(of: object, relation)
    }

    /// Makes members that were read from the store agree with objects that are edited or deleted
    /// here, and that other contexts have moved, changed or deleted since.
    func adjustMembers(of owner: ManagedObject, _ relation: EntityShape.Relation) {
        if context.deferredMerges.listsToAdjust?.append((owner, relation)) != nil { return }
        guard context.deferredMerges.hasMerged, context.changes.count > 0, let inverse = relation.inverse,
            !owner.state.contains(.deleted), let list = owner.existingList(relation), list.isLoaded
        else { return }
        let family = context.shapes[relation.property.destinationIndex].entity.family
        let edited = context.changes.objects {
            family.contains(Int($0.entityIndex)) && !$0.state.isFault && $0.cells != nil
        }
        for object in edited { adjust(object, inverse, in: list, of: owner, relation) }
    }

    /// Makes a member of a to-many relationship agree with its inverse. What differs from the store
    /// is an unsaved change.
    func adjust(
        _ object: ManagedObject, _ inverse: EntityShape.Inverse, in list: MemberList, of owner: ManagedObject,
        _ relation: EntityShape.Relation
    ) {
        let isMember = list.contains(object), end = context.registry.relation(object, inverse.index)
        // The links of many-to-many relationships are changes of both ends.
        if end.isToMany, !object.state.contains(.deleted), !context.deferredMerges.gone.contains(object) { return }
        let leads =
            !object.state.contains(.deleted)
            && (end.isToMany
                ? object.existingList(end)?.contains(owner) == true
                : object.row.reference(end.slot)?.key == owner.key)
        guard leads != isMember else { return }
        if leads, context.deferredMerges.gone.contains(object) { return list.learn(object) }
        context.tracker.withoutUndo {
            if leads {
                context.relationships.addMember(owner, relation, object)
            } else {
                context.relationships.removeMember(owner, relation, object)
            }
        }
    }

    /// Updates the other ends of links that changed in the store. An end without changes is read
    /// again at its next use; an end with changes is updated.
    func forgetOtherEnds(
        _ before: ContiguousArray<ManagedObject>, _ after: ContiguousArray<ManagedObject>, of object: ManagedObject,
        _ relation: EntityShape.Relation
    ) {
        guard let inverse = relation.inverse else { return }
        let own = context.members.list(object, relation).changes, members = Set(after)
        for member in members.symmetricDifference(before) where !member.state.isFault {
            let id = ObjectIdentifier(member)
            if own.added[id] != nil || own.removed[id] != nil { continue }
            let end = context.registry.relation(member, inverse.index)
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
}
