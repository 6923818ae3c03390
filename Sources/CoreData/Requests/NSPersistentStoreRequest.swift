public import Foundation
public import ObjectGraph

/// The kind of a request. The raw values are Apple's.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// A fetch.
    case fetchRequestType = 1
    /// A save.
    case saveRequestType
    /// A batch insertion.
    case batchInsertRequestType = 5
    /// A batch update.
    case batchUpdateRequestType = 6
    /// A batch deletion.
    case batchDeleteRequestType = 7
}

/// What a context can execute.
open class NSPersistentStoreRequest: NSObject {
    /// The stores that the request is for; nil for all.
    open var affectedStores: [NSPersistentStore]?

    /// The kind of the request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        throw CocoaErrors.made(
            NSPersistentStoreUnsupportedRequestTypeError, "A context can't execute a \(type(of: self))")
    }

    /// The UUIDs of the stores; nil for all.
    var storeUUIDs: Set<String>? { affectedStores.map { Set($0.compactMap(\.attached?.identifier)) } }
}

/// The result of a request.
open class NSPersistentStoreResult: NSObject {}

/// The results of a fetch that was executed.
protocol FinalResults {
    var results: Any { get }
}

/// The results of a fetch that a context executed.
final class FetchedResult: NSPersistentStoreResult, FinalResults {
    let results: Any

    init(_ results: Any) { self.results = results }
}

/// Something that goes on: its context and its progress.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executes the request.
    public let managedObjectContext: NSManagedObjectContext
    /// Why it failed; nil while it has not.
    open internal(set) var operationError: (any Error)?
    /// How far it is.
    public let progress: Progress?

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
    }

    /// Asks for its end.
    open func cancel() { progress?.cancel() }
}

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
