public import Schema

/// A custom type of store that is read and written object by object, such as a folder of files, a
/// web service or a foreign database.
///
/// ```swift
/// final class NotesFolder: IncrementalStore {
///     static let storeType = StoreType(rawValue: "NotesFolder")
///     init(_ description: PersistentStoreDescription, model: ManagedObjectModel) { … }
///     func loadMetadata() throws -> [String: MetadataValue]? { … }
///     func execute(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws -> IncrementalFetchResult {
///         // Every file may match: Folio reads them, tests the predicate, sorts and cuts.
///         .candidates(try fileNames().map { try context.objectID(forEntityNamed: "Note", referenceObject: .text($0)) })
///     }
///     func newValuesForObject(with objectID: ManagedObjectID, with context: IncrementalStoreContext) throws -> IncrementalStoreNode? { … }
///     …
/// }
/// coordinator.register(NotesFolder.self)
/// try coordinator.addPersistentStore(PersistentStoreDescription(url: folder, type: NotesFolder.storeType))
/// ```
/// The implementation reads and writes values. Folio provides faulting, uniquing, relationships,
/// conflict detection, uniqueness constraints and derived attributes. Unlike with Core Data's
/// incremental stores, no managed objects or contexts are passed in: requests contain all values.
///
/// Methods are called one at a time, from any thread. An error that they throw is passed on if it
/// is a ``StorageError``; other errors are wrapped in one with code `inputOutput`. Nothing is
/// cached between requests, so every fetch sees the current state.
///
/// A fetch costs one ``execute(_:with:)-(IncrementalFetchRequest,_)`` and one
/// ``newValuesForObject(with:with:)`` for each object that was returned without values. A save
/// reads the objects that it changes. With derived attributes in the model, every save reads all
/// objects.
public protocol IncrementalStore: AnyObject, Sendable {
    /// The name of the store type in store descriptions and metadata.
    static var storeType: StoreType { get }
    /// Prepares the store for ``loadMetadata()``. Nothing should be read or created yet.
    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws

    /// The metadata of the store, as the last save stored them: the UUID under `NSStoreUUID`, the
    /// version hashes of the model, and entries of the application.
    ///
    /// Nil if the store does not exist yet. The first save, which consists of metadata only,
    /// creates it. Called often.
    func loadMetadata() throws -> [String: MetadataValue]?

    /// The objects that match a request, or a superset of them.
    func execute(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws
        -> IncrementalFetchResult

    /// Stores changes durably and atomically.
    ///
    /// - Throws: ``StorageError`` with code `conflict` if an object has another version than the
    ///   request expects. Folio compares the versions before, too.
    func execute(_ request: IncrementalSaveRequest, with context: IncrementalStoreContext) throws

    /// The values of an object; nil if there is no such object.
    ///
    /// - Parameter objectID: The ID of the object, whose entity may be an ancestor of the object's
    ///   own entity. The node's ID must name the object's own entity.
    func newValuesForObject(with objectID: ManagedObjectID, with context: IncrementalStoreContext) throws
        -> IncrementalStoreNode?

    /// The objects of a to-many relationship, in order if it is ordered. To-one relationships are
    /// part of the values of an object.
    func newValue(
        forRelationship relationship: RelationshipDescription, forObjectWith objectID: ManagedObjectID,
        with context: IncrementalStoreContext
    ) throws -> [ManagedObjectID]

    /// Assigns identities to new objects. They must never have been used and must never be assigned
    /// again, even if no object gets them. Numbers must be consecutive and ascending.
    func obtainPermanentIDs(forEntityNamed entityName: String, count: Int, with context: IncrementalStoreContext) throws
        -> [ReferenceObject]

    /// Runs `body`, in which a save reads the objects to compare and then executes its request. A
    /// store that other processes write to locks them out meanwhile. The default implementation
    /// calls `body`.
    func performSave(_ body: () throws -> Void) throws

    /// Called when the store is no longer used. The default implementation does nothing.
    func close() throws
}

extension IncrementalStore {
    /// Calls `body`.
    public func performSave(_ body: () throws -> Void) throws { try body() }
    /// Does nothing.
    public func close() throws {}
}

/// The identity of an object in an ``IncrementalStore``. It is unique among the objects of an
/// entity hierarchy.
public enum ReferenceObject: Sendable, Hashable {
    /// A number from 1 to 2⁴⁰ − 1.
    case number(Int64)
    /// A text that is not empty. The decimal form of a number is the same identity as the number.
    case text(String)
}

/// The values of an object of an ``IncrementalStore``.
public struct IncrementalStoreNode: Sendable, Hashable {
    /// The ID of the object.
    public var objectID: ManagedObjectID
    /// The version of the object for conflict detection: 1 for a new object, increased by one with
    /// every change.
    public var version: Int64
    /// The attributes that have a value. Binary and transformable attributes are `.data`.
    public var attributes: [String: PropertyValue]
    /// The to-one relationships that have an object.
    public var toOnes: [String: ManagedObjectID]

