import RowMemory
import Schema
import Storage

/// Records the changes of a context's objects for the save, for rollback and conflicts, and for
/// undo.
///
/// The records of the objects with changes are in the ``ObjectRegistry``. The tracker has the state
/// of the current event, of undo and of the position in the edit history.
final class ChangeTracker {
    // Exclusivity checks are not necessary: every method that changes one of these properties
    // completes the access before it calls code that could access the property again.

    let registry: ObjectRegistry
    /// While this is above zero, changes are not recorded and inverses are not updated.
    @exclusivity(unchecked) var untrackedDepth = 0
    /// The changes of this event, for undo.
    @exclusivity(unchecked) var eventLog = EventLog()
    @exclusivity(unchecked) private(set) var recordsUndo = false
    /// The undo manager, which the context retains. Unmanaged, since it is read on every change and
    /// reference counting would show.
    @exclusivity(unchecked) private var undoReference: Unmanaged<UndoManager>?
    /// The permanent primary keys of objects whose temporary keys may occur in undo groups.
    var permanentKeys = PermanentKeys()
    var edits = EditHistory()
    /// Called when the context gets its first unsaved change.
    var firstChangeHandler: (() -> Void)?

    init(_ registry: ObjectRegistry) { self.registry = registry }

    /// Prepares for a change of a slot: keeps the old value for rollback, conflicts and undo, by
    /// moving it out of the row. The object must not be a fault.
    func willWrite(_ object: ManagedObject, _ slot: RowSlot) {
        registry.noteChange(object, Int(slot.index))
        releaseBorrowedRow(object)
        if object.state.isFree || untrackedDepth > 0 { return }
        guard let first = touch(object, Int(slot.index)), first.sinceSave || first.inEvent, slot.kind != .toMany else {
            return
        }
        let needsSaved = first.sinceSave && !object.state.contains(.inserted)
        let needsUndo = first.inEvent && logsChanges
        guard needsSaved || needsUndo, let cells = object.cells else { return }
        let old = cells.moveSlotValue(slot)
        if needsUndo { eventLog.values.append(ValueChange(object: object, value: old, property: Int32(slot.index))) }
        if needsSaved { registry.changes.keepSaved(old, of: Int(object.recordIndex), property: Int(slot.index)) }
    }

    /// If a store is reading the row of an object, gives the object a copy of the row that can be
    /// changed. Must be called before any write to the row of an object whose save may be in
    /// progress.
    @inline(__always) func releaseBorrowedRow(_ object: ManagedObject) {
        if object.state.contains(.saving) { copyBorrowedRow(of: object) }
    }

    private func copyBorrowedRow(of object: ManagedObject) {
        // A listed row is never lent, although other rows of its slab may be. Moving such an object
        // to a copy would also require removing it from the list.
        guard !object.isListed, let slab = object.slab, slab.isBorrowed, let cells = object.cells else { return }
        let copy = registry.newRows.makeRow(registry.shapes[Int(object.entityIndex)].layout, copying: cells)
        object.slab = copy.slab
        object.cells = copy.cells
    }

    /// Adds a record for the object if it has none, and records that a property changes. Nil if
    /// nothing is recorded.
    @discardableResult
    func touch(_ object: ManagedObject, _ property: Int) -> (sinceSave: Bool, inEvent: Bool)? {
        if object.state.isFree || untrackedDepth > 0 || object.registryReference == nil { return nil }
        if object.recordIndex < 0 { recordUpdate(object) }
        return registry.changes.touch(Int(object.recordIndex), property: property)
    }

    /// Adds a record for an object of which a property is about to change.
    @inline(__always) func recordUpdate(_ object: ManagedObject) {
        record(object)
        if object.state.isDisjoint(with: [.inserted, .deleted]) { object.state.insert(.updated) }
    }

    /// Adds a record for the object.
    func record(_ object: ManagedObject) {
        if registry.changes.isEmpty { firstChangeHandler?() }
        registry.changes.insert(object)
    }

    /// Registers a new object, and calls `awakeFromInsert`.
    func didInsert(_ object: ManagedObject) {
        registry.register(object)
        record(object)
        if recordsUndo { log(.inserted(object)) }
        if !registry.isPlain[Int(object.entityIndex)] { object.awakeFromInsert() }
    }

