import RowMemory
import Schema
import Storage

/// Takes changes back, for undo and redo.
struct UndoReplay {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Has changes recorded for an undo manager. What is pending is registered before groups begin
    /// and end.
    /// - Returns: for ``detach(_:_:)``.
    func attach(_ undoManager: UndoManager) -> UndoManager.Checkpoint {
        context.tracker.attach(undoManager)
        return undoManager.addCheckpoint(
            for: context, hasPending: { !$0.tracker.eventLog.isEmpty || $0.pendingDeletions.arePending }
        ) { $0.processPendingChanges() }
    }

    func detach(_ undoManager: UndoManager, _ checkpoint: UndoManager.Checkpoint?) {
        context.tracker.detach(undoManager)
        undoManager.removeAllActions(withTarget: context)
        checkpoint.map { undoManager.removeCheckpoint($0) }
    }

    /// Hands the event's changes to the undo manager, as one action.
    func registerEvent() {
        let log = ChangeLog(context.tracker.takeEventLog())
        guard let undoManager = context.undoManager, undoManager.isUndoRegistrationEnabled else { return }
        undoManager.register(log, of: context)
        if !undoManager.isUndoing && !undoManager.isRedoing { undoManager.endEvent() }
    }

    /// Takes changes back, the last one first. What that does is what redo takes back.
    func takeBack(_ log: ChangeLog) {
        context.isProcessing = true
        defer { context.isProcessing = false }
        if log.event.hasValuesOnly, context.tracker.logsChanges, context.tracker.eventLog.isEmpty,
            !context.changes.hasEvent
        {
            exchange(log)
        } else {
            takeBackSteps(of: log)
        }
        context.endEvent()
    }

    /// Takes values and other changes back one by one. Each is recorded as any change is. An action
    /// of undo is run once: whoever takes the changes back takes them out.
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
                // Only an application's class has something to do when it is awakened.
                if !context.registry.isPlain[Int(object.entityIndex)] { awakened[object, default: []].insert(event) }
            }
        }
        for (object, events) in awakened where object.registryReference != nil {
            object.awake(fromSnapshotEvents: events)
        }
        dropUnchanged()
        for object in broughtBack where isUnchanged(object, in: context.changes) { drop(object) }
    }

    func takeBack(_ change: ValueChange, _ awakened: inout [ManagedObject: SnapshotEvents]) {
        let object = change.object
        guard object.fireFault() else { return }
        context.registry.shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            let slot = shape.layout.slots[Int(change.property)]
            context.tracker.willWrite(object, slot)
            object.cells?.setSlotValue(current(change.value), slot)
            if !shape.isPlain { awakened[object, default: []].insert(.undoUpdate) }
        }
    }

    func takeBack(_ change: Change) -> (ManagedObject, SnapshotEvents) {
        switch change {
        case .memberAdded(let owner, let property, let member):
            context.relationships.removeMember(owner, context.registry.relation(owner, property), member)
            return (owner, .undoUpdate)
        case .memberRemoved(let owner, let property, let member, let index):
            context.relationships.addMember(owner, context.registry.relation(owner, property), member, at: index)
            return (owner, .undoUpdate)
        case .reordered(let owner, let property, let members):
            context.relationships.reorder(owner, context.registry.relation(owner, property), members)
            return (owner, .undoUpdate)
        case .inserted(let object):
            takeOut(object)
            return (object, .undoInsertion)
        case .removed(let object):
            bringBack(object)
            return (object, .undoDeletion)
        }
    }

    // MARK: Values alone

    /// Exchanges values with those that the objects have. The log then holds what redo exchanges,
    /// from the first one to the last: nothing is recorded anew.
    func exchange(_ log: ChangeLog) {
        // Whom to tell of it needs the event's records; so does an application's class.
        let isQuiet =
            context.registry.registrars == nil && !context.observers.isObserved(.objectsDidChange)
            && !context.registry.isPlain.contains(false)
        // Nobody else sees the list while it is changed.
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

    /// - Parameter isQuiet: Whether the event needs no record, for nobody asks.
    /// - Returns: false where the object can't be written; what it was to get is forgotten.
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

    /// A reference as it is written now: objects that were new when it was recorded may have been
    /// saved since.
    func current(_ value: SlotValue) -> SlotValue {
        guard case .reference(let reference?) = value,
            let key = context.tracker.permanentKeys.current(
                reference.key, root: context.rootIndex(reference.entityIndex))
        else { return value }
        return .reference(ObjectReference(key: key, entityIndex: reference.entityIndex))
    }

    // MARK: Insertions and deletions

    /// Undoes an insertion: the object is forgotten, or deleted if it was saved meanwhile. Its
    /// relationships were taken back step by step.
    func takeOut(_ object: ManagedObject) {
        // Somebody else deleted it: there is nothing to take out any more.
        guard object.registryReference != nil || object.state.contains(.deleted) else { return }
        context.tracker.log(.removed(object))
        // Its save deletes the row that was read.
        guard !object.state.contains(.deleted), object.state.contains(.inserted) || object.fireFault(),
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

    /// Undoes a deletion. Where it was saved already the object is inserted again, under the number
    /// that it had.
    func bringBack(_ object: ManagedObject) {
        context.tracker.log(.inserted(object))
        context.registry.noteChange(object, -1)
        let wasForgotten = object.registryReference == nil
        object.state.remove([.deleted, .unannounced])
        renewReferences(of: object)
        if wasForgotten {
            object.registryReference = .passUnretained(context.registry)
            context.registry.register(object)
            object.state.insert(.inserted)
            context.tracker.record(object)
            return
        }
        // Without a record its deletion is being saved; the end of that save decides what it is.
        if object.recordIndex < 0 { context.tracker.record(object) }
        if !object.state.contains(.inserted) { object.state.insert(.updated) }
    }

    /// While it was deleted nobody told it of the permanent keys that others got.
    func renewReferences(of object: ManagedObject) {
        guard context.tracker.permanentKeys.isUsed else { return }
        context.tracker.releaseBorrowedRow(object)
        guard let row = object.optionalRow else { return }
        for relation in context.shapes[Int(object.entityIndex)].toOnes {
            guard let reference = row.reference(relation.slot),
                let key = context.tracker.permanentKeys.current(
                    reference.key, root: context.rootIndex(reference.entityIndex))
            else { continue }
            row.setReference(ObjectReference(key: key, entityIndex: reference.entityIndex), relation.slot)
        }
    }

    // MARK: Objects without changes

    /// Objects that undo brought to their saved values have no changes any more.
    func dropUnchanged() {
        for place in unchangedPositions(among: context.changes.eventPositions, of: context.changes) {
            if let object = context.changes.object(at: Int(place)) { drop(object) }
        }
    }

    /// All of them first: changes that are read while they are changed would be copied.
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
