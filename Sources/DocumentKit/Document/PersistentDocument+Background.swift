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
    /// processed elsewhere. While the owner blocks the actor, as by `readLine()` in a program for
    /// the terminal, nothing is autosaved: wait asynchronously, for lines that another thread
    /// reads. An owner that is not an actor calls ``autosave()`` and
    /// ``checkForOutsideChanges()`` instead. Another call replaces the policy.
    public func startBackgroundTasks(_ policy: SavingPolicy = .explicit, isolation: isolated any Actor = #isolation) {
        opened.background?.stop()
        unsavedWorkOnClose = policy.unsavedWorkOnClose
        let tasks = BackgroundTasks()
        opened.background = tasks
        tasks.start(policy, for: self, isolation: isolation)
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
