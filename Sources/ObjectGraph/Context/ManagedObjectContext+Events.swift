extension ManagedObjectContext {
    /// Calls `handler` at each such event, on the spot, for as long as the result is kept.
    ///
    /// ```swift
    /// let observation = context.observe(.didSave) { print($0.inserted.count, "new objects") }
    /// ```
    public func observe(_ event: ContextNotification.Event, _ handler: @escaping (ContextNotification) -> Void) -> ContextObservation {
        observers.add(event, handler)
    }

    /// Ends an event: delete rules run, changes become an undo group, observers are told. Does nothing where nothing changed since the last time.
    public func processPendingChanges() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        deletions.propagateDeletions()
        endEvent()
        mergeWaitingSaves()
    }

    /// Closes the event without running delete rules.
    func endEvent() {
        if !eventLog.isEmpty {
            recorder.registerUndo()
        } else if changes.hasEvent, !recordsUndo || undoManager?.isUndoRegistrationEnabled != true {
            edits.noteUnrecorded()
        }
        guard changes.hasEvent || !news.isEmpty else { return }
        let notification = isObserved(.objectsDidChange) ? newsOfEvent() : nil
        changes.endEvent()
        if !news.isEmpty { news = EventNews() }
        if let notification { post(notification) }
    }

    private func newsOfEvent() -> ContextNotification? {
        var notification = ContextNotification(.objectsDidChange, self)
        for object in changes.eventObjects {
            if object.state.isFree {
                notification.inserted.insert(object)
            } else if object.state.contains(.deleted) {
                notification.deleted.insert(object)
            } else {
                notification.updated.insert(object)
            }
        }
        news.tell(&notification)
        let isEmpty =
            notification.inserted.isEmpty && notification.updated.isEmpty && notification.deleted.isEmpty && notification.refreshed.isEmpty
        return isEmpty ? nil : notification
    }
}
