import RowMemory
import Schema
import Storage

/// Applies the delete rules of deleted objects.
struct DeletionPropagation {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Marks objects for deletion, and returns their number.
    func delete(_ objects: [ManagedObject]) -> Int {
        for object in objects { context.delete(object) }
        return objects.count
    }

    /// Applies the delete rules of all objects deleted in this event, and of those that are deleted
    /// as a consequence.
    func propagateDeletions() {
        if !context.pendingDeletions.postponed.isEmpty { expandPostponedDeletions() }
        var done = 0
        do { try runPendingDeleteRules(&done) } catch {
            // The relationships of the remaining objects are unknown. They stay pending, and the
            // next save throws the error.
            context.note(error)
        }
        finishPropagation(done)
    }

    /// - Parameter done: The number of pending deletions that are completed, also if this throws.
    func runPendingDeleteRules(_ done: inout Int) throws {
        while done < context.pendingDeletions.pending.count {
            // Read all faults of a round with one query: their relationships and versions are
            // needed.
            try readForDeletion(context.pendingDeletions.pending[done...])
            let end = context.pendingDeletions.pending.count
            while done < end {
                let object = context.pendingDeletions.pending[done]
                if object.cells == nil {
                    // The row was deleted in the store meanwhile: drop the object.
                    dropVanished(object)
                } else {
                    try runDeleteRules(of: object)
                    finishDeletion(object)
                }
                done += 1
            }
        }
    }

    /// Unregisters the new objects among the first pending deletions. Only after all rules have
    /// run, because the rules of one object may refer to another.
    func finishPropagation(_ count: Int) {
        for object in context.pendingDeletions.pending.prefix(count)
        where object.state.contains(.inserted) && object.registryReference != nil {
            context.changes.remove(object)
            context.registry.unregister(object)
        }
        context.pendingDeletions.pending.removeFirst(count)
    }

    /// Reads the objects that the delete rules need: rows with one query for each hierarchy,
    /// members with one query for each relationship.
    func readForDeletion(_ objects: ArraySlice<ManagedObject>) throws {
        try context.faults.fetchRows(of: objects)
        var byEntity: [Int: [ManagedObject]] = [:]
        for object in objects where object.cells != nil {
            if object.state.isFault { context.registry.noteChange(object, -1) }
            object.state.remove(.fault)
            if !context.shapes[Int(object.entityIndex)].toManys.isEmpty {
                byEntity[Int(object.entityIndex), default: []].append(object)
            }
        }
        for (entity, owners) in byEntity {
            for relation in context.shapes[entity].toManys
            where relation.description.deleteRule != .noAction || relation.isLinked {
                let unread = owners.filter { !context.members.list($0, relation).isLoaded }
                if !unread.isEmpty, try !leaveMembersToStore(unread, relation) {
                    try context.members.loadLists(of: unread, relation)
                }
            }
        }
    }

    func dropVanished(_ object: ManagedObject) {
        context.changes.remove(object)
        context.registry.unregister(object)
        object.state = .fault
    }

    func finishDeletion(_ object: ManagedObject) {
        context.tracker.log(.removed(object))
        if object.state.contains(.inserted) {
            // The insertion was not saved, so no one else has to be notified. Undo retains the
            // object if necessary.
            context.news.forgotten.insert(object)
        } else {
            context.news.deleted.append(object)
        }
    }

    /// - Throws: Errors of reading the store. Some rules may have been applied by then; applying
    ///   all of them again is safe.
    func runDeleteRules(of object: ManagedObject) throws {
        let shape = context.shapes[Int(object.entityIndex)]
        for relation in shape.toOnes {
            switch relation.description.deleteRule {
            case .noAction: continue
            case .cascade: if let target = context.registry.target(object, relation.slot) { cascade(to: target) }
            case .nullify, .deny: break
            }
            guard let inverse = relation.inverse, let target = context.registry.target(object, relation.slot),
                !target.state.contains(.deleted), target.fireFault()
            else { continue }
            if context.relationships.isStale(target, inverse, pointingTo: object) {
                try context.relationships.readAgain([target], inverse, pointingTo: object)
            }
            context.relationships.disconnect(target, inverse, from: object)
        }
        for relation in shape.toManys where relation.description.deleteRule != .noAction || relation.isLinked {
            if !context.pendingDeletions.memberDeletions.isEmpty, isDeletedByStore(object, relation) { continue }
            let members = context.members.loadedList(object, relation).members
            var stale: [ManagedObject] = []
            for member in members {
                if relation.description.deleteRule == .cascade { cascade(to: member) }
                guard let inverse = relation.inverse, relation.description.deleteRule != .noAction || inverse.isToMany
                else { continue }
                guard !member.state.contains(.deleted), member.fireFault() else { continue }
                if context.relationships.isStale(member, inverse, pointingTo: object) {
                    stale.append(member)
                } else {
                    context.relationships.disconnect(member, inverse, from: object)
                }
            }
            if let inverse = relation.inverse, !stale.isEmpty {
                try context.relationships.readAgain(stale, inverse, pointingTo: object)
                for member in stale { context.relationships.disconnect(member, inverse, from: object) }
            }
        }
    }

    func cascade(to target: ManagedObject) {
        guard !target.state.contains(.deleted) else { return }
        target.prepareForDeletion()
        markDeleted(target)
    }

    func markDeleted(_ object: ManagedObject) {
        guard !object.state.contains(.deleted) else { return }
        context.registry.noteChange(object, -1)
        if object.state.isFree { object.state.insert(.unannounced) }
        object.state.insert(.deleted)
        object.state.remove([.updated, .free])
        if object.recordIndex < 0 { context.tracker.record(object) }
        context.pendingDeletions.pending.append(object)
    }
}
