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
        undoManager.registerUndo(withTarget: self) { UndoReplay($0).takeBack(log) }
        if !undoManager.isUndoing && !undoManager.isRedoing { undoManager.endEvent() }
    }

    func differsFromSaved(_ object: ManagedObject) -> Bool { differsFromSaved(object, in: changes) }

    /// Whether a value or relationship of an object with a record is another than the saved one.
    func differsFromSaved(_ object: ManagedObject, in changes: borrowing ChangeRecords) -> Bool {
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
