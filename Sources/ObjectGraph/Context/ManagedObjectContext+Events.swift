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
    /// A fetch, a refresh and a merge process pending changes, too, but leave the undo group open:
    /// what follows is part of the same step of undo. Delete rules wait for the save if
    /// ``propagatesDeletesAtEndOfEvent`` is false.
    public func processPendingChanges() {
        events.process(propagatesDeletes: propagatesDeletesAtEndOfEvent, endsStep: true)
    }

    /// Processes pending changes like ``processPendingChanges()``, but does not close the undo
    /// group of the event.
    package func processWithinStep() {
        events.process(propagatesDeletes: propagatesDeletesAtEndOfEvent, endsStep: false)
    }

    /// Runs `body` as one event, whose changes are one step of undo, whatever `body` fetches or
    /// saves.
    ///
    /// ```swift
    /// try context.event("Add Chapter") {
    ///     let chapter = try context.insert("Chapter")
    ///     chapter["number"] = try context.count("Chapter")
    /// }
    /// ```
    /// Changes that are pending before form a step of their own. At the end, pending changes are
    /// processed, as by ``processPendingChanges()``. Within another event, or within a group that
    /// the application opened, the changes are part of that one, and `name` is ignored. Without an
    /// undo manager, only pending changes are processed.
    ///
    /// If `body` throws, the changes that it made until then stay, and are one step of undo as
    /// well: call ``undo()`` to take them back.
    ///
    /// - Parameter name: The name of the step for the menu, as in “Undo Add Chapter”.
    /// - Throws: The error of `body`.
    @discardableResult
    public func event<Result>(_ name: String? = nil, _ body: () throws -> Result) rethrows -> Result {
        processPendingChanges()
        defer { processPendingChanges() }
        guard let undoManager else { return try body() }
        undoManager.beginUndoGrouping()
        defer { undoManager.endUndoGrouping() }
        if let name, undoManager.groupingLevel == 1 { undoManager.setActionName(name) }
        return try body()
    }
}
