import Foundation
import Schema
public import Storage

extension SavedChanges {
    /// Creates changes from the user info of a notification. Its values may be arrays or sets of
    /// objects, object IDs or URIs, under the keys that contexts use.
    ///
    /// - Parameter coordinator: The coordinator that resolves URIs. URIs that it can't resolve are
    ///   left out.
    public init(userInfo: [AnyHashable: Any], coordinator: PersistentStoreCoordinator? = nil) {
        func ids(_ keys: ManagedObjectContext.NotificationKey...) -> Set<ManagedObjectID> {
            var ids: Set<ManagedObjectID> = []
            for key in keys {
                switch userInfo[key.rawValue] {
                case let set as Set<ManagedObjectID>: ids.formUnion(set)
                case let array as [ManagedObjectID]: ids.formUnion(array)
                case let objects as Set<ManagedObject>:
                    ids.formUnion(objects.filter { $0.managedObjectContext != nil }.map(\.objectID))
                case let objects as [ManagedObject]:
                    ids.formUnion(objects.filter { $0.managedObjectContext != nil }.map(\.objectID))
                case let urls as [URL]:
                    ids.formUnion(urls.compactMap { coordinator?.managedObjectID(forURIRepresentation: $0) })
                case let urls as Set<URL>:
                    ids.formUnion(urls.compactMap { coordinator?.managedObjectID(forURIRepresentation: $0) })
                default: continue
                }
            }
            return ids
        }
        self.init(
            inserted: ids(.insertedObjects, .insertedObjectIDs), updated: ids(.updatedObjects, .updatedObjectIDs),
            deleted: ids(.deletedObjects, .deletedObjectIDs))
    }
}

extension SavedChanges {
    /// Creates the combined changes of transactions of the persistent history, to merge them into
    /// contexts.
    public init(_ transactions: some Sequence<PersistentHistoryTransaction>) {
        self.init()
        for transaction in transactions {
            for change in transaction.changes {
                switch change.kind {
                case .insert: inserted.insert(change.changedObjectID)
                case .update: if !inserted.contains(change.changedObjectID) { updated.insert(change.changedObjectID) }
                case .delete:
                    inserted.remove(change.changedObjectID)
                    updated.remove(change.changedObjectID)
                    deleted.insert(change.changedObjectID)
                }
            }
        }
    }
}
