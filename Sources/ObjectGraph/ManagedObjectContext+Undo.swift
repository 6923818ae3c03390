import RowMemory
import Storage

extension ManagedObjectContext {
    /// Takes back the last group of changes; see ``undoManager``. Does nothing without a manager.
    public func undo() { undoManager?.undo() }

    /// Makes again what was undone last. Does nothing without a manager.
    public func redo() { undoManager?.redo() }

    /// Hands the event's changes to the undo manager, as one action.
    func registerUndo() {
        let log = ChangeLog(eventLog)
        eventLog = EventLog()
        guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
        undoManager.registerUndo(withTarget: self) { $0.takeBack(log) }
        if !undoManager.isUndoing && !undoManager.isRedoing { undoManager.endEvent() }
    }

    /// Takes changes back, the last one first. What that does is what redo takes back.
    private func takeBack(_ log: ChangeLog) {
        isProcessing = true
        defer { isProcessing = false }
        if log.event.hasValuesOnly, logsChanges, eventLog.isEmpty, !changes.hasEvent {
            exchange(log)
        } else {
            takeBackSteps(of: log)
        }
        endEvent()
    }

    /// Takes values and other changes back one by one. Each is recorded as any change is. An action of undo is run once: whoever takes the changes back takes them out.
    private func takeBackSteps(of log: ChangeLog) {
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
                if !isPlain[Int(object.entityIndex)] { awakened[object, default: []].insert(event) }
            }
        }
        for (object, events) in awakened where object.contextReference != nil { object.awake(fromSnapshotEvents: events) }
        dropUnchanged()
        for object in broughtBack where isUnchanged(object, in: changes) { drop(object) }
    }

    private func takeBack(_ change: ValueChange, _ awakened: inout [ManagedObject: SnapshotEvents]) {
        let object = change.object
        guard object.fireFault() else { return }
        shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            let slot = shape.layout.slots[Int(change.property)]
            willWrite(object, slot)
            object.cells?.setSlotValue(current(change.value), slot)
            if !shape.isPlain { awakened[object, default: []].insert(.undoUpdate) }
        }
    }

    private func takeBack(_ change: Change) -> (ManagedObject, SnapshotEvents) {
        switch change {
        case .memberAdded(let owner, let property, let member):
            removeMember(owner, relation(owner, property), member)
            return (owner, .undoUpdate)
        case .memberRemoved(let owner, let property, let member, let index):
            addMember(owner, relation(owner, property), member, at: index)
            return (owner, .undoUpdate)
        case .reordered(let owner, let property, let members):
            reorder(owner, relation(owner, property), members)
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

    /// Exchanges values with those that the objects have. The log then holds what redo exchanges, from the first one to the last: nothing is recorded anew.
    private func exchange(_ log: ChangeLog) {
        // Whom to tell of it needs the event's records; so does an application's class.
        let isQuiet = registrars == nil && !isObserved(.objectsDidChange) && !isPlain.contains(false)
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
        if !log.event.isEmpty { undoManager?.registerUndo(withTarget: self) { $0.takeBack(log) } }
        if isQuiet { return changes.endQuietEvent() }
        for object in changes.eventObjects where object.contextReference != nil && !isPlain[Int(object.entityIndex)] { object.awake(fromSnapshotEvents: .undoUpdate) }
        dropUnchanged()
    }

    /// - Parameter isQuiet: Whether the event needs no record, for nobody asks.
    /// - Returns: false where the object can't be written; what it was to get is forgotten.
    @inline(__always)
    private func exchange(_ change: inout ValueChange, isQuiet: Bool) -> Bool {
        let object = change.object
        guard object.contextReference != nil, object.fireFault() else { return false }
        leaveLentRow(object)
        guard let cells = object.cells else { return false }
        return shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            let property = Int(change.property)
            let slot = shape.layout.slots[property]
            noteChange(object, property)
            if object.recordIndex < 0 { recordUpdate(object) }
            let index = Int(object.recordIndex)
            let isFirst = isQuiet ? changes.touchQuietly(index, property: property) : changes.touch(index, property: property).sinceSave
            let old = cells.moveSlotValue(slot)
            cells.setSlotValue(current(change.value), slot)
            if isFirst {
                if !object.state.contains(.inserted) { changes.keepSaved(old, of: index, property: property) }
            } else if isQuiet, object.state.isDisjoint(with: [.inserted, .deleted]), changes.areSavedNow(cells, shape, of: index) ?? isUnchanged(object, in: changes) {
                drop(object)
            }
            change.value = old
            return true
        }
    }

    /// A reference as it is written now: objects that were new when it was recorded may have been saved since.
    private func current(_ value: SlotValue) -> SlotValue {
        guard case .reference(let reference?) = value, let key = permanentKeys.current(reference.key, root: rootIndex(reference.entityIndex)) else { return value }
        return .reference(ObjectReference(key: key, entityIndex: reference.entityIndex))
    }

    /// Undoes an insertion: the object is forgotten, or deleted if it was saved meanwhile. Its relationships were taken back step by step.
    private func takeOut(_ object: ManagedObject) {
        // Somebody else deleted it: there is nothing to take out any more.
        guard object.contextReference != nil || object.state.contains(.deleted) else { return }
        log(.removed(object))
        // Its save deletes the row that was read.
        guard !object.state.contains(.deleted), object.state.contains(.inserted) || object.fireFault(), !object.state.contains(.deleted) else { return }
        noteChange(object, -1)
        object.state.insert(.deleted)
        object.state.remove([.updated, .free])
        if object.state.contains(.inserted) {
            changes.remove(object)
            forgottenObjects.insert(object)
            unregister(object)
        } else {
            if object.recordIndex < 0 { record(object) }
            deletedInEvent.append(object)
        }
    }

    /// Undoes a deletion. Where it was saved already the object is inserted again, under the number that it had.
    private func bringBack(_ object: ManagedObject) {
        log(.inserted(object))
        noteChange(object, -1)
        let wasForgotten = object.contextReference == nil
        object.state.remove([.deleted, .unannounced])
        renewReferences(of: object)
        if wasForgotten {
            object.contextReference = Unmanaged.passUnretained(self)
            register(object)
            object.state.insert(.inserted)
            record(object)
            return
        }
        // Without a record its deletion is being saved; the end of that save decides what it is.
        if object.recordIndex < 0 { record(object) }
        if !object.state.contains(.inserted) { object.state.insert(.updated) }
    }

    /// While it was deleted nobody told it of the permanent keys that others got.
    private func renewReferences(of object: ManagedObject) {
        guard permanentKeys.isUsed else { return }
        leaveLentRow(object)
        guard let row = object.optionalRow else { return }
        for relation in shapes[Int(object.entityIndex)].toOnes {
            guard let reference = row.reference(relation.slot), let key = permanentKeys.current(reference.key, root: rootIndex(reference.entityIndex)) else { continue }
            row.setReference(ObjectReference(key: key, entityIndex: reference.entityIndex), relation.slot)
        }
    }

    /// Objects that undo brought to their saved values have no changes any more.
    private func dropUnchanged() {
        for place in unchangedPlaces(among: changes.eventPlaces, of: changes) { if let object = changes.object(at: Int(place)) { drop(object) } }
    }

    /// All of them first: changes that are read while they are changed would be copied.
    private func unchangedPlaces(among places: ContiguousArray<Int32>, of changes: ChangeRecords) -> ContiguousArray<Int32> {
        places.filter { changes.unowned(at: Int($0))?._withUnsafeGuaranteedRef { isUnchanged($0, in: changes) } == true }
    }

    private func isUnchanged(_ object: ManagedObject, in changes: borrowing ChangeRecords) -> Bool {
        object.recordIndex >= 0 && object.state.isDisjoint(with: [.inserted, .deleted]) && !differsFromSaved(object, in: changes)
    }

    private func drop(_ object: ManagedObject) {
        if isObserved(.objectsDidChange) { restoredObjects.insert(object) }
        object.state.remove(.updated)
        changes.remove(object)
    }

    func differsFromSaved(_ object: ManagedObject) -> Bool { differsFromSaved(object, in: changes) }

    /// Whether a value or relationship of an object with a record is another than the saved one.
    private func differsFromSaved(_ object: ManagedObject, in changes: borrowing ChangeRecords) -> Bool {
        guard let cells = object.cells else { preconditionFailure("An object that was changed has a row") }
        let index = Int(object.recordIndex)
        return shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            if let areSaved = changes.areSaved(cells, shape, of: index) { return !areSaved }
            for property in changes.changed(at: index).places {
                let slot = shape.layout.slots[property]
                if slot.kind == .toMany {
                    if object.existingList(relation(object, property))?.differsFromSaved == true { return true }
                } else if changes.differs(cells, slot, of: index, property: property) {
                    return true
                }
            }
            return false
        }
    }
}
