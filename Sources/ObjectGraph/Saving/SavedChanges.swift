public import Schema

/// The changes of a save as object IDs, which can be sent to other isolation domains and merged
/// into other contexts.
///
/// ```swift
/// let observation = importer.observe(.didSave) { mailbox.send($0.changes) }
/// // …where the other context lives:
/// context.mergeChanges(from: changes)
/// ```
public struct SavedChanges: Sendable, Hashable {
    /// The IDs of the inserted objects.
    public var inserted: Set<ManagedObjectID>
    /// The IDs of the updated objects.
    public var updated: Set<ManagedObjectID>
    /// The IDs of the deleted objects.
    public var deleted: Set<ManagedObjectID>
    /// The name of the context that saved.
    public var contextName: String?

    /// Creates a description of changes.
    public init(
        inserted: Set<ManagedObjectID> = [], updated: Set<ManagedObjectID> = [], deleted: Set<ManagedObjectID> = [],
        contextName: String? = nil
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.contextName = contextName
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}
