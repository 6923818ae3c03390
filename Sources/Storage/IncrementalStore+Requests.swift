public import Query
public import Schema

/// A request to an ``IncrementalStore`` for the objects of an entity.
public struct IncrementalFetchRequest: Sendable {
    /// The entity to fetch.
    public let entity: EntityDescription
    /// The entities of the requested objects: ``entity`` and, if the request includes them, its
    /// sub-entities. Abstract entities have no objects.
    public let entities: [EntityDescription]
    /// The validated condition, in which constants have the types of the attributes and objects are
    /// IDs; nil for all objects.
    public let predicate: FetchPredicate?
    /// The sort order.
    public let sortDescriptors: [SortKey]
    /// The number of results to skip.
    public let fetchOffset: Int
    /// The maximum number of results; nil for all.
    public let fetchLimit: Int?

    package init(
        entity: EntityDescription, entities: [EntityDescription], predicate: FetchPredicate? = nil,
        sortKeys: [SortKey] = [],
        fetchOffset: Int = 0, fetchLimit: Int? = nil
    ) {
        self.entity = entity
        self.entities = entities
        self.predicate = predicate
        self.sortDescriptors = sortKeys
        self.fetchOffset = fetchOffset
        self.fetchLimit = fetchLimit
    }
}

/// The result of an ``IncrementalFetchRequest``: objects, and which parts of the request the store
/// has already applied. Folio applies the rest.
///
/// A store that can't evaluate predicates returns all objects that may match, as candidates. One
/// that evaluates predicates but does not sort returns the matching objects. One whose query
/// language covers the whole request returns the complete result, and Folio reads no other objects.
public struct IncrementalFetchResult: Sendable {
    package enum Extent: Sendable {
        case candidates, matching, complete
    }

    package let extent: Extent
    package let objectIDs: [ManagedObjectID]
    /// The values of the objects that were returned with values.
    package let nodes: [ManagedObjectID: IncrementalStoreNode]

    private init(_ extent: Extent, _ objectIDs: [ManagedObjectID], _ nodes: [IncrementalStoreNode]) {
        self.extent = extent
        self.objectIDs = objectIDs
        self.nodes = Dictionary(nodes.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// A superset of the requested objects, in any order, without values.
    public static func candidates(_ objectIDs: [ManagedObjectID]) -> IncrementalFetchResult {
        IncrementalFetchResult(.candidates, objectIDs, [])
    }
    /// A superset of the requested objects, in any order, with their values.
    public static func candidates(_ nodes: [IncrementalStoreNode]) -> IncrementalFetchResult {
        IncrementalFetchResult(.candidates, nodes.map(\.objectID), nodes)
    }

    /// The objects that match the predicate, each once, in any order, without values. The offset
    /// and the limit must not be applied.
    public static func matching(_ objectIDs: [ManagedObjectID]) -> IncrementalFetchResult {
        IncrementalFetchResult(.matching, objectIDs, [])
    }
    /// The objects that match the predicate, each once, in any order, with their values. The offset
    /// and the limit must not be applied.
    public static func matching(_ nodes: [IncrementalStoreNode]) -> IncrementalFetchResult {
        IncrementalFetchResult(.matching, nodes.map(\.objectID), nodes)
    }

    /// The final result, with sort keys, offset and limit applied, without values.
    public static func complete(_ objectIDs: [ManagedObjectID]) -> IncrementalFetchResult {
        IncrementalFetchResult(.complete, objectIDs, [])
    }
    /// The final result, with sort keys, offset and limit applied, with values.
    public static func complete(_ nodes: [IncrementalStoreNode]) -> IncrementalFetchResult {
        IncrementalFetchResult(.complete, nodes.map(\.objectID), nodes)
    }
}

/// The changes of a save that an ``IncrementalStore`` must store.
public struct IncrementalSaveRequest: Sendable {
    /// An inserted or updated object.
    public struct SavedObject: Sendable {
        /// All values of the object, with its new version.
        public let node: IncrementalStoreNode
        /// The changed to-many relationships with all their objects, in order if ordered. For a new
        /// object, the relationships that are not empty.
        public let toManys: [String: [ManagedObjectID]]
        /// The version in the store: 0 for a new object, and equal to the version of the node if
        /// only the inverse of a relationship changed.
        public let storedVersion: Int64
        /// The names of the properties with changed values.
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

    /// A deleted object.
    public struct DeletedObject: Sendable, Hashable {
        /// The ID of the object.
        public let objectID: ManagedObjectID
        /// The version in the store.
        public let storedVersion: Int64

        package init(objectID: ManagedObjectID, storedVersion: Int64) {
            self.objectID = objectID
            self.storedVersion = storedVersion
        }
    }

    /// The new objects. Their IDs come from
    /// ``IncrementalStore/obtainPermanentIDs(forEntityNamed:count:with:)``, except when a store is
    /// copied: then they are new to the store.
    public let insertedObjects: [SavedObject]
    /// The changed objects.
    public let updatedObjects: [SavedObject]
    /// The deleted objects.
    public let deletedObjects: [DeletedObject]
    /// The complete new metadata to store unchanged; nil if the metadata did not change.
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
