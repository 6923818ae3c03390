/// The changes of a context as edits: steps of undo, and positions that tell whether a document has
/// unsaved edits.
package struct ContextEdits {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// The position in the edit history; nil while there are pending changes of an event that has
    /// not ended.
    package var position: EditPosition? {
        context.changes.hasEvent || !context.tracker.eventLog.isEmpty || context.pendingDeletions.arePending
            ? nil : context.tracker.edits.position(context.undoManager)
    }

    /// Called when the context gets its first unsaved change.
    package var firstChangeHandler: (() -> Void)? {
        get { context.tracker.firstChangeHandler }
        nonmutating set { context.tracker.firstChangeHandler = newValue }
    }

    /// Records an edit outside the objects, which undo does not know of.
    package func noteUnrecordedEdit() { context.tracker.edits.noteUnrecorded() }

    /// Runs `body`, whose changes to objects do not count as edits: they are saved with the next
    /// edit, can't be undone, and don't change the edit position.
    package func withoutEditing<Result>(_ body: () throws -> Result) rethrows -> Result {
        context.processWithinStep()
        let history = context.tracker.edits
        defer { context.tracker.edits = history }
        guard let undoManager = context.undoManager else {
            defer { context.processWithinStep() }
            return try body()
        }
        return try undoManager.withoutRegistration {
            defer { context.processWithinStep() }
            return try body()
        }
    }

    /// Runs `body`, whose changes form one step of undo. If it throws, all of its changes are taken
    /// back, and undo and redo are as before.
    ///
    /// While a group is open, the step is a part of it. If changes are not recorded for undo, those
    /// of `body` are recorded until it returns.
    ///
    /// - Parameter name: The name of the step; ignored while a group is open.
    /// - Throws: The error of `body`.
    package func asOneStep<Result>(named name: String? = nil, _ body: () throws -> Result) throws -> Result {
        context.processPendingChanges()
        guard let undoManager = context.undoManager else {
            context.undoManager = UndoManager()
            defer { context.undoManager = nil }
            return try asOneStep(body)
        }
        let step = undoManager.beginStep()
        if let name, undoManager.groupingLevel == 1 { undoManager.setActionName(name) }
        do {
            let result = try body()
            context.processPendingChanges()
            if undoManager.endStep(step, hasFailed: false) { noteUnrecordedEdit() }
            return result
        } catch {
            context.processPendingChanges()
            _ = undoManager.endStep(step, hasFailed: true)
            context.processPendingChanges()
            throw error
        }
    }

    /// Closes the group that was opened last and takes back its changes. Traps if no group is open.
    package func cancelUndoGroup() {
        context.processPendingChanges()
        context.undoManager?.cancelUndoGrouping()
        context.processPendingChanges()
    }
}
