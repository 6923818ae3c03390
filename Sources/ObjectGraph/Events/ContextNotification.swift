public import Schema

/// An event of a context, as observers receive it.
public struct ContextNotification {
    /// The kind of an event.
    public enum Event: Sendable, Hashable {
        /// Changes were processed: at the end of an event, before a save, or after a refresh.
        case objectsDidChange
        /// A save begins.
        case willSave
        /// A save succeeded.
        case didSave
        /// Changes of another context were merged; see ``ContextNotification/changes``.
        case didMerge
    }

    /// The kind of the event.
    public let event: Event
    /// The context in which the event occurred.
    public let context: ManagedObjectContext
    /// The inserted objects.
    public internal(set) var inserted: Set<ManagedObject> = []
    /// The updated objects.
    public internal(set) var updated: Set<ManagedObject> = []
    /// The deleted objects.
    public internal(set) var deleted: Set<ManagedObject> = []
    /// The objects whose values were read again or discarded.
    public internal(set) var refreshed: Set<ManagedObject> = []
    /// Whether the store may have other objects than before, which the context does not know.
    var refreshesAll = false
    /// Whether the context was reset, which invalidates all its objects.
    public internal(set) var isReset = false

    /// The IDs of the objects that a reset invalidated.
    public internal(set) var invalidated: Set<ManagedObjectID> = []
    /// The IDs of the objects whose values a merge read again.
    public internal(set) var refreshedIDs: Set<ManagedObjectID> = []
    /// What else the user info of a notification of a save has, by Core Data's keys.
    package var details: [String: any Sendable] = [:]
    /// Objects that a save changed by their derived values alone.
    var derived: Set<ManagedObjectID> = []
    /// The changes of the other context, for a notification about a merge.
    var merged: SavedChanges?

    /// The changes as object IDs, which can be sent to other isolation domains. They include the
    /// IDs of deleted objects, whose ``ManagedObject/objectID`` can no longer be read.
    public var changes: SavedChanges {
        if let merged { return merged }
        func ids(_ objects: Set<ManagedObject>) -> Set<ManagedObjectID> {
            Set(objects.map { context.lookup.objectID(key: $0.key, entityIndex: Int($0.entityIndex)) })
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
