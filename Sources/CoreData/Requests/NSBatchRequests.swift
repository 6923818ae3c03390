public import Foundation
import ObjectGraph
import Query
public import Schema

/// What the results of batch requests hold.
private enum BatchResultValue {
    /// The result types of deletions, updates and insertions have other names and the same numbers.
    static func value(_ resultType: UInt, _ ids: [ManagedObjectID]) -> Any {
        switch resultType {
        case NSBatchDeleteRequestResultType.resultTypeObjectIDs.rawValue: ids
        case NSBatchDeleteRequestResultType.resultTypeCount.rawValue: NSNumber(value: ids.count)
        default: NSNumber(value: true)
        }
    }
}

/// What a batch deletion returns. The raw values are Apple's.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted objects.
    case resultTypeObjectIDs
    /// The number of deleted objects.
    case resultTypeCount
}

/// A request to delete objects in the store, without loading them.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// What it returns.
    open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly
    /// The request that says what is deleted.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { ownFetchRequest }
    private let ownFetchRequest: NSFetchRequest<any NSFetchRequestResult>
    private let objectIDs: [NSManagedObjectID]?

    /// Creates a request for what a fetch matches.
    public init<Result>(fetchRequest fetch: NSFetchRequest<Result>) {
        ownFetchRequest = fetch as? NSFetchRequest<any NSFetchRequestResult> ?? fetch.erased
        objectIDs = nil
    }

    /// Creates a request for objects by their IDs, of one entity.
    public init(objectIDs objects: [NSManagedObjectID]) {
        let entity: NSEntityDescription? = objects.first.map { $0.entity }
        ownFetchRequest = NSFetchRequest(entityName: entity?.name ?? "")
        objectIDs = objects
    }

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        var request: BatchDeleteRequest
        if let objectIDs {
            guard !objectIDs.isEmpty else { return NSBatchDeleteResult(resultType, []) }
            request = try BatchDeleteRequest(objectIDs: objectIDs)
        } else {
            request = BatchDeleteRequest(entityName: try fetchRequest.objectRequest(in: context).entityName)
            request.predicate = try fetchRequest.predicate?.fetchPredicate()
            request.includesSubentities = fetchRequest.includesSubentities
            request.sortDescriptors = try fetchRequest.sortKeys()
            request.fetchLimit = fetchRequest.fetchLimit
            request.fetchOffset = fetchRequest.fetchOffset
        }
        // Both requests can name stores.
        request.affectedStores =
            storeUUIDs.map { own in fetchRequest.storeUUIDs.map { own.intersection($0) } ?? own }
            ?? fetchRequest.storeUUIDs
        return NSBatchDeleteResult(resultType, try context.required.execute(request).objectIDs)
    }
}

/// The result of a batch deletion.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// What ``result`` is.
    open var resultType: NSBatchDeleteRequestResultType { ownResultType }
    private let ownResultType: NSBatchDeleteRequestResultType
    /// A truth value, the IDs or the number.
    open var result: Any? { ownResult }
    private let ownResult: Any?

    init(_ type: NSBatchDeleteRequestResultType, _ ids: [ManagedObjectID]) {
        ownResultType = type
        ownResult = BatchResultValue.value(type.rawValue, ids)
    }
}

/// What a batch update returns. The raw values are Apple's.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnlyResultType = 0
    /// The IDs of the updated objects.
    case updatedObjectIDsResultType
    /// The number of updated objects.
    case updatedObjectsCountResultType
}

/// A request to change objects in the store, without loading them.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    open var entityName: String { ownEntityName }
    private let ownEntityName: String
    /// The entity; nil where only its name is known, which is until a context executes the request.
    open var entity: NSEntityDescription! { ownEntity }
    private var ownEntity: NSEntityDescription?
    /// The condition on the objects.
    open var predicate: NSPredicate?
    /// Whether objects of sub-entities are changed, too.
    open var includesSubentities = true
    /// The new values: constants or expressions, by the names or descriptions of properties.
    open var propertiesToUpdate: [AnyHashable: Any]?
    /// What it returns.
    open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

    /// Creates a request for the objects of an entity.
    public init(entityName: String) {
        ownEntityName = entityName
        ownEntity = nil
    }

    /// Creates a request for the objects of an entity.
    public init(entity: NSEntityDescription) {
        ownEntityName = entity.name ?? ""
        ownEntity = entity
    }

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        ownEntity = entity ?? context.managedObjectModel?.entitiesByName[entityName]
        var request = BatchUpdateRequest(entityName: entityName)
        request.predicate = try predicate?.fetchPredicate()
        request.includesSubentities = includesSubentities
        request.affectedStores = storeUUIDs
        let target = context.required.model.entity(named: entityName)
        for (key, value) in propertiesToUpdate ?? [:] {
            let name = NSEntityDescription.propertyName(key.base)
            if let attribute = target?.property(named: name)?.attribute, attribute.type == .transformable,
                !(value is NSExpression), !(value is NSNull)
            {
                request.propertiesToUpdate[name] = .constant(.data(try TransformableValue.data(of: value, attribute)))
                continue
            }
            request.propertiesToUpdate[name] =
                (value as? NSExpression)?.query ?? NSExpression(forConstantValue: value).query
        }
        return NSBatchUpdateResult(resultType, try context.required.execute(request).objectIDs)
    }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// What ``result`` is.
    open var resultType: NSBatchUpdateRequestResultType { ownResultType }
    private let ownResultType: NSBatchUpdateRequestResultType
    /// A truth value, the IDs or the number.
    open var result: Any? { ownResult }
    private let ownResult: Any?

    init(_ type: NSBatchUpdateRequestResultType, _ ids: [ManagedObjectID]) {
        ownResultType = type
        ownResult = BatchResultValue.value(type.rawValue, ids)
    }
}

