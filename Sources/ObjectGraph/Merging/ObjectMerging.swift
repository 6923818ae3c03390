import RowMemory
import Schema
import Storage

/// Brings what the store has now into objects of a context, under their unsaved changes.
///
/// Nothing of it is undoable. Both ends of a relationship agree afterwards; what is settled here is
/// checked again by the save that follows.
struct ObjectMerging {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Puts an object's unsaved changes on top of what the store has now.
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
                    context.noteLoadError(error)
                    old.version = version
                }
            }
        }
        object.awake(fromSnapshotEvents: .refresh)
    }

    /// Puts the unsaved values of an object, all but members, on top of those that the store has
    /// now.
    func mergeValues(of fresh: Row, into object: ManagedObject) {
        let index = Int(object.recordIndex), old = object.row
        let shape = context.shapes[Int(object.entityIndex)]
        let changed = context.changes.changed(at: index)
        // The store's value takes the place of the saved one, and the changed value stays.
        for place in context.changes.savedPositions(of: index) {
            let slot = shape.layout.slots[Int(context.changes.saved[place].property)]
            // What was set and set back is no change.
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

    /// Gives an object without changes the values that the store has now. Transient ones stay.
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

    /// Makes what an object leads to after a merge of the store's values, and what leads to it,
    /// agree with each other.
    func settle(_ object: ManagedObject, stored: Row) throws {
        try followDeletions(from: object)
        if object.recordIndex >= 0, !object.state.contains(.deleted) { try settleToOnes(of: object, stored: stored) }
    }

    // MARK: Members

    /// Puts the differences of a to-many relationship on top of the members that the store has now.
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
    }

    /// What others did to a link was not seen at its other end either: that is read again at its
    /// next use, or follows where it has differences of its own.
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
