import Foundation
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

    public init(inserted: Set<ManagedObjectID> = [], updated: Set<ManagedObjectID> = [], deleted: Set<ManagedObjectID> = [], contextName: String? = nil) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.contextName = contextName
    }

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension SavedChanges {
    /// What a notification of `NotificationCenter` says, as a context posts it, or anybody with arrays or sets of objects, object IDs or URIs under the same keys.
    ///
    /// - Parameter coordinator: finds the objects of URIs; those that it does not know are left out.
    public init(userInfo: [AnyHashable: Any], coordinator: PersistentStoreCoordinator? = nil) {
        func ids(_ keys: ManagedObjectContext.NotificationKey...) -> Set<ManagedObjectID> {
            var ids: Set<ManagedObjectID> = []
            for key in keys {
                switch userInfo[key.rawValue] {
                case let set as Set<ManagedObjectID>: ids.formUnion(set)
                case let array as [ManagedObjectID]: ids.formUnion(array)
                case let objects as Set<ManagedObject>: ids.formUnion(objects.filter { $0.managedObjectContext != nil }.map(\.objectID))
                case let objects as [ManagedObject]: ids.formUnion(objects.filter { $0.managedObjectContext != nil }.map(\.objectID))
                case let urls as [URL]: ids.formUnion(urls.compactMap { coordinator?.managedObjectID(forURIRepresentation: $0) })
                case let urls as Set<URL>: ids.formUnion(urls.compactMap { coordinator?.managedObjectID(forURIRepresentation: $0) })
                default: continue
                }
            }
            return ids
        }
        self.init(
            inserted: ids(.insertedObjects, .insertedObjectIDs), updated: ids(.updatedObjects, .updatedObjectIDs), deleted: ids(.deletedObjects, .deletedObjectIDs))
    }
}
