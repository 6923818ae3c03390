import RowMemory
import Schema
import Storage

// What a merge leaves of a to-one relationship must lead to something. A one-to-one relationship
// stands in the rows of both objects, and a conflict over one of them says nothing of the other:
// the other one follows, with what the store has now under its own changes.
extension ObjectMerging {
    /// Where an object leads elsewhere than the store's: makes it lead to nothing that is gone, the
    /// store's target of a one-to-one relationship let go of it, and the merged one take it.
    func settleToOnes(of object: ManagedObject, stored: Row) throws {
        for relation in context.shapes[Int(object.entityIndex)].toOnes where !relation.description.isTransient {
            let theirs = stored.reference(relation.slot), own = object.row.reference(relation.slot)
            guard theirs?.key != own?.key else { continue }
            if let theirs, let inverse = relation.inverse, !inverse.isToMany {
                try release(theirs, inverse.index, from: object)
            }
            if own != nil { try claimTarget(of: object, relation) }
        }
    }

    /// Makes an object that is inserted again lead to nothing that is gone, and the other ends of
    /// its to-one relationships lead to it.
    func settleToOnes(ofRecreated object: ManagedObject) throws {
        for relation in context.shapes[Int(object.entityIndex)].toOnes where !relation.description.isTransient {
            guard let reference = object.row.reference(relation.slot) else { continue }
            guard let inverse = relation.inverse, inverse.isToMany else {
                try claimTarget(of: object, relation)
                continue
            }
            // Many may lead to one owner, which has changes from the first of them on.
            let known = context.registry.registered(reference).flatMap {
                $0.recordIndex >= 0 && $0.state.isDisjoint(with: [.fault, .deleted]) ? $0 : nil
            }
            guard let owner = try known ?? upToDate(reference, inverse.index) else {
                context.relationships.writeReference(object, relation.slot, nil)
                continue
            }
            // As with any new member the owner is changed, so that whoever deletes it meets a
            // conflict.
            let end = context.registry.relation(owner, inverse.index)
            context.tracker.touch(owner, end.index)
            (end.isOrdered ? context.members.loadedList(owner, end) : context.members.list(owner, end)).addAgain(
                object, isTracked: !owner.state.contains(.inserted))
        }
    }

    /// Makes an object whose deletion was given up, which has the store's values, agree with
    /// objects of its one-to-one relationships that were made to lead elsewhere here.
    /// - Parameter isOnlyStore: Whether that is given up too.
    func settleToOnes(ofRevived object: ManagedObject, isOnlyStore: Bool) throws {
        for relation in context.shapes[Int(object.entityIndex)].toOnes where !relation.description.isTransient {
            guard let inverse = relation.inverse, !inverse.isToMany,
                let reference = object.row.reference(relation.slot),
                (context.registry.registered(reference)?.recordIndex ?? -1) >= 0,
                let other = try upToDate(reference, inverse.index),
                other.row.reference(context.registry.relation(other, inverse.index).slot)?.key != object.key
            else { continue }
            if isOnlyStore {
                try claimTarget(of: object, relation)
            } else {
                context.relationships.writeReference(object, relation.slot, nil)
            }
        }
    }

    /// Makes an object that stays lead to nothing that is deleted here. It may have been deleted
    /// along, or have values that the store has now.
    func forgetDeletedTargets(of object: ManagedObject) {
        for relation in context.shapes[Int(object.entityIndex)].toOnes {
            guard let reference = object.row.reference(relation.slot),
                context.registry.registered(reference)?.state.contains(.deleted) == true
            else { continue }
            context.relationships.writeReference(object, relation.slot, nil)
        }
    }

    /// Has the deletions that are to be saved here reach an object that leads to what they delete:
    /// it was not known to when their rules ran. Where such a deletion has a conflict before it,
    /// that settles it.
    func followDeletions(from object: ManagedObject) throws {
        for relation in context.shapes[Int(object.entityIndex)].toOnes where !relation.description.isTransient {
            guard let inverse = relation.inverse,
                let target = object.row.reference(relation.slot).flatMap({ context.registry.registered($0) }),
                target.state.contains(.deleted)
            else { continue }
            let rule = context.registry.relation(target, inverse.index).description.deleteRule
            if rule == .noAction { continue }
            if let row = target.optionalRow,
                let stored = try context.faults.storedRows(of: [target.objectID]).values.first,
                stored.version != row.version
            {
                continue
            }
            // Also where it goes along: undo may bring it back alone.
            context.relationships.writeReference(object, relation.slot, nil)
            if rule == .cascade { context.deletions.cascade(to: object) }
        }
    }

