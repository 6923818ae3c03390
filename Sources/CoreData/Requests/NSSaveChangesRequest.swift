/// A request to save objects, as stores of the application's own get it.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The new objects.
    public let insertedObjects: Set<NSManagedObject>?
    /// The updated objects.
    public let updatedObjects: Set<NSManagedObject>?
    /// The deleted objects.
    public let deletedObjects: Set<NSManagedObject>?
    /// The objects whose version is to be checked.
    public let lockedObjects: Set<NSManagedObject>?

    /// Creates a request.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        (self.insertedObjects, self.updatedObjects) = (insertedObjects, updatedObjects)
        (self.deletedObjects, self.lockedObjects) = (deletedObjects, lockedObjects)
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }
}
