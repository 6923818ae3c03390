internal import ObjectGraph

extension PersistentDocument {
    /// Starts automatic saving and the observation of changes by other programs, until the document
    /// is closed or ``stopBackgroundTasks()`` is called.
    ///
    /// ```swift
    /// @MainActor func show(_ document: PersistentDocument) {
    ///     document.startBackgroundTasks(.explicit)
    ///     document.outsideChangeHandler = { change in … }
    /// }
    /// ```
    /// All work is done on the actor that calls this method and owns the document; only files are
    /// processed elsewhere. An owner that is not an actor calls ``autosave()`` and
    /// ``checkForOutsideChanges()`` instead. Another call replaces the policy.
    public func startBackgroundTasks(_ policy: SavingPolicy = .explicit, isolation: isolated any Actor = #isolation) {
        opened.background?.stop()
        let tasks = BackgroundTasks()
        opened.background = tasks
        unsavedWorkOnClose = policy.unsavedWorkOnClose
        tasks.watch(state.trace)
        // A closure runs in the owner's isolation only if it captures that.
        tasks.follow(isolation: isolation) { [weak self] in
            _ = isolation
            _ = await self?.checkForOutsideChanges()
        }
        let background = BackgroundSaver(policy)
        guard let interval = background.interval else { return }
        context.edits.firstChangeHandler = { [weak tasks] in tasks?.noteChange() }
        // The handler does not report changes that were made before it was set.
        if context.hasChanges || hasUnsavedChanges { tasks.noteChange() }
        tasks.saveChanges(after: interval, isolation: isolation) { [weak self] begin in
            _ = isolation
            guard let self else { return nil }
            return await background.saveIfDue(opened, by: saver, since: begin) { self.autosaveErrorHandler?($0) }
        }
    }

    /// Stops the tasks of ``startBackgroundTasks(_:isolation:)``. An autosave in progress completes
    /// or is cancelled as a whole.
    public func stopBackgroundTasks() {
        opened.background?.stop()
        opened.background = nil
        unsavedWorkOnClose = nil
        if isOpen { context.edits.firstChangeHandler = nil }
    }
}
