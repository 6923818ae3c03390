import RowMemory
import Schema
import Storage

/// Notes what changes in the objects of a context: for the save, for rollback and conflicts, and for undo.
struct ChangeRecorder {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Notes that a slot is about to change: keeps the value for rollback, conflicts and undo, moving it out of the row. The object is realised.
    func willWrite(_ object: ManagedObject, _ slot: RowSlot) {
        context.noteChange(object, Int(slot.index))
        leaveLentRow(object)
        if object.state.isFree || context.untrackedDepth > 0 { return }
        guard let first = touch(object, Int(slot.index)), first.sinceSave || first.inEvent, slot.kind != .toMany else { return }
        let needsSaved = first.sinceSave && !object.state.contains(.inserted)
        let needsUndo = first.inEvent && logsChanges
        guard needsSaved || needsUndo, let cells = object.cells else { return }
        let old = cells.moveSlotValue(slot)
        if needsUndo { context.eventLog.values.append(ValueChange(object: object, value: old, property: Int32(slot.index))) }
        if needsSaved { context.changes.keepSaved(old, of: Int(object.recordIndex), property: Int(slot.index)) }
    }

    /// Gives an object whose row a store is reading a copy of it, which can be changed. To be called before anything is written to the row of an object that a save may be
    /// writing.
    @inline(__always) func leaveLentRow(_ object: ManagedObject) {
        if object.state.contains(.saving) { copyLentRow(of: object) }
    }

    private func copyLentRow(of object: ManagedObject) {
        // A row of a list is never lent, though others of its slab may be; and an object that left it would have to be taken out of the list.
        guard !object.isListed, let slab = object.slab, slab.isLent, let cells = object.cells else { return }
        let copy = context.nursery.makeRow(context.shapes[Int(object.entityIndex)].layout, copying: cells)
        object.slab = copy.slab
        object.cells = copy.cells
    }

    /// Makes the object one with changes, and notes that a property changes. Nil where nothing is recorded.
    @discardableResult
    func touch(_ object: ManagedObject, _ property: Int) -> (sinceSave: Bool, inEvent: Bool)? {
        if object.state.isFree || context.untrackedDepth > 0 || object.contextReference == nil { return nil }
        if object.recordIndex < 0 { recordUpdate(object) }
        return context.changes.touch(Int(object.recordIndex), property: property)
    }

    /// Makes an object one with changes, of which a property is to change.
    @inline(__always) func recordUpdate(_ object: ManagedObject) {
        record(object)
        if object.state.isDisjoint(with: [.inserted, .deleted]) { object.state.insert(.updated) }
    }

    /// Makes the object one with changes.
    func record(_ object: ManagedObject) {
        if context.changes.isEmpty { context.firstChangeHandler?() }
        context.changes.insert(object)
    }

    // MARK: For undo

    /// Whether undo is to learn of what is done now.
    var logsChanges: Bool {
        context.recordsUndo && context.untrackedDepth == 0 && context.undoReference?._withUnsafeGuaranteedRef { $0.isUndoRegistrationEnabled } == true
    }

    func log(_ change: @autoclosure () -> Change) {
        if logsChanges { context.eventLog.append(change()) }
    }

    /// Hands the event's changes to the undo manager, as one action.
    func registerUndo() {
        let log = ChangeLog(context.eventLog)
        context.eventLog = EventLog()
        guard let undoManager = context.undoManager, undoManager.isUndoRegistrationEnabled else { return }
        undoManager.registerUndo(of: log, in: context)
        if !undoManager.isUndoing && !undoManager.isRedoing { undoManager.endEvent() }
    }

    // MARK: What differs

    func differsFromSaved(_ object: ManagedObject) -> Bool { differsFromSaved(object, in: context.changes) }

    /// Whether a value or relationship of an object with a record is another than the saved one.
    func differsFromSaved(_ object: ManagedObject, in changes: borrowing ChangeRecords) -> Bool {
        guard let cells = object.cells else { preconditionFailure("An object that was changed has a row") }
        let index = Int(object.recordIndex)
        return context.shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            if let areSaved = changes.areSaved(cells, shape, of: index) { return !areSaved }
            for property in changes.changed(at: index).places {
                let slot = shape.layout.slots[property]
                if slot.kind == .toMany {
                    if object.existingList(context.relation(object, property))?.differsFromSaved == true { return true }
                } else if changes.differs(cells, slot, of: index, property: property) {
                    return true
                }
            }
            return false
        }
    }
}
