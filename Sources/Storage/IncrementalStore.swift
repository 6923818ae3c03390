public import Schema

/// A kind of store of your own that is read and written object by object: a folder of files, a
/// service, somebody else's database.
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
/// Faults, uniquing, relationships, conflicts, uniqueness constraints and derived attributes are
/// Folio's; the store says what is there and keeps what it is given. What Core Data's classes of
/// the same kind do with the managed object context is done by values here: requests carry what
/// there is to know, and a store never sees objects.
///
/// Its methods are called one at a time, from any thread. What they throw comes out of the
/// operation as a ``StorageError``: as it is if it is one, otherwise with code `inputOutput` and
/// the error underneath. Nothing is kept between two requests, so every fetch sees what the store
/// answers then.
///
/// What it costs: a fetch one ``execute(_:with:)-(IncrementalFetchRequest,_)`` and a
/// ``newValuesForObject(with:with:)`` for each object that came without values; a save what is
/// asked of the objects that it touches. A model with derived attributes makes every save read all
/// objects.
public protocol IncrementalStore: AnyObject, Sendable {
    /// By what descriptions and metadata name the kind.
    static var storeType: StoreType { get }
    /// Makes ready for ``loadMetadata()``; nothing is read or made yet.
    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws

    /// What the store says of itself, as a save has given it: the UUID under `NSStoreUUID`, the
    /// model's version hashes and the application's own. Nil where there is no store yet; the first
    /// save, which has metadata alone, makes it. Called often.
    func loadMetadata() throws -> [String: MetadataValue]?

    /// Which objects a request selects, or may select.
    func execute(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws
        -> IncrementalFetchResult

    /// Makes all of the changes what is there, durably, or none of them.
    /// - Throws: `StorageError.conflict` where the store finds that an object is not of the version
    ///   that the request expects; Folio has looked before.
    func execute(_ request: IncrementalSaveRequest, with context: IncrementalStoreContext) throws

    /// An object's values; nil where there is no such object.
    /// - Parameter objectID: its entity may be one that the object's own entity inherits from. The
    ///   node's ID names its own.
    func newValuesForObject(with objectID: ManagedObjectID, with context: IncrementalStoreContext) throws
        -> IncrementalStoreNode?

    /// The objects of a to-many relationship, an ordered one's in their order. To-one relationships
    /// are among an object's values.
    func newValue(
        forRelationship relationship: RelationshipDescription, forObjectWith objectID: ManagedObjectID,
        with context: IncrementalStoreContext
    ) throws -> [ManagedObjectID]

    /// Names for new objects that no object has or had, or will be given again: numbers ascend one
    /// by one. They may never be used.
    func obtainPermanentIDs(forEntityNamed entityName: String, count: Int, with context: IncrementalStoreContext) throws
        -> [ReferenceObject]

    /// Runs `body`, in which a save reads what it has to compare and then executes its request. A
    /// store that others write to keeps them out meanwhile.
    func performSave(_ body: () throws -> Void) throws

    /// Nobody uses the store any more.
    func close() throws
}

extension IncrementalStore {
    public func performSave(_ body: () throws -> Void) throws { try body() }
    public func close() throws {}
}

/// What a store calls one of its objects. The objects of an entity, with those of all entities
/// above and below it, have different ones.
public enum ReferenceObject: Sendable, Hashable {
    /// From 1 to 2⁴⁰ − 1.
    case number(Int64)
    /// Not empty. One that is a number, written as numbers are, is the same as the number.
    case text(String)
}

/// An object's values as an ``IncrementalStore`` has them.
public struct IncrementalStoreNode: Sendable, Hashable {
    public var objectID: ManagedObjectID
    /// What tells whether somebody has changed the object: 1 at first, and one more after each
    /// change.
    public var version: Int64
    /// Those that have a value. Binary and transformable ones are `.data`.
    public var attributes: [String: PropertyValue]
    public var toOnes: [String: ManagedObjectID]

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

/// What an ``IncrementalStore`` makes object IDs with.
public struct IncrementalStoreContext: Sendable {
    package let identity: StoreIdentity

    package init(_ identity: StoreIdentity) { self.identity = identity }

    public var model: ManagedObjectModel { identity.model }
    public var storeUUID: String { identity.uuid }

    /// The ID of an object of this store.
    /// - Throws: ``StorageError`` with code `unknownObject` for an entity that the model does not
    ///   have, or a reference object that can't be one.
    public func objectID(forEntityNamed entityName: String, referenceObject: ReferenceObject) throws -> ManagedObjectID
    {
        guard let entity = model.entity(named: entityName) else {
            throw StorageError(
                .unknownObject, "The model has no entity \(entityName.prefix(100))", entities: [entityName])
        }
        return ManagedObjectID(store: identity, entityIndex: entity.index, key: try key(of: referenceObject))
    }

    /// What the store calls an object; nil for an object of another store, and for one that was
    /// never saved.
    public func referenceObject(for objectID: ManagedObjectID) -> ReferenceObject? {
        guard objectID.store == identity, objectID.key > 0 else { return nil }
        return identity.references?.text(for: objectID.key).map { .text($0) } ?? .number(objectID.key)
    }

    package func key(of reference: ReferenceObject) throws -> Int64 { try keys(of: [reference])[0] }

    /// The numbers of several; those of new texts follow each other.
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
