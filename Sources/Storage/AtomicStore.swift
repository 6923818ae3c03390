public import Schema

/// A custom type of store that is read and written as a whole.
///
/// The implementation only loads and saves all objects. Folio provides fetching, relationships,
/// uniqueness constraints, conflict detection and derived attributes.
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
/// Methods are called one at a time, from any thread. An error that they throw is passed on if it
/// is a ``StorageError``; other errors are wrapped in one with code `inputOutput`. An atomic store
/// suits small documents: every save writes all objects.
public protocol AtomicStore: AnyObject, Sendable {
    /// The name of the store type in store descriptions and metadata.
    static var storeType: StoreType { get }
    /// Prepares the store for ``load()``. Nothing should be read or created yet.
    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws
    /// Loads all objects; nil if the store does not exist yet.
    func load() throws -> AtomicStoreContent?
    /// Replaces the content of the store, durably and atomically. If this throws, the context keeps
    /// its changes.
    func save(_ content: AtomicStoreContent) throws
    /// Called when the store is no longer used. The default implementation does nothing.
    func close() throws
}

extension AtomicStore {
    /// Does nothing.
    public func close() throws {}
}

/// The complete content of an ``AtomicStore``.
public struct AtomicStoreContent: Sendable, Hashable {
    /// The UUID of the store, which is part of object IDs. It never changes.
    public var uuid: String
    /// The metadata to store beside the objects, unchanged. They include the version hashes of the
    /// model.
    public var metadata: [String: MetadataValue]
    /// All objects, in the order of the model's entities, then by primary key.
    public var objects: [AtomicStoreObject]
    /// The next primary keys, by the name of the root entity of each hierarchy. They must be stored
    /// so that no key is used twice.
    public var nextNumbers: [String: Int64]

    /// Creates the content of a store.
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

/// An object, as an ``AtomicStore`` stores it.
public struct AtomicStoreObject: Sendable, Hashable {
    /// The identity of an object in its store. A primary key is unique among the objects of an
    /// entity hierarchy and is never reused.
    public struct Name: Sendable, Hashable {
        /// The name of the object's entity.
        public var entityName: String
        /// The primary key of the object.
        public var number: Int64

        /// Creates the identity of an object.
        public init(entityName: String, number: Int64) {
            self.entityName = entityName
            self.number = number
        }
    }

    /// The identity of the object.
    public var name: Name
    /// The attributes that have a value. Binary and transformable attributes are `.data`.
    public var attributes: [String: PropertyValue]
    /// The destinations of to-one relationships that have one.
    public var toOnes: [String: Name]
    /// The destinations of to-many relationships that have any; those of ordered relationships in
    /// order. A relationship whose inverse is a to-one relationship may be left out.
    public var toManys: [String: [Name]]

    /// Creates an object.
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
