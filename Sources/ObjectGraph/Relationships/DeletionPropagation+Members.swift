import Query
import RowMemory
import Schema
import Storage

// Where objects are deleted whose members go with them, these are mostly read only to be deleted.
// Where nobody has them and nobody asks, the store deletes them by itself, as those that lead to a
// deleted object. That is so only in a save that takes everything at once: until then somebody
// might still look.

extension DeletionPropagation {
    /// Whether nobody hears of what a save deletes but the store, and no object of the
    /// application's takes part.
    var deletesUnseen: Bool {
        context.parent == nil && context.persistentStoreCoordinator.union == nil && context.undoManager == nil
            && !context.hasChildren && !context.registry.isPlain.contains(false) && context.registry.registrars == nil
            && context.persistentStoreCoordinator.followers.isEmpty
            && ![.willSave, .objectsDidChange, .didSave].contains { context.observers.isObserved($0) }
    }

    /// Leaves the members of deleted owners to the store, if they are of a kind that can be deleted
    /// so and none of them is here.
    /// - Parameter owners: deleted objects of one entity whose members were not read.
    /// - Returns: false where the members have to be read.
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

    /// Whether objects at the other end of a relationship can be deleted without anything else
    /// hearing of it: nothing but the relationship leads to them, and from them nothing leads on
    /// but what they take along.
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

    /// Whether no object that is to go is here, nor one that may be among them.
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

    /// Deletes the members one by one after all: the save that left them to the store has failed.
    func expandPostponedDeletions() {
        while let deletion = context.pendingDeletions.postponed.last {
            let owners = deletion.owners.filter { $0.state.contains(.deleted) && $0.registryReference != nil }
            do {
                if !owners.isEmpty { try context.members.loadLists(of: owners, deletion.relation) }
            } catch {
                // They wait; the next save throws.
                context.noteLoadError(error)
                return
            }
            context.pendingDeletions.finishPostponed()
            for owner in owners {
                for member in context.members.loadedList(owner, deletion.relation).members { cascade(to: member) }
            }
        }
    }

    /// The numbers of the objects of some entities that a save under way deletes without having
    /// read them.
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

    /// Objects that came to be known while the store deleted them: gone, as if somebody else had
    /// deleted them.
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
