import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Marks an object as deleted. Its relationships' delete rules run at ``processPendingChanges()`` or at the save, which removes it from the store.
    ///
    /// An object that was never saved is just forgotten. Traps if the object is of another context.
    public func delete(_ object: ManagedObject) {
        guard let context = object.managedObjectContext else { return }
        precondition(context === self, "An object is deleted by its own context")
        object.prepareForDeletion()
        markDeleted(object)
    }

    func markDeleted(_ object: ManagedObject) {
        guard !object.state.contains(.deleted) else { return }
        noteChange(object, -1)
        if object.state.isFree { object.state.insert(.unannounced) }
        object.state.insert(.deleted)
        object.state.remove([.updated, .free])
        if object.recordIndex < 0 { record(object) }
        pendingDeletions.append(object)
    }

    /// Runs the delete rules of all objects deleted in this event, and of those that these delete.
    func propagateDeletions() {
        if !postponedDeletions.isEmpty { expandPostponedDeletions() }
        var done = 0
        do { try runPendingDeleteRules(&done) } catch {
            // Nobody knows yet what the others lead to: they wait, and the next save throws.
            if loadError == nil { loadError = error }
        }
        finishPropagation(done)
    }

    /// - Parameter done: How many of the pending deletions are done with, also where it throws.
    private func runPendingDeleteRules(_ done: inout Int) throws {
        while done < pendingDeletions.count {
            // One trip for all faults of a round: their relationships and versions are needed.
            try readForDeletion(pendingDeletions[done...])
            let end = pendingDeletions.count
            while done < end {
                let object = pendingDeletions[done]
                if object.cells == nil {
                    // A row that vanished meanwhile is dropped silently (F23).
                    dropVanished(object)
                } else {
                    try runDeleteRules(of: object)
                    finishDeletion(object)
                }
                done += 1
            }
        }
    }

    /// Forgets the new ones among the first objects; only now, since the rules of one may lead to another.
    private func finishPropagation(_ count: Int) {
        for object in pendingDeletions.prefix(count) where object.state.contains(.inserted) && object.contextReference != nil {
            changes.remove(object)
            unregister(object)
        }
        pendingDeletions.removeFirst(count)
    }

    /// Reads what the delete rules of some objects need: rows in one trip for each hierarchy, members in one for each relationship.
    private func readForDeletion(_ objects: ArraySlice<ManagedObject>) throws {
        try fetchRows(of: objects)
        var byEntity: [Int: [ManagedObject]] = [:]
        for object in objects where object.cells != nil {
            if object.state.isFault { noteChange(object, -1) }
            object.state.remove(.fault)
            if !shapes[Int(object.entityIndex)].toManys.isEmpty { byEntity[Int(object.entityIndex), default: []].append(object) }
        }
        for (entity, owners) in byEntity {
            for relation in shapes[entity].toManys where relation.description.deleteRule != .noAction || relation.isLinked {
                let unread = owners.filter { !list($0, relation).isLoaded }
                if !unread.isEmpty, try !leaveMembersToStore(unread, relation) { try loadLists(of: unread, relation) }
            }
        }
    }

    private func dropVanished(_ object: ManagedObject) {
        changes.remove(object)
        unregister(object)
        object.state = .fault
    }

    private func finishDeletion(_ object: ManagedObject) {
        log(.removed(object))
        if object.state.contains(.inserted) {
            // Its insertion is not saved: nobody else needs to know of it. Undo holds it, if anyone does.
            forgottenObjects.insert(object)
        } else {
            deletedInEvent.append(object)
        }
    }

    /// - Throws: what reading throws; then some rules may have run, and all can run again.
    func runDeleteRules(of object: ManagedObject) throws {
        let shape = shapes[Int(object.entityIndex)]
        for relation in shape.toOnes {
            switch relation.description.deleteRule {
            case .noAction: continue
            case .cascade: if let target = target(object, relation.slot) { cascade(to: target) }
            case .nullify, .deny: break
            }
            guard let inverse = relation.inverse, let target = target(object, relation.slot), !target.state.contains(.deleted), target.fireFault() else { continue }
            if isStale(target, inverse, ledToBy: object) { try readAgain([target], inverse, ledToBy: object) }
            disconnect(target, inverse, from: object)
        }
        for relation in shape.toManys where relation.description.deleteRule != .noAction || relation.isLinked {
            if !memberDeletions.isEmpty, isLeftToStore(object, relation) { continue }
            let members = loadedList(object, relation).members
            var stale: [ManagedObject] = []
            for member in members {
                if relation.description.deleteRule == .cascade { cascade(to: member) }
                guard let inverse = relation.inverse, relation.description.deleteRule != .noAction || inverse.isToMany else { continue }
                guard !member.state.contains(.deleted), member.fireFault() else { continue }
                if isStale(member, inverse, ledToBy: object) { stale.append(member) } else { disconnect(member, inverse, from: object) }
            }
            if let inverse = relation.inverse, !stale.isEmpty {
                try readAgain(stale, inverse, ledToBy: object)
                for member in stale { disconnect(member, inverse, from: object) }
            }
        }
    }

    /// Whether an object that `object` leads to does not lead back: it was read before somebody else made it lead there, or after it was made to lead elsewhere.
    func isStale(_ other: ManagedObject, _ inverse: EntityShape.Inverse, ledToBy object: ManagedObject) -> Bool {
        guard !inverse.isToMany, other.state.isDisjoint(with: [.inserted, .saving]) else { return false }
        return other.row.reference(relation(other, inverse.index).slot)?.key != object.key
    }

    /// Stale objects as the store has them, so that none is left there that leads to an object that is gone.
    func readAgain(_ stale: [ManagedObject], _ inverse: EntityShape.Inverse, ledToBy object: ManagedObject) throws {
        let rows = try storedRows(of: stale.map(\.objectID))
        for other in stale {
            guard let row = rows[other.objectID] else { continue }
            if other.recordIndex < 0 {
                takeValues(of: row, other)
            } else if row.reference(relation(other, inverse.index).slot)?.key == object.key {
                // Its other changes are for the merge policy to settle: it keeps its version.
                takeReference(inverse.index, of: row, other)
            }
            refreshedObjects.insert(other)
        }
    }

    func cascade(to target: ManagedObject) {
        guard !target.state.contains(.deleted) else { return }
        target.prepareForDeletion()
        markDeleted(target)
    }
}
