extension ManagedObjectContext {
    /// Takes back the last group of changes; see ``undoManager``. Does nothing without a manager.
    public func undo() { undoManager?.undo() }

    /// Makes again what was undone last. Does nothing without a manager.
    public func redo() { undoManager?.redo() }

    /// Where the edits stand; nil while changes are pending that no event has ended yet.
    package var editPosition: EditPosition? {
        changes.hasEvent || !tracker.eventLog.isEmpty || pendingDeletions.areWaiting ? nil : tracker.edits.position(undoManager)
    }

    /// Counts a change that lies outside the objects and that undo does not know of.
    package func noteUnrecordedEdit() { tracker.edits.noteUnrecorded() }

    /// Runs `body`, whose changes to objects are no edits: they are saved with the next edit, can't be undone, and don't move the position.
    package func withoutEditing<Result>(_ body: () throws -> Result) rethrows -> Result {
        processPendingChanges()
        let history = tracker.edits
        undoManager?.disableUndoRegistration()
        defer {
            processPendingChanges()
            undoManager?.enableUndoRegistration()
            tracker.edits = history
        }
        return try body()
    }
}
