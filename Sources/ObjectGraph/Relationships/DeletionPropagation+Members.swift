import Query
import RowMemory
import Schema
import Storage

// The members of a deleted object that are deleted with it are usually read only for that purpose.
// If none of them is registered and nobody observes the deletion, the store can find and delete
// them itself, by their reference to the deleted object. That happens only as part of a save that
// writes all changes at once: before the save, the application could still access the members.

extension DeletionPropagation {
    /// Whether only the store sees the deletions of a save: there are no observers, children, undo
    /// manager or application classes.
    var deletesUnseen: Bool {
        context.parent == nil && context.persistentStoreCoordinator.union == nil && context.undoManager == nil
            && context.children.isEmpty && !context.registry.isPlain.contains(false)
            && context.registry.registrars == nil
            && context.persistentStoreCoordinator.followers.isEmpty
            && ![.willSave, .objectsDidChange, .didSave].contains { context.observers.isObserved($0) }
    }

    /// Leaves the members of deleted owners to the store, if members of this relationship can be
    /// deleted in bulk and none of them is registered.
    /// - Parameter owners: Deleted objects of one entity whose members were not read.
    /// - Returns: False if the members have to be read.
    func leaveMembersToStore(_ owners: [ManagedObject], _ relation: EntityShape.Relation) throws -> Bool {
        guard context.pendingDeletions.collectsMemberDeletions, relation.description.deleteRule == .cascade,
            let inverse = relation.inverse, !inverse.isToMany,
            canBeBulkDeleted(relation, inverse.index),
            owners.allSatisfy({ $0.key > 0 && $0.existingList(relation)?.changes.isEmpty != false }),
            try context.store().deletesMembers(
                entityIndex: relation.property.declaringEntityIndex, propertyIndex: relation.index)
        else { return false }
        let deletion = MemberDeletion(
            relation: relation, owners: owners, keys: Set(owners.map(\.key)), inverse: inverse.index)
        guard hasNoLoadedMembers(of: deletion) else { return false }
        context.pendingDeletions.leaveToStore(deletion)
        return true
    }

    /// Whether the objects at the other end of a relationship can be deleted without reading them:
    /// no other relationship refers to them, and their deletion changes no other object.
    func canBeBulkDeleted(_ relation: EntityShape.Relation, _ inverse: Int) -> Bool {
        let destination = context.shapes[relation.property.destinationIndex]
        guard destination.entity.family.count == 1, destination.entity.rootIndex == destination.entity.index,
            !relation.description.isTransient
        else { return false }
        for shape in context.shapes {
            for case let other? in shape.relations where other.property.destinationIndex == destination.entity.index {
                if other.property.declaringEntityIndex != relation.property.declaringEntityIndex
                    || other.index != relation.index
                {
                    return false
                }
            }
        }
        return destination.relations.allSatisfy { relation in
            guard let relation else { return true }
            let rule = relation.description.deleteRule
            return !relation.isToMany && (rule == .nullify || rule == .noAction)
                && (relation.index == inverse || relation.inverse == nil)
        }
    }

    /// Whether the context has none of the objects to be deleted, and no object that may be one of
    /// them.
    func hasNoLoadedMembers(of deletion: MemberDeletion) -> Bool {
        let slot = context.shapes[deletion.destination].layout.slots[deletion.inverse]
        func isNone(_ object: ManagedObject) -> Bool {
            guard Int(object.entityIndex) == deletion.destination else { return true }
            guard object.recordIndex < 0, let row = object.optionalRow else { return false }
            return row.reference(slot).map { !deletion.keys.contains($0.key) } ?? true
        }
        let known = context.registry.identities[deletion.destination]
        return (known.count == 0 || known.objects.allSatisfy(isNone))
            && (context.registry.temporaries.count == 0 || context.registry.temporaries.objects.allSatisfy(isNone))
    }

    func isDeletedByStore(_ owner: ManagedObject, _ relation: EntityShape.Relation) -> Bool {
        context.pendingDeletions.memberDeletions.contains { $0.relation === relation && $0.keys.contains(owner.key) }
    }

    /// Reads and deletes the members one by one, because the save that left them to the store has
    /// failed.
    func expandPostponedDeletions() {
        while let deletion = context.pendingDeletions.postponed.last {
            let owners = deletion.owners.filter { $0.state.contains(.deleted) && $0.registryReference != nil }
            do {
                if !owners.isEmpty { try context.members.loadLists(of: owners, deletion.relation) }
            } catch {
                // Try again at the next opportunity; the next save throws the error.
                context.note(error)
                return
            }
            context.pendingDeletions.finishPostponed()
            for owner in owners {
                for member in context.members.loadedList(owner, deletion.relation).members { cascade(to: member) }
            }
        }
    }

    /// The primary keys of objects that a save in progress deletes without having read them, for a
    /// range of entities.
    func keysDeletedByStore(of entities: Range<Int>) throws -> [Int64] {
        var keys: [Int64] = []
        for deletion in context.saveUnderWay?.memberDeletions ?? [] where entities.contains(deletion.destination) {
            let relation = deletion.relation
            let batch = try context.store().related(
                entityIndex: relation.property.declaringEntityIndex, propertyIndex: relation.index,
                owners: deletion.owners.map(\.key), includingRows: false)
            for members in batch.members { keys += members.map(\.key) }
        }
        return keys
    }

    /// Marks objects as deleted that were registered while the store deleted their rows, as if
    /// another context had saved the deletion.
    func acceptDeletion(of deletion: MemberDeletion) {
        let known = context.registry.identities[deletion.destination]
        if !known.listedSlabs.isEmpty { known.unlistAll() }
        guard known.count > 0 else { return }
        let slot = context.shapes[deletion.destination].layout.slots[deletion.inverse]
        for object in known.objects where !object.state.contains(.deleted) {
            guard let row = object.optionalRow, let owner = row.reference(slot), deletion.keys.contains(owner.key)
            else { continue }
            context.merging.acceptDeletionElsewhere(of: object)
        }
    }
}
