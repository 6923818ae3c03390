public import Foundation

extension ManagedObjectContext {
    /// Posted before a save, without user info.
    public static let willSaveObjectsNotification = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// Posted after a save, with the sets of objects and of object IDs.
    public static let didSaveObjectsNotification = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// Posted after a save, with sets of object IDs alone.
    public static let didSaveObjectIDsNotification = Notification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
    /// Posted when changes were processed.
    public static let didChangeObjectsNotification = Notification.Name("NSObjectsChangedInManagingContextNotification")
    /// Posted when changes of another context were merged, with sets of object IDs.
    public static let didMergeChangesObjectIDsNotification = Notification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")

    /// What stands in the user info of a notification, under `rawValue`: sets of ``ManagedObject`` or, in keys of IDs, of `ManagedObjectID`. A set that is empty is missing.
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

    func post(_ notification: ContextNotification) {
        observers.post(notification)
        guard let notificationCenter else { return }
        switch notification.event {
        case .willSave: notificationCenter.post(name: Self.willSaveObjectsNotification, object: self)
        case .objectsDidChange:
            notificationCenter.post(name: Self.didChangeObjectsNotification, object: self, userInfo: notification.userInfo(objects: true, ids: false))
        case .didSave:
            notificationCenter.post(name: Self.didSaveObjectsNotification, object: self, userInfo: notification.userInfo(objects: true, ids: true))
            notificationCenter.post(name: Self.didSaveObjectIDsNotification, object: self, userInfo: notification.userInfo(objects: false, ids: true))
        case .didMerge:
            notificationCenter.post(name: Self.didMergeChangesObjectIDsNotification, object: self, userInfo: notification.userInfo(objects: false, ids: true))
        }
    }

    /// Whether anybody wants to know of an event: gathering what to tell costs as much as there are changes.
    func isObserved(_ event: ContextNotification.Event) -> Bool {
        notificationCenter != nil || observers.hasHandlers(for: event)
    }
}

extension ContextNotification {
    fileprivate func userInfo(objects: Bool, ids: Bool) -> [AnyHashable: Any] {
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

extension ManagedObjectContext {
    /// What happens to the context, event by event, for as long as somebody iterates.
    ///
    /// ```swift
    /// for await changes in context.changes(.didSave) { print(changes.inserted.count, "new objects") }
    /// ```
    /// Nothing is missed between two iterations; a consumer that never comes back should end its iteration, since what happens is kept for it.
    public func changes(_ event: ContextNotification.Event = .objectsDidChange) -> AsyncStream<SavedChanges> {
        observers.stream(of: event)
    }
}
