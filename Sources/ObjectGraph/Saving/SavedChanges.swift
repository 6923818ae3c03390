public import Schema

/// What changed, as object IDs: it can be sent anywhere, and merged into other contexts.
///
/// ```swift
/// let observation = importer.observe(.didSave) { mailbox.send($0.changes) }
/// // …where the other context lives:
/// context.mergeChanges(from: changes)
/// ```
public struct SavedChanges: Sendable, Hashable {
    public var inserted: Set<ManagedObjectID>
    public var updated: Set<ManagedObjectID>
    public var deleted: Set<ManagedObjectID>
    /// The name of the context that saved.
    public var contextName: String?

    public init(
        inserted: Set<ManagedObjectID> = [], updated: Set<ManagedObjectID> = [], deleted: Set<ManagedObjectID> = [],
        contextName: String? = nil
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.contextName = contextName
    }

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}
