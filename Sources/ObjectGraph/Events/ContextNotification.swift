import Schema

/// What an observer of a context is told.
public struct ContextNotification {
    /// What happened.
    public enum Event: Sendable, Hashable {
        /// Changes were processed: at the end of an event, before a save, after a refresh.
        case objectsDidChange
        /// A save begins.
        case willSave
        /// A save succeeded.
        case didSave
        /// Changes of another context were merged; see ``ContextNotification/changes``.
        case didMerge
    }

    public let event: Event
    public let context: ManagedObjectContext
    public internal(set) var inserted: Set<ManagedObject> = []
    public internal(set) var updated: Set<ManagedObject> = []
    public internal(set) var deleted: Set<ManagedObject> = []
    /// Objects whose values were read again or let go.
    public internal(set) var refreshed: Set<ManagedObject> = []
    /// Whether the context was reset: every object of it is invalid.
    public internal(set) var isReset = false

    /// Objects that a save changed by their derived values alone.
    var derived: Set<ManagedObjectID> = []
    /// What others did, where that is what it is about.
    var merged: SavedChanges?

    /// The same as object IDs, which can be sent and kept. Deleted objects have no IDs of their own
    /// any more: here they have.
    public var changes: SavedChanges {
        if let merged { return merged }
        func ids(_ objects: Set<ManagedObject>) -> Set<ManagedObjectID> {
            Set(objects.map { context.objectID(key: $0.key, entityIndex: Int($0.entityIndex)) })
        }
        return SavedChanges(
            inserted: ids(inserted), updated: ids(updated.union(refreshed)).union(derived), deleted: ids(deleted),
            contextName: context.name)
    }

    init(_ event: Event, _ context: ManagedObjectContext) {
        self.event = event
        self.context = context
    }
}