    /// Makes the object of a reference lead to `object` no longer.
    func release(_ reference: ObjectReference, _ property: Int, from object: ManagedObject) throws {
        guard let other = try upToDate(reference, property) else { return }
        let slot = context.registry.relation(other, property).slot
        if other.row.reference(slot)?.key == object.key { context.relationships.writeReference(other, slot, nil) }
    }

    func claimTarget(of object: ManagedObject, _ relation: EntityShape.Relation) throws {
        guard let reference = object.row.reference(relation.slot) else { return }
        guard let inverse = relation.inverse, !inverse.isToMany else {
            if try isGone(reference) { context.relationships.writeReference(object, relation.slot, nil) }
            return
        }
        guard let other = try upToDate(reference, inverse.index) else {
            return context.relationships.writeReference(object, relation.slot, nil)
        }
        let end = context.registry.relation(other, inverse.index), former = other.row.reference(end.slot)
        if former?.key == object.key { return }
        if let former { try release(former, relation.index, from: other) }
        context.relationships.writeReference(other, end.slot, object.reference)
    }

    func isGone(_ reference: ObjectReference) throws -> Bool {
        if let target = context.registry.registered(reference) {
            if !target.state.isDisjoint(with: [.inserted, .saving, .deleted]) {
                return target.state.contains(.deleted)
            }
            // An object that is gone keeps its changes: their save says so.
            if target.recordIndex >= 0, !target.state.isFault, context.tracker.differsFromSaved(target) { return false }
        }
        if reference.key < 0 && context.parent == nil { return true }
        return try context.faults.storedRows(of: [
            context.objectID(key: reference.key, entityIndex: reference.entityIndex)
        ]).isEmpty
    }

    /// The object of a reference as the store has it, or will have it after the save that is under
    /// way; nil where it is gone or deleted here. Of an object with changes only a to-one
    /// relationship is brought up to date: the rest is for its own conflict to settle, and so it
    /// keeps its version.
    func upToDate(_ reference: ObjectReference, _ property: Int) throws -> ManagedObject? {
        if reference.key < 0 && context.parent == nil {
            return context.registry.registered(reference).flatMap { $0.state.contains(.deleted) ? nil : $0 }
        }
        let object = context.registry.object(reference)
        if object.state.contains(.deleted) { return nil }
        if !object.state.isDisjoint(with: [.inserted, .saving]) { return object }
        guard let row = try context.faults.storedRows(of: [object.objectID]).values.first else {
            return object.recordIndex >= 0 && !object.state.isFault && context.tracker.differsFromSaved(object)
                ? object : nil
        }
        if object.state.isFault {
            object.attach(row)
            try context.faults.fulfillFault(object)
        } else if object.recordIndex >= 0 {
            takeReference(property, of: row, object)
        } else {
            takeValues(of: row, object)
        }
        context.news.refreshed.insert(object)
        return object
    }

    /// Gives a to-one relationship that was not changed here, or was changed back, the store's
    /// target, whatever else was changed.
    func takeReference(_ property: Int, of row: Row, _ object: ManagedObject) {
        let relation = context.registry.relation(object, property), index = Int(object.recordIndex)
        guard !relation.isToMany, row.reference(relation.slot)?.key != object.row.reference(relation.slot)?.key else {
            return
        }
        if let place = context.changes.savedPositions(of: index).first(where: {
            context.changes.saved[$0].property == property
        }) {
            guard context.changes.saved[place].value == object.row.slotValue(relation.slot) else { return }
            context.changes.replaceSaved(at: place, with: row.slotValue(relation.slot))
        }
        context.registry.noteChange(object, property)
        object.row.copyValue(of: relation.slot, from: row)
    }
}
