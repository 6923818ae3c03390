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
        var index = 0
        while index < pendingDeletions.count {
            // One trip for all faults of a round: their relationships and versions are needed.
            let round = pendingDeletions[index...]
            do { try readForDeletion(round) } catch {
                // Nobody knows yet what these lead to: they wait, and the next save throws.
                if loadError == nil { loadError = error }
                finishPropagation(index)
                return
            }
            let end = pendingDeletions.count
            while index < end {
                let object = pendingDeletions[index]
                index += 1
                // A row that vanished meanwhile is dropped silently (F23).
                if object.cells == nil {
                    dropVanished(object)
                    continue
                }
                runDeleteRules(of: object)
                finishDeletion(object)
            }
        }
        finishPropagation(index)
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

    func runDeleteRules(of object: ManagedObject) {
        let shape = shapes[Int(object.entityIndex)]
        for relation in shape.toOnes {
            switch relation.description.deleteRule {
            case .noAction: continue
            case .cascade: if let target = target(object, relation.slot) { cascade(to: target) }
            case .nullify, .deny: break
            }
            guard let inverse = relation.inverse, let target = target(object, relation.slot), !target.state.contains(.deleted), target.fireFault() else { continue }
            disconnect(target, inverse, from: object)
        }
        for relation in shape.toManys where relation.description.deleteRule != .noAction || relation.isLinked {
            if !memberDeletions.isEmpty, isLeftToStore(object, relation) { continue }
            let members = loadedList(object, relation).members
            for member in members {
                if relation.description.deleteRule == .cascade { cascade(to: member) }
                guard let inverse = relation.inverse, relation.description.deleteRule != .noAction || inverse.isToMany else { continue }
                if !member.state.contains(.deleted), member.fireFault() { disconnect(member, inverse, from: object) }
            }
        }
    }

    func cascade(to target: ManagedObject) {
        guard !target.state.contains(.deleted) else { return }
        target.prepareForDeletion()
        markDeleted(target)
    }
}
