/// What happened in an event apart from the changes to be saved.
///
/// Observers are notified of all of it at the end of the event, after which it is cleared.
struct EventNews {
    /// Objects whose deletion will be saved, or was saved by another context.
    var deleted: ContiguousArray<ManagedObject> = []
    /// New objects that were deleted before they were saved.
    var forgotten: Set<ManagedObject> = []
    /// Objects whose values were read again or discarded.
    var refreshed: Set<ManagedObject> = []
    /// Whether the store may have other objects than before, which the context does not know.
    var refreshesAll = false
    /// Objects that other contexts inserted; recorded only if the context has observers.
    var mergedInsertions: Set<ManagedObject> = []
    /// Objects that undo made clean; recorded only if the context has observers.
    var restored: Set<ManagedObject> = []
    /// Deleted objects that undo or redo brought back; recorded only if the context has observers.
    var broughtBack: Set<ManagedObject> = []

    var isEmpty: Bool {
        deleted.isEmpty && forgotten.isEmpty && refreshed.isEmpty && mergedInsertions.isEmpty && restored.isEmpty
            && broughtBack.isEmpty && !refreshesAll
    }

    /// Returns the news and clears them.
    mutating func take() -> EventNews {
        if isEmpty { return self }
        defer { self = EventNews() }
        return self
    }

    /// Clears the news of discarded changes.
    /// - Parameter keepsReadings: Whether to keep the objects that were read again, because they
    ///   stay registered.
    mutating func clear(keepsReadings: Bool) {
        if keepsReadings { (deleted, forgotten) = ([], []) } else { self = EventNews() }
    }
}
