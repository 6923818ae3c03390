public import Query
public import Schema

/// Deletes all objects that match, in the store, without any context seeing them.
///
/// ```swift
/// var request = BatchDeleteRequest("LogLine")
/// request.predicate = try FetchPredicate(format: "written < %@", lastYear)
/// let result = try context.execute(request)
/// context.mergeChanges(from: result.changes)
/// ```
/// The model's delete rules hold, links included. Hooks, validation, undo and unsaved changes take
/// no part; contexts show the deletion once they merge it.
public struct BatchDeleteRequest: Sendable {
    public var entityName: String
    public var predicate: FetchPredicate?
    public var includesSubentities = true
    /// With a limit: which objects count first.
    public var sortKeys: [SortKey] = []
    /// 0 for all of them.
    public var fetchLimit = 0
    public var fetchOffset = 0

    public init(_ entityName: String) {
        self.entityName = entityName
    }

    /// Deletes these objects, which are all of one entity or of its sub-entities.
    /// - Throws: ``GraphError`` with code `unknownEntity` for an empty list, `wrongType` for
    ///   objects of other entities or with temporary IDs.
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
        predicate = .comparison(Comparison(.evaluatedObject, .in, .aggregate(objectIDs.map { .constant(.object($0)) })))
    }
}

/// Sets properties of all objects that match, in the store, without any context seeing them.
///
/// ```swift
/// var request = BatchUpdateRequest("Message")
/// request.predicate = try FetchPredicate(format: "isRead == NO")
/// request.propertiesToUpdate = ["isRead": .constant(.bool(true)), "opened": .function("add:to:", [.keyPath("opened"), .constant(.int(1))])]
/// let result = try context.execute(request)
/// ```
/// Values are constants or computed from the object's other values; relationships are to-one and
/// set to constants. Hooks and validation take no part, but a mandatory property can't lose its
/// value.
public struct BatchUpdateRequest: Sendable {
    public var entityName: String
    public var predicate: FetchPredicate?
    public var includesSubentities = true
    public var propertiesToUpdate: [String: QueryExpression] = [:]

    public init(_ entityName: String) {
        self.entityName = entityName
    }
}

/// Inserts many objects in one transaction, without any context seeing them.
///
/// ```swift
/// var lines = file.lines.makeIterator()
/// let result = try context.execute(BatchInsertRequest("LogLine") { values in
///     guard let line = lines.next() else { return true }
///     values["text"] = line
///     return false
/// })
/// ```
/// Values are what attributes take, and object IDs of saved objects for to-one relationships; the
/// model's defaults stand for the others. Where unique values exist already the context's merge
/// policy decides: `mergeByPropertyObjectTrump` updates the stored object.
public struct BatchInsertRequest {
    public var entityName: String
    /// Fills the values of one object; true when there are no more objects.
    let handler: (inout [String: Any?]) throws -> Bool

    public init(_ entityName: String, dictionaryHandler: @escaping (inout [String: Any?]) throws -> Bool) {
        self.entityName = entityName
        handler = dictionaryHandler
    }

    public init(_ entityName: String, objects: [[String: Any?]]) {
        var next = 0
        self.init(entityName) { values in
            guard next < objects.count else { return true }
            values = objects[next]
            next += 1
            return false
        }
    }
}

/// What a batch request did.
public struct BatchResult: Sendable {
    /// How many objects were inserted, updated or deleted, those that a delete rule took along not
    /// counted.
    public var count: Int { objectIDs.count }
    /// These objects; inserted ones in the order in which they were made.
    public let objectIDs: [ManagedObjectID]
    /// Everything that changed, for
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
    public let changes: SavedChanges
}
