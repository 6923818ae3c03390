public import Foundation

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
