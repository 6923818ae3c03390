/// Ends the events of a context; see ``ManagedObjectContext/processPendingChanges()``.
struct EventProcessor {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Ends the event, and merges the saves of other contexts that are waiting. Does nothing within
    /// itself.
    /// - Parameter endsStep: Whether the undo group of the event is closed. Otherwise later changes
    ///   are part of the same step of undo.
    func process(propagatesDeletes: Bool, endsStep: Bool) {
        guard !context.isProcessing else { return }
        context.isProcessing = true
        defer { context.isProcessing = false }
        context.keys.takeRenamedKeys()
        if propagatesDeletes { context.deletions.propagateDeletions() }
        endEvent(endsStep: endsStep)
        context.merging.mergeWaitingSaves()
    }

    /// Ends the event without applying delete rules.
    func endEvent(endsStep: Bool = false) {
        if !context.tracker.eventLog.isEmpty {
            context.undoReplay.registerEvent()
        } else if context.changes.hasEvent,
            !context.tracker.recordsUndo || context.undoManager?.isUndoRegistrationEnabled != true
        {
            context.tracker.edits.noteUnrecorded()
        }
        if endsStep, let undoManager = context.undoManager, !undoManager.isReplaying { undoManager.endEvent() }
        guard context.changes.hasEvent || !context.news.isEmpty else { return }
        let news = context.news.take()
        let notification =
            context.observers.isObserved(.objectsDidChange)
            ? ContextNotification(of: context.changes, news, in: context) : nil
        context.changes.endEvent()
        guard let notification else { return }
        if context.undoManager?.isReplaying == true {
            context.undoNotification.add(notification)
        } else {
            context.observers.post(notification)
        }
    }
}