/// What a batch insertion returns. The raw values are Apple's.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// The IDs of the new objects.
    case objectIDs
    /// The number of new objects.
    case count
}

/// A request to insert objects in the store, without loading them.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    open var entityName: String { ownEntityName }
    private let ownEntityName: String
    /// The entity; nil where only its name is known, which is until a context executes the request.
    open var entity: NSEntityDescription? { ownEntity }
    private var ownEntity: NSEntityDescription?
    /// The values of the objects; nil where a handler gives them.
    open var objectsToInsert: [[String: Any]]?
    /// Fills the values of one object; true when there are no more.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Fills one object; true when there are no more.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// What it returns.
    open var resultType: NSBatchInsertRequestResultType = .statusOnly

    private init(_ name: String, _ entity: NSEntityDescription?) {
        ownEntityName = name
        ownEntity = entity
    }

    /// Creates a request with the values of all objects.
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.init(entityName, nil)
        objectsToInsert = dictionaries
    }

    /// Creates a request with the values of all objects.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        (ownEntityName, ownEntity) = (entity.name ?? "", entity)
        objectsToInsert = dictionaries
    }

    /// Creates a request whose values come from a function.
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(entityName, nil)
        dictionaryHandler = handler
    }

    /// Creates a request whose values come from a function.
    public init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        (ownEntityName, ownEntity) = (entity.name ?? "", entity)
        dictionaryHandler = handler
    }

    /// Creates a request whose objects a function fills.
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(entityName, nil)
        managedObjectHandler = handler
    }

    /// Creates a request whose objects a function fills.
    public init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        (ownEntityName, ownEntity) = (entity.name ?? "", entity)
        managedObjectHandler = handler
    }

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        ownEntity = entity ?? context.managedObjectModel?.entitiesByName[entityName]
        var request: BatchInsertRequest
        if let managedObjectHandler {
            request = BatchInsertRequest(
                entityName: entityName,
                managedObjectHandler: { ($0 as? NSManagedObject).map(managedObjectHandler) ?? true })
        } else {
            var next = 0
            let objects = objectsToInsert ?? []
            let target = context.required.model.entity(named: entityName)
            let fill = { [dictionaryHandler] (values: inout [String: Any?]) throws -> Bool in
                var given: [String: Any] = [:]
                if let dictionaryHandler {
                    let filled = NSMutableDictionary()
                    if dictionaryHandler(filled) { return true }
                    given = filled as? [String: Any] ?? [:]
                } else {
                    guard next < objects.count else { return true }
                    given = objects[next]
                    next += 1
                }
                for (key, value) in given { values[key] = try Self.settable(value, target?.property(named: key)) }
                return false
            }
            request = BatchInsertRequest(entityName: entityName, dictionaryHandler: fill)
        }
        request.affectedStores = storeUUIDs
        return NSBatchInsertResult(resultType, try context.required.execute(request).objectIDs)
    }

    private static func settable(_ value: Any, _ property: PropertyDescription?) throws -> Any? {
        if value is NSNull { return nil }
        if let attribute = property?.attribute, attribute.type == .transformable {
            return try TransformableValue.data(of: value, attribute)
        }
        return BridgedValue.propertyValue(value) ?? value
    }
}

/// The result of a batch insertion.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// What ``result`` is.
    open var resultType: NSBatchInsertRequestResultType { ownResultType }
    private let ownResultType: NSBatchInsertRequestResultType
    /// A truth value, the IDs or the number.
    open var result: Any? { ownResult }
    private let ownResult: Any?

    init(_ type: NSBatchInsertRequestResultType, _ ids: [ManagedObjectID]) {
        ownResultType = type
        ownResult = BatchResultValue.value(type.rawValue, ids)
    }
}
