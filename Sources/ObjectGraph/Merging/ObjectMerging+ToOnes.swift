import RowMemory
import Schema
import Storage

// After a merge, a to-one relationship must not refer to a missing object. A one-to-one
// relationship is stored in the rows of both objects, but a conflict concerns only one of them. So
// the other object is updated here, from its current row with its own unsaved changes on top.
extension ObjectMerging {
    /// Updates the other ends of to-one relationships whose value differs from the store's.
    /// References to missing objects are cleared. In a one-to-one relationship, the target in the
    /// store no longer refers to the object, and the merged target does.
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

    /// Clears references of a reinserted object to missing objects, and makes the other ends of its
    /// to-one relationships refer to it.
    func settleToOnes(ofRecreated object: ManagedObject) throws {
        for relation in context.shapes[Int(object.entityIndex)].toOnes where !relation.description.isTransient {
            guard let reference = object.row.reference(relation.slot) else { continue }
            guard let inverse = relation.inverse, inverse.isToMany else {
                try claimTarget(of: object, relation)
                continue
            }
            // Many objects can refer to the same owner, which has changes after the first of them.
            let known = context.registry.registered(reference).flatMap {
                $0.recordIndex >= 0 && $0.state.isDisjoint(with: [.fault, .deleted]) ? $0 : nil
            }
            guard let owner = try known ?? upToDate(reference, inverse.index) else {
                context.relationships.writeReference(object, relation.slot, nil)
                continue
            }
            // Adding a member changes the owner, so that a deletion of the owner in another context
            // is a conflict.
            let end = context.registry.relation(owner, inverse.index)
            context.tracker.touch(owner, end.index)
            (end.isOrdered ? context.members.loadedList(owner, end) : context.members.list(owner, end)).addAgain(
                object, isTracked: !owner.state.contains(.inserted))
        }
    }

    /// Makes a restored object, which has the store's values, consistent with objects of its
    /// one-to-one relationships that refer to other objects in this context.
    /// - Parameter isStoreAlone: Whether the changes of these objects are discarded, too.
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

    /// Clears references of a surviving object to objects that are deleted here. They may have been
    /// deleted together with it, or come from the store's new values.
    func forgetDeletedTargets(of object: ManagedObject) {
        for relation in context.shapes[Int(object.entityIndex)].toOnes {
            guard let reference = object.row.reference(relation.slot),
                context.registry.registered(reference)?.state.contains(.deleted) == true
            else { continue }
            context.relationships.writeReference(object, relation.slot, nil)
        }
    }

    /// Applies pending deletions to an object that refers to a deleted object, but was not known
    /// when the delete rules ran. If the deletion has a conflict itself, resolving that conflict
    /// covers this object.
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
            // Also if the object is deleted: undo may restore it alone.
            context.relationships.writeReference(object, relation.slot, nil)
            if rule == .cascade { context.deletions.cascade(to: object) }
        }
    }

    /// Clears the reference of another object to `object`.
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
            // An object that was deleted in the store keeps its changes: its save reports the
            // conflict.
            if target.recordIndex >= 0, !target.state.isFault, context.tracker.differsFromSaved(target) { return false }
        }
        if reference.key < 0 && context.parent == nil { return true }
        return try context.faults.storedRows(of: [
            context.lookup.objectID(key: reference.key, entityIndex: reference.entityIndex)
        ]).isEmpty
    }

    /// The object of a reference in its current state in the store, or after the save in progress;
    /// nil if it does not exist or is deleted here. For an object with changes, only one to-one
    /// relationship is updated. The object keeps its version, so that its own conflict is still
    /// found.
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

    /// Updates a to-one relationship from the store's row, unless it has an unsaved change. Other
    /// changes of the object are kept.
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
