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

    var isEmpty: Bool { deleted.isEmpty && forgotten.isEmpty && refreshed.isEmpty && mergedInsertions.isEmpty && restored.isEmpty }

    /// To be called where the deletions are taken back. What was read again stays news.
    mutating func forgetDeletions() { (deleted, forgotten) = ([], []) }

    /// Adds the news to what observers are told of the event.
    func tell(_ notification: inout ContextNotification) {
        notification.deleted.formUnion(deleted)
        // An insertion that was never announced is not announced as deleted either.
        for object in forgotten where !object.state.contains(.unannounced) { notification.deleted.insert(object) }
        notification.updated.formUnion(restored)
        notification.refreshed = refreshed
        notification.inserted.formUnion(mergedInsertions)
    }
}
