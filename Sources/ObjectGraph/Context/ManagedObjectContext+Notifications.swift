public import Foundation

extension ManagedObjectContext {
    /// Posted before a save. The user info is empty.
    public static let willSaveObjectsNotification = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// Posted after a save, with sets of objects and of object IDs in the user info.
    public static let didSaveObjectsNotification = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// Posted after a save, with sets of object IDs in the user info.
    public static let didSaveObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    /// Posted after changes were processed, with sets of objects in the user info.
    public static let didChangeObjectsNotification = Notification.Name("NSObjectsChangedInManagingContextNotification")
    /// Posted after changes of another context were merged, with sets of object IDs in the user
    /// info.
    public static let didMergeChangesObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")

    /// The keys of the user info of notifications, by their `rawValue`. The values are sets of
    /// ``ManagedObject`` or, for the keys of IDs, of ``ManagedObjectID``. Empty sets are left out.
    public enum NotificationKey: String, Sendable {
        /// The inserted objects.
        case insertedObjects = "inserted"
        /// The updated objects.
        case updatedObjects = "updated"
        /// The deleted objects.
        case deletedObjects = "deleted"
        /// The objects whose values were read again or discarded.
        case refreshedObjects = "refreshed"
        /// `true` after a reset, which invalidates all objects.
        case invalidatedAllObjects = "invalidatedAll"
        /// The IDs of the inserted objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of the updated objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of the deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The IDs of the objects whose values were read again by a merge.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The IDs of the objects that a reset invalidated.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// After a save, the ``PersistentHistoryToken`` of its transaction, if the store records a
        /// history.
        case historyToken = "historyToken"
        /// After a save, the ``QueryGenerationToken`` of what it wrote, if the context is pinned.
        case queryGeneration = "newQueryGeneration"
    }
}

extension ContextNotification {
    /// Posts the notifications that Core Data posts for the event.
    func post(to center: NotificationCenter) {
        switch event {
        case .willSave: center.post(name: ManagedObjectContext.willSaveObjectsNotification, object: context)
        case .objectsDidChange:
            center.post(
                name: ManagedObjectContext.didChangeObjectsNotification, object: context,
                userInfo: userInfo(objects: true, ids: false))
        case .didSave:
            center.post(
                name: ManagedObjectContext.didSaveObjectsNotification, object: context,
                userInfo: userInfo(objects: true, ids: true))
            center.post(
                name: ManagedObjectContext.didSaveObjectIDsNotification, object: context,
                userInfo: userInfo(objects: false, ids: true))
        case .didMerge:
            center.post(
                name: ManagedObjectContext.didMergeChangesObjectIDsNotification, object: context,
                userInfo: userInfo(objects: false, ids: true))
        }
    }

    private func userInfo(objects: Bool, ids: Bool) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        func add(_ key: ManagedObjectContext.NotificationKey, _ set: Set<some Hashable>) {
            if !set.isEmpty { info[key.rawValue] = set }
        }
        if objects {
            add(.insertedObjects, inserted)
            add(.updatedObjects, updated)
            add(.deletedObjects, deleted)
            add(.refreshedObjects, refreshed)
            if isReset { info[ManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue] = true }
        }
        add(.invalidatedObjectIDs, invalidated)
        if ids {
            add(.insertedObjectIDs, changes.inserted)
            add(.updatedObjectIDs, changes.updated)
            add(.deletedObjectIDs, changes.deleted)
            add(.refreshedObjectIDs, refreshedIDs)
            for (key, value) in details { info[key] = value }
        }
        return info
    }
}
