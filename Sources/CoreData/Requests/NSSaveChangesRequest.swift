/// A request to save objects, as stores of the application's own get it.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The new objects.
    open var insertedObjects: Set<NSManagedObject>? { ownInsertedObjects }
    private let ownInsertedObjects: Set<NSManagedObject>?
    /// The updated objects.
    open var updatedObjects: Set<NSManagedObject>? { ownUpdatedObjects }
    private let ownUpdatedObjects: Set<NSManagedObject>?
    /// The deleted objects.
    open var deletedObjects: Set<NSManagedObject>? { ownDeletedObjects }
    private let ownDeletedObjects: Set<NSManagedObject>?
    /// The objects whose version is to be checked.
    open var lockedObjects: Set<NSManagedObject>? { ownLockedObjects }
    private let ownLockedObjects: Set<NSManagedObject>?

    /// Creates a request.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        (ownInsertedObjects, ownUpdatedObjects) = (insertedObjects, updatedObjects)
        (ownDeletedObjects, ownLockedObjects) = (deletedObjects, lockedObjects)
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }
}
