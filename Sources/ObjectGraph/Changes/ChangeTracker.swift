import RowMemory
import Schema
import Storage

/// Notes what changes in the objects of a context: for the save, for rollback and conflicts, and
/// for undo.
///
/// The records of the objects with changes stand in the ``ObjectRegistry``; here is what belongs to
/// the event, to undo and to the position of the edits.
final class ChangeTracker {
    // Exclusivity needs no checks: every method that changes one of these finishes with it before
    // it calls anything that could reach it again.

    let registry: ObjectRegistry
    /// Changes are not recorded and don't reach inverses while this is above zero.
    @exclusivity(unchecked) var untrackedDepth = 0
    /// Changes of this event, for undo.
    @exclusivity(unchecked) var eventLog = EventLog()
    @exclusivity(unchecked) private(set) var recordsUndo = false
    /// The undo manager as long as the context holds it: not counted, for what is done a million
    /// times.
    @exclusivity(unchecked) private var undoReference: Unmanaged<UndoManager>?
    /// The permanent keys of objects whose temporary ones may stand in undo's records.
    var permanentKeys = PermanentKeys()
    var edits = EditHistory()
    /// Told when the first object gets changes that are not saved.
    var firstChangeHandler: (() -> Void)?

    init(_ registry: ObjectRegistry) { self.registry = registry }

    /// Notes that a slot is about to change: keeps the value for rollback, conflicts and undo,
    /// moving it out of the row. The object is filled.
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

    /// Gives an object whose row a store is reading a copy of it, which can be changed. To be
    /// called before anything is written to the row of an object that a save may be writing.
    @inline(__always) func releaseBorrowedRow(_ object: ManagedObject) {
        if object.state.contains(.saving) { copyBorrowedRow(of: object) }
    }

    private func copyBorrowedRow(of object: ManagedObject) {
        // A row of a list is never lent, though others of its slab may be; and an object that left
        // it would have to be taken out of the list.
        guard !object.isListed, let slab = object.slab, slab.isBorrowed, let cells = object.cells else { return }
        let copy = registry.newRows.makeRow(registry.shapes[Int(object.entityIndex)].layout, copying: cells)
        object.slab = copy.slab
        object.cells = copy.cells
    }

    /// Makes the object one with changes, and notes that a property changes. Nil where nothing is
    /// recorded.
    @discardableResult
    func touch(_ object: ManagedObject, _ property: Int) -> (sinceSave: Bool, inEvent: Bool)? {
        if object.state.isFree || untrackedDepth > 0 || object.registryReference == nil { return nil }
        if object.recordIndex < 0 { recordUpdate(object) }
        return registry.changes.touch(Int(object.recordIndex), property: property)
    }

    /// Makes an object one with changes, of which a property is to change.
    @inline(__always) func recordUpdate(_ object: ManagedObject) {
        record(object)
        if object.state.isDisjoint(with: [.inserted, .deleted]) { object.state.insert(.updated) }
    }

    /// Makes the object one with changes.
    func record(_ object: ManagedObject) {
        if registry.changes.isEmpty { firstChangeHandler?() }
        registry.changes.insert(object)
    }

    /// Registers an object that was just made, and lets it know.
    func didInsert(_ object: ManagedObject) {
        registry.register(object)
        record(object)
        if recordsUndo { log(.inserted(object)) }
        if !registry.isPlain[Int(object.entityIndex)] { object.awakeFromInsert() }
    }

    // MARK: For undo

    /// Whether undo is to learn of what is done now.
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
        // What is pending was to be undone with it.
        if !eventLog.isEmpty { edits.noteUnrecorded() }
        edits.detach(undoManager)
        undoReference = nil
        recordsUndo = false
        forgetUndo()
    }

    /// Forgets what undo would need of changes that are no more.
    func forgetUndo() {
        eventLog = EventLog()
        permanentKeys = PermanentKeys()
    }

    /// The event's changes; there are none from here on.
    func takeEventLog() -> EventLog {
        defer { eventLog = EventLog() }
        return eventLog
    }

    /// Runs `body`, whose changes undo does not know of: they come from the store.
    func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        let recorded = recordsUndo
        recordsUndo = false
        defer { recordsUndo = recorded }
        return try body()
    }

    // MARK: What differs

    func differsFromSaved(_ object: ManagedObject) -> Bool { differsFromSaved(object, in: registry.changes) }

    /// Whether a value or relationship of an object with a record is another than the saved one.
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

    /// Whether a property of an object with a record and a row is another than the saved one; of a
    /// new object, whether it has a value.
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
