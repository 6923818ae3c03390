public import Schema

/// A kind of store of your own that is read as a whole and written as a whole.
///
/// Fetching, relationships, uniqueness, conflicts and derived attributes are Folio's; the kind says
/// only how all objects come from somewhere and go there.
/// ```swift
/// final class FolderStore: AtomicStore {
///     static let storeType = StoreType(rawValue: "Folder")
///     let folder: URL
///     init(_ description: PersistentStoreDescription, model: ManagedObjectModel) { folder = description.url }
///     func load() throws -> AtomicStoreContent? { … }
///     func save(_ content: AtomicStoreContent) throws { … }
/// }
/// coordinator.register(FolderStore.self)
/// try coordinator.addPersistentStore(PersistentStoreDescription(url: folder, type: FolderStore.storeType))
/// ```
/// Its methods are called one at a time, from any thread. What they throw comes out of the
/// operation as a ``StorageError``: as it is if it is one, otherwise with code `inputOutput` and
/// the error underneath. It suits small documents: every save costs as much as there are objects.
public protocol AtomicStore: AnyObject, Sendable {
    /// By what descriptions and metadata name the kind.
    static var storeType: StoreType { get }
    /// Makes ready for ``load()``; nothing is read or made yet.
    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws
    /// Everything that is there; nil where there is no store yet.
    func load() throws -> AtomicStoreContent?
    /// Makes this what is there, durably: all of it or nothing. What it throws leaves objects and
    /// contexts as they were.
    func save(_ content: AtomicStoreContent) throws
    /// Nobody uses the store any more.
    func close() throws
}

extension AtomicStore {
    public func close() throws {}
}

/// Everything in a store.
public struct AtomicStoreContent: Sendable, Hashable {
    /// The store's UUID, by which object IDs name it. It stays what it was at first.
    public var uuid: String
    /// What is to be kept beside the objects, as it is; the version hashes of the model are among
    /// it.
    public var metadata: [String: MetadataValue]
    /// By entity in the model's order, then by number.
    public var objects: [AtomicStoreObject]
    /// The numbers that come next, by the entity at the top of each hierarchy: to be kept, so that
    /// none is given twice.
    public var nextNumbers: [String: Int64]

    public init(
        uuid: String, metadata: [String: MetadataValue], objects: [AtomicStoreObject],
        nextNumbers: [String: Int64] = [:]
    ) {
        self.uuid = uuid
        self.metadata = metadata
        self.objects = objects
        self.nextNumbers = nextNumbers
    }
}

/// An object as an ``AtomicStore`` keeps it.
public struct AtomicStoreObject: Sendable, Hashable {
    /// Which object it is. A number is given once to the objects of an entity with all that inherit
    /// from it or that it inherits from, and never again.
    public struct Name: Sendable, Hashable {
        public var entityName: String
        public var number: Int64

        public init(entityName: String, number: Int64) {
            self.entityName = entityName
            self.number = number
        }
    }

    public var name: Name
    /// Those that have a value. Binary and transformable ones are `.data`.
    public var attributes: [String: PropertyValue]
    public var toOnes: [String: Name]
    /// Those that are not empty, ordered ones in their order. What the other end says as a to-one
    /// need not be said again.
    public var toManys: [String: [Name]]

    public init(
        _ name: Name, attributes: [String: PropertyValue] = [:], toOnes: [String: Name] = [:],
        toManys: [String: [Name]] = [:]
    ) {
        self.name = name
        self.attributes = attributes
        self.toOnes = toOnes
        self.toManys = toManys
    }
}
