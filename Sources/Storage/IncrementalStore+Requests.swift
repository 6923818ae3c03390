public import Query
public import Schema

/// What an ``IncrementalStore`` is asked for.
public struct IncrementalFetchRequest: Sendable {
    public let entity: Entity
    /// Whose objects are wanted: the entity, and those that inherit from it where the request
    /// includes them. No object is of an abstract one.
    public let entities: [Entity]
    /// Checked against the entity, with constants of the attributes' types and objects as IDs; nil
    /// for all objects.
    public let predicate: FetchPredicate?
    public let sortKeys: [SortKey]
    public let fetchOffset: Int
    /// Nil for no limit.
    public let fetchLimit: Int?

    package init(
        entity: Entity, entities: [Entity], predicate: FetchPredicate? = nil, sortKeys: [SortKey] = [],
        fetchOffset: Int = 0, fetchLimit: Int? = nil
    ) {
        self.entity = entity
        self.entities = entities
        self.predicate = predicate
        self.sortKeys = sortKeys
        self.fetchOffset = fetchOffset
        self.fetchLimit = fetchLimit
    }
}

/// What an ``IncrementalStore`` answers to a fetch: objects, and how much of the request they are
/// the answer to. Folio does the rest.
///
/// A store that can't test a predicate answers with everything that may match. One that can, but
/// does not sort, answers with what matches. One whose own query language says all of it answers
/// completely, and then no object is looked at that the caller does not want.
public struct IncrementalFetchResult: Sendable {
    package enum Extent: Sendable {
        case candidates, matching, complete
    }

    package let extent: Extent
    package let objectIDs: [ManagedObjectID]
    /// The values of those that came with them.
    package let nodes: [ManagedObjectID: IncrementalStoreNode]

    private init(_ extent: Extent, _ objectIDs: [ManagedObjectID], _ nodes: [IncrementalStoreNode]) {
        self.extent = extent
        self.objectIDs = objectIDs
        self.nodes = Dictionary(nodes.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// At least all objects that the request is for, in whatever order.
    public static func candidates(_ objectIDs: [ManagedObjectID]) -> IncrementalFetchResult {
        IncrementalFetchResult(.candidates, objectIDs, [])
    }
    public static func candidates(_ nodes: [IncrementalStoreNode]) -> IncrementalFetchResult {
        IncrementalFetchResult(.candidates, nodes.map(\.objectID), nodes)
    }

    /// The objects of the entity that the predicate holds for, each once, in whatever order and
    /// from first to last.
    public static func matching(_ objectIDs: [ManagedObjectID]) -> IncrementalFetchResult {
        IncrementalFetchResult(.matching, objectIDs, [])
    }
    public static func matching(_ nodes: [IncrementalStoreNode]) -> IncrementalFetchResult {
        IncrementalFetchResult(.matching, nodes.map(\.objectID), nodes)
    }

    /// These in the order of the sort keys, from the offset on and no more than the limit.
    public static func complete(_ objectIDs: [ManagedObjectID]) -> IncrementalFetchResult {
        IncrementalFetchResult(.complete, objectIDs, [])
    }
    public static func complete(_ nodes: [IncrementalStoreNode]) -> IncrementalFetchResult {
        IncrementalFetchResult(.complete, nodes.map(\.objectID), nodes)
    }
}

/// What an ``IncrementalStore`` is to keep.
public struct IncrementalSaveRequest: Sendable {
    /// A new or changed object.
    public struct SavedObject: Sendable {
        /// All its values, and the version that it is to have.
        public let node: IncrementalStoreNode
        /// The to-many relationships that changed, whole, ordered ones in their order. A new
        /// object's are those that are not empty.
        public let toManys: [String: [ManagedObjectID]]
        /// The version that the store has: 0 for a new object, and that of the node where only the
        /// other end of a relationship was told.
        public let storedVersion: Int64
        /// The properties whose values are others now.
        public let changedKeys: Set<String>

        package init(
            node: IncrementalStoreNode, toManys: [String: [ManagedObjectID]], storedVersion: Int64,
            changedKeys: Set<String>
        ) {
            self.node = node
            self.toManys = toManys
            self.storedVersion = storedVersion
            self.changedKeys = changedKeys
        }
    }

    public struct DeletedObject: Sendable, Hashable {
        public let objectID: ManagedObjectID
        /// The version that the store has.
        public let storedVersion: Int64

        package init(objectID: ManagedObjectID, storedVersion: Int64) {
            self.objectID = objectID
            self.storedVersion = storedVersion
        }
    }

    /// Objects with IDs that the store has given out; in a copy of another store with numbers that
    /// it has not: they are taken then.
    public let insertedObjects: [SavedObject]
    public let updatedObjects: [SavedObject]
    public let deletedObjects: [DeletedObject]
    /// All metadata, to be kept as they are; nil where none changed.
    public let metadata: [String: MetadataValue]?

    package init(
        insertedObjects: [SavedObject] = [], updatedObjects: [SavedObject] = [], deletedObjects: [DeletedObject] = [],
        metadata: [String: MetadataValue]? = nil
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.metadata = metadata
    }
}
