internal import ObjectGraph

extension PersistentDocument {
    /// Lets the document save by itself, and follow what other programs do to it, until it is
    /// closed or ``stopBackgroundTasks()`` is called.
    ///
    /// ```swift
    /// @MainActor func show(_ document: PersistentDocument) {
    ///     document.startBackgroundTasks(.explicit)
    ///     document.outsideChangeHandler = { change in … }
    /// }
    /// ```
    /// All of it runs on the actor that calls this and owns the document; only the files are worked
    /// on elsewhere. An owner that is no actor calls ``autosave()`` and
    /// ``checkForOutsideChanges()`` by itself. Calling it again takes up another policy.
    public func startBackgroundTasks(_ policy: SavingPolicy = .explicit, isolation: isolated any Actor = #isolation) {
        opened.background?.stop()
        let tasks = BackgroundTasks()
        opened.background = tasks
        unsavedWorkOnClose = policy.unsavedWorkOnClose
        tasks.watch(state.trace)
        tasks.follow(isolation: isolation) { [weak self] in _ = await self?.checkForOutsideChanges() }
        guard let idle = policy.idle else { return }
        context.firstChangeHandler = { [weak tasks] in tasks?.noteChange() }
        // What is there already was changed before anybody listened.
        if context.hasChanges || hasUnsavedChanges { tasks.noteChange() }
        let background = BackgroundSaver(policy)
        tasks.saveChanges(after: idle, isolation: isolation) { [weak self] begin in
            guard let self else { return nil }
            return await background.saveIfDue(opened, by: saver, since: begin) { self.autosaveErrorHandler?($0) }
        }
    }

    /// Ends what ``startBackgroundTasks(_:isolation:)`` began. An autosave that is under way comes
    /// to its end or is cancelled as a whole.
    public func stopBackgroundTasks() {
        opened.background?.stop()
        opened.background = nil
        unsavedWorkOnClose = nil
        if isOpen { context.firstChangeHandler = nil }
    }
}
