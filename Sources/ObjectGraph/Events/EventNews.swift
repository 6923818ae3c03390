/// What happened in an event beside the changes that are to be saved.
///
/// All of it is told once, at the end of the event, and forgotten together.
struct EventNews {
    /// Objects whose deletion is to be saved, or was saved elsewhere.
    var deleted: ContiguousArray<ManagedObject> = []
    /// New objects that were deleted: they never were.
    var forgotten: Set<ManagedObject> = []
    /// Objects whose values were read again or let go.
    var refreshed: Set<ManagedObject> = []
    /// Objects that others inserted, where somebody observes the context.
    var mergedInsertions: Set<ManagedObject> = []
    /// Objects that undo made clean, where somebody observes the context.
    var restored: Set<ManagedObject> = []

    var isEmpty: Bool {
        deleted.isEmpty && forgotten.isEmpty && refreshed.isEmpty && mergedInsertions.isEmpty && restored.isEmpty
    }

    /// The news, which are none from here on.
    mutating func take() -> EventNews {
        if isEmpty { return self }
        defer { self = EventNews() }
        return self
    }

    /// Forgets the news of changes that are dropped.
    /// - Parameter keepsReadings: whether what was read again stays news, as the objects do.
    mutating func clear(keepsReadings: Bool) {
        if keepsReadings { (deleted, forgotten) = ([], []) } else { self = EventNews() }
    }

    /// What observers are told of an event; nil where that is nothing.
    func notification(of changes: ChangeRecords, in context: ManagedObjectContext) -> ContextNotification? {
        var notification = ContextNotification(.objectsDidChange, context)
        for object in changes.eventObjects {
            if object.state.isFree {
                notification.inserted.insert(object)
            } else if object.state.contains(.deleted) {
                notification.deleted.insert(object)
            } else {
                notification.updated.insert(object)
            }
        }
        tell(&notification)
        let isEmpty =
            notification.inserted.isEmpty && notification.updated.isEmpty && notification.deleted.isEmpty
            && notification.refreshed.isEmpty
        return isEmpty ? nil : notification
    }

    private func tell(_ notification: inout ContextNotification) {
        notification.deleted.formUnion(deleted)
        // An insertion that was never announced is not announced as deleted either.
        for object in forgotten where !object.state.contains(.unannounced) { notification.deleted.insert(object) }
        notification.updated.formUnion(restored)
        notification.refreshed = refreshed
        notification.inserted.formUnion(mergedInsertions)
    }
}
