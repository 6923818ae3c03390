extension ManagedObjectContext {
    /// Runs `body`, whose changes form one step of undo. If it throws, all of its changes are taken
    /// back, and undo and redo are as before.
    ///
    /// While a group is open, the step is a part of it. If changes are not recorded for undo, those
    /// of `body` are recorded until it returns.
    ///
    /// - Parameter name: The name of the step; ignored while a group is open.
    /// - Throws: The error of `body`.
    package func asOneStep<Result>(named name: String? = nil, _ body: () throws -> Result) throws -> Result {
        processPendingChanges()
        guard let undoManager else {
            self.undoManager = UndoManager()
            defer { self.undoManager = nil }
            return try asOneStep(body)
        }
        let step = undoManager.beginStep()
        if let name, undoManager.groupingLevel == 1 { undoManager.setActionName(name) }
        do {
            let result = try body()
            processPendingChanges()
            if undoManager.endStep(step, hasFailed: false) { noteUnrecordedEdit() }
            return result
        } catch {
            processPendingChanges()
            _ = undoManager.endStep(step, hasFailed: true)
            processPendingChanges()
            throw error
        }
    }

    /// Closes the group that was opened last and takes back its changes. Traps if no group is open.
    package func cancelUndoGroup() {
        processPendingChanges()
        undoManager?.cancelUndoGrouping()
        processPendingChanges()
    }
}
