public import Foundation

extension ManagedObjectContext {
    /// Posted before a save, without user info.
    public static let willSaveObjectsNotification = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// Posted after a save, with the sets of objects and of object IDs.
    public static let didSaveObjectsNotification = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// Posted after a save, with sets of object IDs alone.
    public static let didSaveObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    /// Posted when changes were processed.
    public static let didChangeObjectsNotification = Notification.Name("NSObjectsChangedInManagingContextNotification")
    /// Posted when changes of another context were merged, with sets of object IDs.
    public static let didMergeChangesObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")

    /// What stands in the user info of a notification, under `rawValue`: sets of ``ManagedObject``
    /// or, in keys of IDs, of `ManagedObjectID`. A set that is empty is missing.
    public enum NotificationKey: String, Sendable {
        case insertedObjects = "inserted"
        case updatedObjects = "updated"
        case deletedObjects = "deleted"
        case refreshedObjects = "refreshed"
        /// `true` after a reset: every object is invalid.
        case invalidatedAllObjects = "invalidatedAll"
        case insertedObjectIDs = "inserted_objectIDs"
        case updatedObjectIDs = "updated_objectIDs"
        case deletedObjectIDs = "deleted_objectIDs"
    }
}

extension ContextNotification {
    /// Posts what Core Data posts of the event.
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
        if ids {
            add(.insertedObjectIDs, changes.inserted)
            add(.updatedObjectIDs, changes.updated)
            add(.deletedObjectIDs, changes.deleted)
        }
        return info
    }
}
