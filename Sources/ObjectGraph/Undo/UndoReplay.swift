import RowMemory
import Schema
import Storage

/// Reverses recorded changes, for undo and redo.
struct UndoReplay {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Starts recording changes for an undo manager. Pending changes are registered before groups
    /// are opened and closed.
    /// - Returns: The checkpoint for ``detach(_:_:)``.
    func attach(_ undoManager: UndoManager) -> UndoManager.Checkpoint {
        context.tracker.attach(undoManager)
        return undoManager.addCheckpoint(
            for: context, hasPending: { !$0.tracker.eventLog.isEmpty || $0.pendingDeletions.arePending }
        ) {
            $0.processWithinStep()
        } afterReplay: {
            $0.undoReplay.finish()
        }
    }

    func detach(_ undoManager: UndoManager, _ checkpoint: UndoManager.Checkpoint?) {
        context.tracker.detach(undoManager)
        undoManager.removeAllActions(withTarget: context)
        checkpoint.map { undoManager.removeCheckpoint($0) }
    }

    /// Registers the changes of the event with the undo manager, as one action, unless they leave
    /// everything as it was: such an event is no edit.
    func registerEvent() {
        let hasNoEffect = context.undoManager?.isReplaying != true && context.tracker.isEventWithoutEffect
        let log = ChangeLog(context.tracker.takeEventLog())
        guard let undoManager = context.undoManager, undoManager.isUndoRegistrationEnabled else { return }
        if !hasNoEffect { undoManager.register(log, of: context) }
    }

    /// Called after all changes of a group were reversed: notifies observers once of all of them.
    func finish() {
        context.isProcessing = true
        defer { context.isProcessing = false }
        settleEnds()
        context.merging.settleUnchangedObjects()
        if let notification = context.undoNotification.take() { context.observers.post(notification) }
    }

    /// Reverses changes, from the last to the first. The reversal itself is recorded for redo.
    func takeBack(_ log: ChangeLog) {
        context.isProcessing = true
        defer { context.isProcessing = false }
        if log.event.hasValuesOnly, !context.deferredMerges.hasMerged, context.tracker.logsChanges,
            context.tracker.eventLog.isEmpty,
            !context.changes.hasEvent
        {
            exchange(log)
        } else {
            takeBackSteps(of: log)
        }
        context.events.endEvent()
    }

    /// Reverses changes one by one, and records each like any other change. The log is emptied,
    /// because an action of undo runs only once.
    func takeBackSteps(of log: ChangeLog) {
        var awakened: [ManagedObject: SnapshotEvents] = [:]
        var broughtBack: [ManagedObject] = []
        if log.isReversed { log.event.values.reverse() }
        while let last = log.event.popLast() {
            switch last {
            case .value(let change): takeBack(change, &awakened)
            case .change(let change):
                let (object, event) = takeBack(change)
                if event == .undoDeletion { broughtBack.append(object) }
                // Only classes of the application override `awake`.
                if !context.registry.isPlain[Int(object.entityIndex)] { awakened[object, default: []].insert(event) }
            }
        }
        if context.pendingDeletions.arePending { context.deletions.propagateDeletions() }
        for (object, events) in awakened where object.registryReference != nil {
            object.awake(fromSnapshotEvents: events)
        }
        dropUnchanged()
        for object in broughtBack where isUnchanged(object, in: context.changes) { drop(object) }
    }

