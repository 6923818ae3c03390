public import Foundation
import ObjectGraph
import Schema

/// The values of an object of an ``NSIncrementalStore`` at a version.
///
/// Values have the names of attributes and to-one relationships as keys; a to-one relationship is
/// an `NSManagedObjectID`, or `NSNull` for none.
open class NSIncrementalStoreNode: NSObject {
    /// The ID of the object.
    open var objectID: NSManagedObjectID { ownObjectID }
    private let ownObjectID: NSManagedObjectID
    /// The version of the values. One that differs from the version that a context has read means
    /// that the object was changed elsewhere.
    public private(set) var version: UInt64
    private(set) var values: [String: Any]

    /// Creates a node.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any] = [:], version: UInt64) {
        ownObjectID = objectID
        self.values = values
        self.version = version
        super.init()
    }

    /// Replaces the values and the version.
    open func update(withValues values: [String: Any] = [:], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// The value of an attribute or a to-one relationship; nil if the node has none for it.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}

/// The base class of stores that are read and written object by object, such as a web service.
///
/// ```swift
/// final class ServiceStore: NSIncrementalStore {
///     override func loadMetadata() throws { metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: …] }
///     override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
///         guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult> else { return try save(request) }
///         return try service.search(fetch).map { row in
///             context?.object(with: newObjectID(for: book, referenceObject: row.number))
///         }
///     }
///     override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
///         -> NSIncrementalStoreNode { … }
///     …
/// }
/// NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, forStoreType: "Service")
/// ```
/// Folio makes faults of the results, and asks for their values when these are used. A save asks
/// for the values of the objects that it changes, and compares their versions, before it executes
/// its request. Methods are called one at a time. An error that they throw arrives at the caller of
/// the context as it is.
// Sendable as on Apple's platforms: the class adds no stored properties to its superclass.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
    // MARK: What a subclass does

    /// Executes an `NSFetchRequest` or an ``NSSaveChangesRequest``. A subclass overrides it.
    ///
    /// A fetch request has the predicate, sort order, offset and limit to apply, and is answered by
    /// its result type: with an array of objects of the context (or their IDs), of IDs, of
    /// dictionaries, or of one number for the count. The answer to a save is not used.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        preconditionFailure("\(Swift.type(of: self)) has to override execute(_:with:)")
    }

    /// The values of an object. A subclass overrides it.
    ///
    /// - Throws: An error of Cocoa's domain, `NSManagedObjectReferentialIntegrityError` where there
    ///   is no such object: it is then taken as deleted. Other errors arrive at the caller, or at
    ///   the next save where an accessor can't throw.
    open func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        preconditionFailure("\(Swift.type(of: self)) has to override newValuesForObject(with:with:)")
    }

    /// The IDs at the other end of a to-many relationship, in order if it is ordered; for a to-one
    /// relationship that the node does not have, an ID or `NSNull`. A subclass whose objects have
    /// relationships overrides it.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        preconditionFailure("\(Swift.type(of: self)) has to override newValue(forRelationship:forObjectWith:with:)")
    }

    /// Makes permanent IDs of new objects, in their order, with
    /// ``newObjectID(for:referenceObject:)``. Called before the save request, and by
    /// `obtainPermanentIDs(for:)` of contexts. A subclass that saves overrides it.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        preconditionFailure("\(Swift.type(of: self)) has to override obtainPermanentIDs(for:)")
    }

    /// An identifier for a new store: a UUID.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Throws: a subclass that can tell overrides it.
    open override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CocoaErrors.made(NSPersistentStoreOperationError, "\(self) reads no metadata of stores that are not open")
    }

    /// Throws: a subclass that can do it overrides it.
    open override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CocoaErrors.made(NSPersistentStoreOperationError, "\(self) sets no metadata of stores that are not open")
    }

    // MARK: What a subclass uses

    /// The ID for an identity of the store's own: a text, a number, a UUID or a URL. Traps for
    /// others, and before the metadata with the store's UUID are loaded.
    ///
    /// A text of digits and the number are one identity. An ID that was made of a URI in another
    /// process has the identity as a text or a number.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        knownReferences.objectID(entity.name, data)
    }

    /// The identity that an ID stands for. Traps for an ID of another store and a temporary one.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { knownReferences.referenceObject(objectID) }
}
