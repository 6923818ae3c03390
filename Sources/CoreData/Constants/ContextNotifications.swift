public import Foundation

/// The key of the new objects of a notification: a set of objects.
public let NSInsertedObjectsKey = "inserted"
/// The key of the updated objects of a notification: a set of objects.
public let NSUpdatedObjectsKey = "updated"
/// The key of the deleted objects of a notification: a set of objects.
public let NSDeletedObjectsKey = "deleted"
/// The key of the objects that were read again: a set of objects.
public let NSRefreshedObjectsKey = "refreshed"
/// The key of the objects that were invalidated. It is not posted here: the notification of a reset
/// has the IDs, under ``NSInvalidatedObjectIDsKey``.
public let NSInvalidatedObjectsKey = "invalidated"
/// The key that says that all objects were invalidated.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The key of the generation of a save.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

extension Notification.Name {
    /// Posted before a save.
    public static let NSManagedObjectContextWillSave = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// Posted after a save, with sets of objects.
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// Posted after changes were processed, with sets of objects.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// Posted after a save, with sets of object IDs.
    public static let NSManagedObjectContextDidSaveObjectIDs = NSManagedObjectContext.didSaveObjectIDsNotification
    /// Posted after changes of others were merged, with sets of object IDs.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        NSManagedObjectContext.didMergeChangesObjectIDsNotification
    /// Posted after stores were added or removed.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted by Core Data before iCloud's stores are added or removed. It is not posted here,
    /// where there are none.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Posted before a store is removed.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    /// Posted after each commit to a store that was opened with
    /// ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

extension NSManagedObjectContext {
    /// Posted before a save.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// Posted after a save, with sets of objects.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// Posted after changes were processed, with sets of objects.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
    /// Posted after a save, with sets of object IDs.
    public static let didSaveObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    /// Posted after changes of others were merged, with sets of object IDs.
    public static let didMergeChangesObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")

    /// The keys of the user info of notifications, by their `rawValue`.
    public enum NotificationKey: String, Sendable {
        /// The context.
        case sourceContext = "managedObjectContext"
        /// The generation of the save.
        case queryGeneration = "newQueryGeneration"
        /// All objects were invalidated.
        case invalidatedAllObjects = "invalidatedAll"
        /// The new objects.
        case insertedObjects = "inserted"
        /// The updated objects.
        case updatedObjects = "updated"
        /// The deleted objects.
        case deletedObjects = "deleted"
        /// The objects that were read again.
        case refreshedObjects = "refreshed"
        /// The objects that were invalidated; see ``NSInvalidatedObjectsKey``.
        case invalidatedObjects = "invalidated"
        /// The IDs of the new objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of the updated objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of the deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The IDs of the objects that were read again.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The IDs of the objects that were invalidated.
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }
}

/// The key of the IDs of new objects, as batch requests and merges use it.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The key of the IDs of updated objects, as batch requests and merges use it.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The key of the IDs of deleted objects, as batch requests and merges use it.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The key of the IDs of objects that were read again.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The key of the IDs of objects that were invalidated.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