    func takeBack(_ change: ValueChange, _ awakened: inout [ManagedObject: SnapshotEvents]) {
        let object = change.object
        guard canChange(object) else { return }
        context.registry.shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            let slot = shape.layout.slots[Int(change.property)]
            let relation = context.deferredMerges.hasMerged ? shape.relations[Int(change.property)] : nil
            if let relation { noteEnds(object, relation) }
            context.tracker.willWrite(object, slot)
            object.cells?.setSlotValue(standing(current(change.value)), slot)
            if let relation { noteEnds(object, relation) }
            if !shape.isPlain { awakened[object, default: []].insert(.undoUpdate) }
        }
    }

    /// Whether a change of an object can be reversed. Reads the object, which may have become a
    /// fault since.
    private func canChange(_ object: ManagedObject) -> Bool {
        (object.registryReference == nil || object.fireFault()) && object.cells != nil
    }

    func takeBack(_ change: Change) -> (ManagedObject, SnapshotEvents) {
        switch change {
        case .memberAdded(let owner, _, _), .memberRemoved(let owner, _, _, _), .reordered(let owner, _, _):
            if canChange(owner) { takeBackMembers(change) }
            return (owner, .undoUpdate)
        case .inserted(let object):
            takeOut(object)
            return (object, .undoInsertion)
        case .removed(let object):
            bringBack(object)
            return (object, .undoDeletion)
        }
    }

    // MARK: Relationships that other contexts have changed

    /// A member of a to-many relationship.
    struct End {
        let owner: ManagedObject
        let relation: EntityShape.Relation
        let member: ManagedObject
    }

    private func noteEnds(_ object: ManagedObject, _ relation: EntityShape.Relation) {
        guard let inverse = relation.inverse, inverse.isToMany,
            let owner = object.optionalRow?.reference(relation.slot).flatMap({ context.registry.registered($0) })
        else { return }
        context.replayedEnds.append(
            End(owner: owner, relation: context.registry.relation(owner, inverse.index), member: object))
    }

    /// Makes both ends of the replayed relationships agree. A merge may have moved members since
    /// the changes were recorded.
    private func settleEnds() {
        let ends = context.replayedEnds
        context.replayedEnds = []
        for end in ends {
            guard let inverse = end.relation.inverse, canShow(end.owner), canShow(end.member) else { continue }
            context.merging.adjust(
                end.member, inverse, in: context.members.loadedList(end.owner, end.relation), of: end.owner,
                end.relation)
        }
    }

    private func canShow(_ object: ManagedObject) -> Bool {
        object.registryReference != nil && object.state.isDisjoint(with: [.fault, .deleted]) && object.cells != nil
    }

    /// A value, without a reference to an object that is deleted.
    private func standing(_ value: SlotValue) -> SlotValue {
        guard case .reference(let reference?) = value,
            context.registry.registered(reference)?.state.contains(.deleted) == true
        else { return value }
        return .reference(nil)
    }

    private func takeBackMembers(_ change: Change) {
        if context.deferredMerges.hasMerged {
            switch change {
            case .memberAdded(let owner, let property, let member),
                .memberRemoved(let owner, let property, let member, _):
                context.replayedEnds.append(
                    End(owner: owner, relation: context.registry.relation(owner, property), member: member))
            default: break
            }
        }
        switch change {
        case .memberAdded(_, _, let member) where !canShow(member) && !member.state.isFault,
            .memberRemoved(_, _, let member, _) where !canShow(member) && !member.state.isFault:
            // The object is gone, whoever deleted it. A removal would be a change to take back.
            break
        case .memberAdded(let owner, let property, let member):
            context.relationships.removeMember(owner, context.registry.relation(owner, property), member)
        case .memberRemoved(let owner, let property, let member, let index):
            context.relationships.addMember(owner, context.registry.relation(owner, property), member, at: index)
        case .reordered(let owner, let property, let members):
            context.relationships.reorder(owner, context.registry.relation(owner, property), members)
        case .inserted, .removed: break
        }
    }

    // MARK: Values

    /// Exchanges the values in the log with the current ones. Afterwards the log contains the
    /// values for redo, in reverse order, so that nothing has to be recorded.
    func exchange(_ log: ChangeLog) {
        // Observers and classes of the application need the records of the event.
        let isQuiet =
            context.registry.registrars == nil && !context.observers.isObserved(.objectsDidChange)
            && !context.registry.isPlain.contains(false)
        // The list is moved out of the log, so that changing it does not copy it.
        var values = GrowingList<ValueChange>()
        swap(&values, &log.event.values)
        let count = values.count, isReversed = log.isReversed
        var lost: Set<Int> = []
        for step in 0..<count {
            let place = isReversed ? step : count - 1 - step
            if !exchange(&values[place], isQuiet: isQuiet) { lost.insert(place) }
        }
        if !lost.isEmpty {
            var kept = GrowingList<ValueChange>()
            for place in values.indices where !lost.contains(place) { kept.append(values[place]) }
            values = kept
        }
        swap(&values, &log.event.values)
        log.isReversed.toggle()
        if !log.event.isEmpty, let undoManager = context.undoManager { undoManager.register(log, of: context) }
        if isQuiet { return context.changes.endQuietEvent() }
        for object in context.changes.eventObjects
        where object.registryReference != nil && !context.registry.isPlain[Int(object.entityIndex)] {
            object.awake(fromSnapshotEvents: .undoUpdate)
        }
        dropUnchanged()
    }

    /// - Parameter isQuiet: Whether the event needs no records, because nothing observes it.
    /// - Returns: False if the object can't be written; its value is then removed from the log.
    @inline(__always)
    func exchange(_ change: inout ValueChange, isQuiet: Bool) -> Bool {
        let object = change.object
        guard object.registryReference != nil, object.fireFault() else { return false }
        context.tracker.releaseBorrowedRow(object)
        guard let cells = object.cells else { return false }
        return context.registry.shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            let property = Int(change.property)
            let slot = shape.layout.slots[property]
            context.registry.noteChange(object, property)
            if object.recordIndex < 0 { context.tracker.recordUpdate(object) }
            let index = Int(object.recordIndex)
            let isFirst =
                isQuiet
                ? context.changes.touchQuietly(index, property: property)
                : context.changes.touch(index, property: property).sinceSave
            let old = cells.moveSlotValue(slot)
            cells.setSlotValue(current(change.value), slot)
            if isFirst {
                if !object.state.contains(.inserted) { context.changes.keepSaved(old, of: index, property: property) }
            } else if isQuiet, object.state.isDisjoint(with: [.inserted, .deleted]),
                context.changes.areSavedNow(cells, shape, of: index) ?? isUnchanged(object, in: context.changes)
            {
                drop(object)
            }
            change.value = old
            return true
        }
    }

    /// A value with a current reference: objects that were new when it was recorded may have been
    /// saved since.
    func current(_ value: SlotValue) -> SlotValue {
        guard case .reference(let reference?) = value,
            let key = context.tracker.permanentKeys.current(
                reference.key, root: context.registry.rootIndex(reference.entityIndex))
        else { return value }
        return .reference(ObjectReference(key: key, entityIndex: reference.entityIndex))
    }

    // MARK: Insertions and deletions

    /// Undoes an insertion: the object is unregistered, or deleted if it was saved meanwhile.
    /// Separate steps of the log have already reversed its relationships.
    func takeOut(_ object: ManagedObject) {
        // Another context deleted the object, so there is nothing to undo.
        guard object.registryReference != nil, !object.state.contains(.deleted) else { return }
        // Other contexts may have related the object to others since it was saved.
        if context.deferredMerges.hasMerged, !object.state.contains(.inserted), object.fireFault(),
            !object.state.contains(.deleted)
        {
            do { try context.deletions.runDeleteRules(of: object) } catch { context.note(error) }
        }
        context.tracker.log(.removed(object))
        // The save needs the row to delete it, so read it now.
        guard object.state.contains(.inserted) || object.fireFault(),
            !object.state.contains(.deleted)
        else { return }
        context.registry.noteChange(object, -1)
        object.state.insert(.deleted)
        object.state.remove([.updated, .free])
        if object.state.contains(.inserted) {
            context.changes.remove(object)
            context.news.forgotten.insert(object)
            context.registry.unregister(object)
        } else {
            if object.recordIndex < 0 { context.tracker.record(object) }
            context.news.deleted.append(object)
        }
    }

    /// Undoes a deletion. If the deletion was saved, the object is inserted again with its primary
    /// key.
    func bringBack(_ object: ManagedObject) {
        let wasForgotten = object.registryReference == nil
        // It may be back already: it was refreshed, or another context has undone the same
        // deletion.
        if wasForgotten ? !makeWay(for: object) : !object.state.contains(.deleted) { return }
        if context.deferredMerges.accepted.contains(object) { return }
        context.tracker.log(.inserted(object))
        context.registry.noteChange(object, -1)
        if context.observers.isObserved(.objectsDidChange) { context.news.broughtBack.insert(object) }
        object.state.remove([.deleted, .unannounced, .inaccessible])
        renewReferences(of: object)
        if wasForgotten {
            object.registryReference = .passUnretained(context.registry)
            context.registry.register(object)
            object.state.insert(.inserted)
            context.tracker.record(object)
            return
        }
        // An object without a record is being deleted by a save in progress; the completion of that
        // save updates its state.
        if object.recordIndex < 0 { context.tracker.record(object) }
        if !object.state.contains(.inserted) { object.state.insert(.updated) }
    }

    /// Whether the primary key of a forgotten object is free. An object with this key and without a
    /// row is removed from the context.
    private func makeWay(for object: ManagedObject) -> Bool {
        guard let other = context.registry.registered(object.reference) else { return true }
        guard other.recordIndex < 0, other.cells == nil || other.state.contains(.inaccessible) else { return false }
        context.registry.unregister(other)
        return true
    }

    /// Replaces temporary keys in an object that was deleted when other objects got their permanent
    /// keys.
    func renewReferences(of object: ManagedObject) {
        guard context.tracker.permanentKeys.isUsed else { return }
        context.tracker.releaseBorrowedRow(object)
        guard let row = object.optionalRow else { return }
        for relation in context.shapes[Int(object.entityIndex)].toOnes {
            guard let reference = row.reference(relation.slot),
                let key = context.tracker.permanentKeys.current(
                    reference.key, root: context.registry.rootIndex(reference.entityIndex))
            else { continue }
            row.setReference(ObjectReference(key: key, entityIndex: reference.entityIndex), relation.slot)
        }
    }

    // MARK: Objects without changes

    /// Removes the records of objects whose saved values undo has restored.
    func dropUnchanged() {
        for place in unchangedPositions(among: context.changes.eventPositions, of: context.changes) {
            if let object = context.changes.object(at: Int(place)) { drop(object) }
        }
    }

    /// Collects the indexes first: accessing the records while removing some would copy them.
    func unchangedPositions(among places: ContiguousArray<Int32>, of changes: ChangeRecords) -> ContiguousArray<Int32> {
        places.filter {
            changes.unowned(at: Int($0))?._withUnsafeGuaranteedRef { isUnchanged($0, in: changes) } == true
        }
    }

    func isUnchanged(_ object: ManagedObject, in changes: borrowing ChangeRecords) -> Bool {
        object.recordIndex >= 0 && object.state.isDisjoint(with: [.inserted, .deleted])
            && !context.tracker.differsFromSaved(object, in: changes)
    }

    func drop(_ object: ManagedObject) {
        if context.observers.isObserved(.objectsDidChange) { context.news.restored.insert(object) }
        object.state.remove(.updated)
        context.changes.remove(object)
    }
}
