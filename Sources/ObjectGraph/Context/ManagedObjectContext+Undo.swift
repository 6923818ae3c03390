import RowMemory
import Storage

extension ManagedObjectContext {
    /// Takes back the last group of changes; see ``undoManager``. Does nothing without a manager.
    public func undo() { undoManager?.undo() }

    /// Makes again what was undone last. Does nothing without a manager.
    public func redo() { undoManager?.redo() }
}
