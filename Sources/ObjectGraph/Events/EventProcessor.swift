/// Ends the events of a context; see ``ManagedObjectContext/processPendingChanges()``.
struct EventProcessor {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Ends the event, and merges the saves of other contexts that are waiting. Does nothing within
    /// itself.
    func process(propagatesDeletes: Bool) {
        guard !context.isProcessing else { return }
        context.isProcessing = true
        defer { context.isProcessing = false }
        context.keys.takeRenamedKeys()
        if propagatesDeletes { context.deletions.propagateDeletions() }
        endEvent()
        context.merging.mergeWaitingSaves()
    }

    /// Ends the event without applying delete rules.
    func endEvent() {
        if !context.tracker.eventLog.isEmpty {
            context.undoReplay.registerEvent()
        } else if context.changes.hasEvent,
            !context.tracker.recordsUndo || context.undoManager?.isUndoRegistrationEnabled != true
        {
            context.tracker.edits.noteUnrecorded()
        }
        guard context.changes.hasEvent || !context.news.isEmpty else { return }
        let news = context.news.take()
        let notification =
            context.observers.isObserved(.objectsDidChange)
            ? ContextNotification(of: context.changes, news, in: context) : nil
        context.changes.endEvent()
        if let notification { context.observers.post(notification) }
    }
}
