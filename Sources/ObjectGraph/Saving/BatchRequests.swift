public import Query
public import Schema

/// A request to delete all objects that match a predicate in the store, without loading them into a
/// context.
///
/// ```swift
/// var request = BatchDeleteRequest(entityName: "LogLine")
/// request.predicate = try FetchPredicate(format: "written < %@", lastYear)
/// let result = try context.execute(request)
/// context.mergeChanges(from: result.changes)
/// ```
/// The delete rules of the model are applied. Hooks, validation and undo are not, and unsaved
/// changes are ignored. Contexts see the deletion after merging it.
public struct BatchDeleteRequest: Sendable {
    /// The name of the entity.
    public var entityName: String
    /// The condition on the objects to delete; nil for all.
    public var predicate: FetchPredicate?
    /// Whether objects of sub-entities are deleted, too.
    public var includesSubentities = true
    /// The UUIDs of the stores to delete from; nil for all stores of the coordinator.
    public var affectedStores: Set<String>?
    /// The order that decides which objects are deleted if there is an offset or a limit.
    public var sortDescriptors: [SortKey] = []
    /// The maximum number of objects to delete; 0 for all.
    public var fetchLimit = 0
    /// The number of objects to skip.
    public var fetchOffset = 0

    /// Creates a request for all objects of an entity.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// Creates a request for objects with given IDs, of one entity and its sub-entities.
    ///
    /// - Throws: ``GraphError`` with code `unknownEntity` for an empty array, `wrongType` for
    ///   objects without a common ancestor and for temporary IDs.
    public init(objectIDs: [ManagedObjectID]) throws {
        guard let first = objectIDs.first else {
            throw GraphError(.unknownEntity, "Without an object there is no entity: make the request with its name")
        }
        let common = objectIDs.dropFirst().reduce(first.entity) { entity, id in
            id.entity.isKind(of: entity) ? entity : id.entity
        }
        guard objectIDs.allSatisfy({ $0.entity.isKind(of: common) && !$0.isTemporaryID }) else {
            throw GraphError(
                .wrongType, "A batch deletes saved objects of one entity: make a request for each", entity: common.name)
        }
        entityName = common.name
        predicate = .comparison(
            ComparisonPredicate(.evaluatedObject, .in, .aggregate(objectIDs.map { .constant(.object($0)) })))
    }
}

/// A request to set properties of all objects that match a predicate in the store, without loading
/// them into a context.
///
/// ```swift
/// var request = BatchUpdateRequest(entityName: "Message")
/// request.predicate = try FetchPredicate(format: "isRead == NO")
/// request.propertiesToUpdate = ["isRead": .constant(.bool(true)), "opened": .function("add:to:", [.keyPath("opened"), .constant(.int(1))])]
/// let result = try context.execute(request)
/// ```
/// Values are constants, or expressions of other properties of the object; to-one relationships can
/// be set to constants only. Hooks and validation are not applied, but a mandatory property can't
/// be set to nil.
public struct BatchUpdateRequest: Sendable {
    /// The name of the entity.
    public var entityName: String
    /// The condition on the objects to update; nil for all.
    public var predicate: FetchPredicate?
    /// Whether objects of sub-entities are updated, too.
    public var includesSubentities = true
    /// The UUIDs of the stores to update; nil for all stores of the coordinator.
    public var affectedStores: Set<String>?
    /// The new values, by the names of the properties.
    public var propertiesToUpdate: [String: QueryExpression] = [:]

    /// Creates a request for all objects of an entity.
    public init(entityName: String) {
        self.entityName = entityName
    }
}

/// A request to insert many objects in one transaction, without loading them into a context.
///
/// ```swift
/// var lines = file.lines.makeIterator()
/// let result = try context.execute(BatchInsertRequest(entityName: "LogLine") { values in
///     guard let line = lines.next() else { return true }
///     values["text"] = line
///     return false
/// })
/// ```
/// Values are of the types that attributes accept, and IDs of saved objects for to-one
/// relationships; other properties get the default values of the model. If a unique value exists
/// already, the merge policy of the context decides: `mergeByPropertyObjectTrump` updates the
/// stored object.
public struct BatchInsertRequest {
    /// The name of the entity.
    public var entityName: String
    /// The UUIDs of the stores to insert into; nil for all stores of the coordinator. Of several
    /// stores that can contain the entity, the first gets the objects.
    public var affectedStores: Set<String>?
    /// Fills the values of one object; returns true if there are no more objects.
    let handler: (inout [String: Any?]) throws -> Bool
    /// Fills one object, in the place of ``handler``.
    let objectHandler: ((ManagedObject) throws -> Bool)?

    /// Creates a request whose values come from a function.
    ///
    /// - Parameter dictionaryHandler: Fills the values of one object; returns true if there are no
    ///   more objects.
    public init(entityName: String, dictionaryHandler: @escaping (inout [String: Any?]) throws -> Bool) {
        self.entityName = entityName
        handler = dictionaryHandler
        objectHandler = nil
    }

    /// Creates a request whose objects a function fills, one after the other.
    ///
    /// ```swift
    /// let request = BatchInsertRequest(entityName: "LogLine") { (line: ManagedObject) in
    ///     guard let text = lines.next() else { return true }
    ///     line["text"] = text
    ///     return false
    /// }
    /// ```
    /// - Parameter managedObjectHandler: Sets attributes, and to-one relationships to saved objects
    ///   fetched in the object's context; returns true if there are no more objects. Members of
    ///   to-many relationships are an error. The object is of the class of its entity, and valid
    ///   during the call alone. Hooks are not called.
    @_disfavoredOverload
    public init(entityName: String, managedObjectHandler: @escaping (ManagedObject) throws -> Bool) {
        self.entityName = entityName
        handler = { _ in true }
        objectHandler = managedObjectHandler
    }

    /// Creates a request with the values of all objects.
    public init(entityName: String, objects: [[String: Any?]]) {
        var next = 0
        self.init(entityName: entityName) { values in
            guard next < objects.count else { return true }
            values = objects[next]
            next += 1
            return false
        }
    }
}

/// The result of a batch request.
public struct BatchResult: Sendable {
    /// The number of objects that were inserted, updated or deleted, without those that delete
    /// rules affected.
    public var count: Int { objectIDs.count }
    /// The IDs of these objects; inserted objects in the order of insertion.
    public let objectIDs: [ManagedObjectID]
    /// All changes, including those of delete rules, for
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
    public let changes: SavedChanges

    /// Nothing was changed.
    static let none = BatchResult(objectIDs: [], changes: SavedChanges())
}
