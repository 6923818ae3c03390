extension ManagedObjectContext {
    /// Calls a handler synchronously at each event of a kind, until the returned observation is
    /// released or cancelled.
    ///
    /// ```swift
    /// let observation = context.observe(.didSave) { print($0.inserted.count, "new objects") }
    /// ```
    public func observe(_ event: ContextNotification.Event, _ handler: @escaping (ContextNotification) -> Void)
        -> ContextObservation
    {
        observers.add(event, handler)
    }

    /// The changes of each event of a kind, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await changes in context.changes(.didSave) { print(changes.inserted.count, "new objects") }
    /// ```
    /// No event is lost between two iterations: events are buffered without a limit, so a consumer
    /// that stops iterating should end the iteration.
    public func changes(_ event: ContextNotification.Event = .objectsDidChange) -> AsyncStream<SavedChanges> {
        observers.stream(of: event)
    }

    /// Ends an event: applies delete rules, closes the undo group of the changes, notifies
    /// observers, and merges saves of other contexts that are waiting (see
    /// ``automaticallyMergesChangesFromParent``). Does nothing if nothing has changed.
    ///
    /// Delete rules wait for the save if ``propagatesDeletesAtEndOfEvent`` is false.
    public func processPendingChanges() { events.process(propagatesDeletes: propagatesDeletesAtEndOfEvent) }
}