    /// Creates a node.
    public init(
        objectID: ManagedObjectID, version: Int64 = 1, attributes: [String: PropertyValue] = [:],
        toOnes: [String: ManagedObjectID] = [:]
    ) {
        self.objectID = objectID
        self.version = version
        self.attributes = attributes
        self.toOnes = toOnes
    }
}

/// Converts between object IDs and the identities that an ``IncrementalStore`` uses.
public struct IncrementalStoreContext: Sendable {
    package let identity: StoreIdentity

    package init(_ identity: StoreIdentity) { self.identity = identity }

    /// The model with which the store is open.
    public var model: ManagedObjectModel { identity.model }
    /// The UUID of the store.
    public var storeUUID: String { identity.uuid }

    /// The ID of an object of this store.
    ///
    /// - Throws: ``StorageError`` with code `unknownObject` for an entity that the model does not
    ///   have, or an invalid identity.
    public func objectID(forEntityNamed entityName: String, referenceObject: ReferenceObject) throws -> ManagedObjectID
    {
        guard let entity = model.entity(named: entityName) else {
            throw StorageError(
                .unknownObject, "The model has no entity \(entityName.prefix(100))", entities: [entityName])
        }
        return ManagedObjectID(store: identity, entityIndex: entity.index, key: try key(of: referenceObject))
    }

    /// The identity of an object in the store; nil for an object of another store or with a
    /// temporary ID.
    public func referenceObject(for objectID: ManagedObjectID) -> ReferenceObject? {
        guard objectID.store == identity, objectID.key > 0 else { return nil }
        return identity.references?.text(for: objectID.key).map { .text($0) } ?? .number(objectID.key)
    }

    package func key(of reference: ReferenceObject) throws -> Int64 { try keys(of: [reference])[0] }

    /// The keys of several identities. New texts get consecutive keys.
    package func keys(of references: [ReferenceObject]) throws -> [Int64] {
        var keys = [Int64](repeating: 0, count: references.count)
        var texts: [(place: Int, text: String)] = []
        for (place, reference) in references.enumerated() {
            switch reference {
            case .number(let number):
                guard number > 0, number < StoreReferences.firstKey else {
                    throw StorageError(.unknownObject, "\(number) can't be an object's number")
                }
                keys[place] = number
            case .text(let text):
                guard !text.isEmpty else {
                    throw StorageError(.unknownObject, "An object's reference can't be an empty text")
                }
                if let number = StoreReferences.number(text) {
                    keys[place] = number
                } else {
                    texts.append((place, text))
                }
            }
        }
        if !texts.isEmpty, let table = identity.references {
            for (found, key) in zip(texts, table.keys(for: texts.map(\.text))) { keys[found.place] = key }
        }
        return keys
    }
}
