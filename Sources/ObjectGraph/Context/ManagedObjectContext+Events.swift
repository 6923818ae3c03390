extension ManagedObjectContext {
    /// Calls `handler` at each such event, on the spot, for as long as the result is kept.
    ///
    /// ```swift
    /// let observation = context.observe(.didSave) { print($0.inserted.count, "new objects") }
    /// ```
    public func observe(_ event: ContextNotification.Event, _ handler: @escaping (ContextNotification) -> Void)
        -> ContextObservation
    {
        observers.add(event, handler)
    }

    /// What happens to the context, event by event, for as long as somebody iterates.
    ///
    /// ```swift
    /// for await changes in context.changes(.didSave) { print(changes.inserted.count, "new objects") }
    /// ```
    /// Nothing is missed between two iterations; a consumer that never comes back should end its
    /// iteration, since what happens is kept for it.
    public func changes(_ event: ContextNotification.Event = .objectsDidChange) -> AsyncStream<SavedChanges> {
        observers.stream(of: event)
    }

    /// Ends an event: delete rules run, changes become an undo group, observers are told. Does
    /// nothing where nothing changed since the last time.
    public func processPendingChanges() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        deletions.propagateDeletions()
        endEvent()
        merging.mergeWaitingSaves()
    }

    /// Closes the event without running delete rules.
    func endEvent() {
        if !tracker.eventLog.isEmpty {
            undoReplay.registerEvent()
        } else if changes.hasEvent, !tracker.recordsUndo || undoManager?.isUndoRegistrationEnabled != true {
            tracker.edits.noteUnrecorded()
        }
        guard changes.hasEvent || !news.isEmpty else { return }
        let news = self.news.take()
        let notification = observers.isObserved(.objectsDidChange) ? news.notification(of: changes, in: self) : nil
        changes.endEvent()
        if let notification { observers.post(notification) }
    }
}
