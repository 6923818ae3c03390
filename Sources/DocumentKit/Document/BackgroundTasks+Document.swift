internal import DocumentFiles
internal import ObjectGraph

extension BackgroundTasks {
    /// Starts the tasks of a document on the actor that owns it.
    func start(_ policy: SavingPolicy, for document: PersistentDocument, isolation: isolated any Actor) {
        watch(document.state.trace)
        // A closure runs in the owner's isolation only if it captures that.
        follow(isolation: isolation) { [weak document] in
            _ = isolation
            _ = await document?.checkForOutsideChanges()
        }
        let background = BackgroundSaver(policy)
        guard let interval = background.interval else { return }
        document.context.edits.firstChangeHandler = { [weak self] in self?.noteChange() }
        // The handler does not report changes that were made before it was set.
        if document.context.hasChanges || document.hasUnsavedChanges { noteChange() }
        saveChanges(after: interval, isolation: isolation) { [weak document] begin in
            _ = isolation
            guard let document else { return nil }
            return await background.saveIfDue(document.opened, by: document.operations.saver, since: begin) {
                document.autosaveErrorHandler?($0)
            }
        }
    }
}