    // MARK: For undo

    /// Whether the current changes are recorded for undo.
    var logsChanges: Bool {
        recordsUndo && untrackedDepth == 0
            && undoReference?._withUnsafeGuaranteedRef { $0.isUndoRegistrationEnabled } == true
    }

    func log(_ change: @autoclosure () -> Change) {
        if logsChanges { eventLog.append(change()) }
    }

    func attach(_ undoManager: UndoManager) {
        edits.attach(undoManager)
        undoReference = .passUnretained(undoManager)
        recordsUndo = true
    }

    func detach(_ undoManager: UndoManager) {
        // Undo would have reversed the pending changes.
        if !eventLog.isEmpty { edits.noteUnrecorded() }
        edits.detach(undoManager)
        undoReference = nil
        recordsUndo = false
        forgetUndo()
    }

    /// Discards the undo information of changes that no longer exist.
    func forgetUndo() {
        eventLog = EventLog()
        permanentKeys = PermanentKeys()
    }

    /// Returns the changes of the event and clears the log.
    func takeEventLog() -> EventLog {
        defer { eventLog = EventLog() }
        return eventLog
    }

    /// Whether the recorded changes of the event leave everything as it was: values were set to
    /// what they were, or back to it, and members are those before, in their order. Takes time
    /// linear in the number of values up to the first one that differs.
    var isEventWithoutEffect: Bool {
        guard haveMembersStayed else { return false }
        return eventLog.values.indices.allSatisfy { place in
            let change = eventLog.values[place], object = change.object
            guard object.registryReference != nil, let cells = object.cells else { return false }
            let slot = registry.shapes[Int(object.entityIndex)].layout.slots[Int(change.property)]
            return cells.has(change.value, slot)
        }
    }

    private var haveMembersStayed: Bool {
        if eventLog.hasValuesOnly { return true }
        let states = eventLog.formerMembers { owner, property in
            owner.registryReference == nil
                ? nil
                : owner.existingList(registry.relation(owner, property)).flatMap { $0.isLoaded ? $0.members : nil }
        }
        guard let states else { return false }
        return states.allSatisfy { $0.isSame(inOrder: registry.relation($0.owner, $0.property).isOrdered) }
    }

    /// Runs `body` without recording its changes for undo: they come from the store.
    func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        let recorded = recordsUndo
        recordsUndo = false
        defer { recordsUndo = recorded }
        return try body()
    }

    // MARK: Differences

    func differsFromSaved(_ object: ManagedObject) -> Bool { differsFromSaved(object, in: registry.changes) }

    /// Whether a value or relationship of an object with a record differs from the saved one.
    func differsFromSaved(_ object: ManagedObject, in changes: borrowing ChangeRecords) -> Bool {
        guard let cells = object.cells else { preconditionFailure("An object that was changed has a row") }
        let index = Int(object.recordIndex)
        return registry.shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            if let areSaved = changes.areSaved(cells, shape, of: index) { return !areSaved }
            for property in changes.changed(at: index).places {
                let slot = shape.layout.slots[property]
                if slot.kind == .toMany {
                    if object.existingList(registry.relation(object, property))?.differsFromSaved == true {
                        return true
                    }
                } else if changes.differs(cells, slot, of: index, property: property) {
                    return true
                }
            }
            return false
        }
    }

    /// Whether a property of an object with a record and a row differs from the saved one. For a
    /// new object, whether the property has a value.
    func differsFromSaved(_ object: ManagedObject, _ property: PropertyDescription) -> Bool {
        let shape = registry.shapes[Int(object.entityIndex)]
        if let relation = shape.relations[property.index], relation.isToMany {
            guard let list = object.existingList(relation) else { return false }
            return object.state.contains(.inserted) ? !list.members.isEmpty : list.differsFromSaved
        }
        let slot = shape.layout.slots[property.index]
        if object.state.contains(.inserted) { return object.row.hasValue(slot) }
        guard let saved = registry.changes.savedValue(of: Int(object.recordIndex), property: property.index) else {
            return false
        }
        return saved != object.row.slotValue(slot)
    }
}
