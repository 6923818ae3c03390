import Foundation
import ObjectGraph
import Query
import Schema

extension NSFetchRequest {
    private func folio<Result>(_ context: NSManagedObjectContext) throws -> FetchRequest<Result> {
        let own =
            content.entity?.name ?? content.entityName ?? content.entityClass.flatMap { context.entity(of: $0)?.name }
        guard let name = own ?? (ResultType.self as? NSManagedObject.Type).flatMap({ context.entity(of: $0)?.name })
        else {
            throw CocoaErrors.made(NSPersistentStoreInvalidTypeError, "The request has no entity")
        }
        // A request that names its entity has it once a context has used it.
        if content.entity == nil, let found = context.managedObjectModel?.entitiesByName[name] {
            content.entity = found
        }
        var request = FetchRequest<Result>(entityName: name)
        request.predicate = try predicate?.fetchPredicate()
        request.sortDescriptors = try sortKeys()
        request.fetchLimit = fetchLimit
        request.fetchOffset = fetchOffset
        request.fetchBatchSize = fetchBatchSize
        request.includesSubentities = includesSubentities
        request.includesPendingChanges = includesPendingChanges
        request.includesPropertyValues = includesPropertyValues
        request.returnsObjectsAsFaults = returnsObjectsAsFaults
        request.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        request.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching ?? []
        request.propertiesToFetch = try (propertiesToFetch ?? []).map(FetchColumns.column)
        request.propertiesToGroupBy = try (propertiesToGroupBy ?? []).map(FetchColumns.column)
        request.havingPredicate = try havingPredicate?.fetchPredicate()
        request.returnsDistinctResults = returnsDistinctResults
        request.affectedStores = storeUUIDs
        if resultType == .dictionaryResultType { request.sortDescriptors = GroupOrder.apply(to: &request) }
        return request
    }

    /// The request for objects.
    func objectRequest(in context: NSManagedObjectContext) throws -> FetchRequest<ManagedObject> {
        try folio(context)
    }

    func results(in context: NSManagedObjectContext) throws -> [ResultType] {
        try StoreCalls.executing(self, in: context) { try executedResults(in: context) }
    }

    private func executedResults(in context: NSManagedObjectContext) throws -> [ResultType] {
        switch resultType {
        case .managedObjectIDResultType:
            let request: FetchRequest<ManagedObjectID> = try folio(context)
            return try cast(try context.required.fetch(request))
        case .dictionaryResultType:
            let request: FetchRequest<[String: PropertyValue]> = try folio(context)
            if let rows = try StoreCalls.dictionaries(of: self, request.entityName, in: context) {
                return try cast(rows)
            }
            let entity = context.required.model.entity(named: request.entityName)
            let transformable = (entity?.attributes ?? []).filter { $0.type == .transformable }
            let rows = try context.required.fetch(request).map { row in
                var plain = GroupOrder.visible(row).compactMapValues { BridgedValue.plain($0, in: nil) }
                for attribute in transformable {
                    guard let data = plain[attribute.name] as? Data else { continue }
                    plain[attribute.name] = TransformableValue.value(of: data, attribute)
                }
                return plain
            }
            return try cast(ResultType.self is NSDictionary.Type ? rows.map { $0 as NSDictionary } : rows)
        case .countResultType: return try cast([NSNumber(value: try count(in: context))])
        default:
            let request: FetchRequest<ManagedObject> = try folio(context)
            return try cast(try context.required.fetch(request))
        }
    }

    func count(in context: NSManagedObjectContext) throws -> Int {
        try StoreCalls.executing(self, in: context) { try executedCount(in: context) }
    }

    private func executedCount(in context: NSManagedObjectContext) throws -> Int {
        guard resultType == .dictionaryResultType else {
            let request: FetchRequest<ManagedObject> = try folio(context)
            return try context.required.count(for: request)
        }
        let request: FetchRequest<[String: PropertyValue]> = try folio(context)
        return try context.required.count(for: request)
    }

    private func cast(_ results: [Any]) throws -> [ResultType] {
        if let results = results as? [ResultType] { return results }
        let found = results.first { !($0 is ResultType) }
        throw CocoaErrors.made(
            NSPersistentStoreInvalidTypeError,
            "The request's results are of the type \(found.map { "\(type(of: $0))" } ?? "?"), not \(ResultType.self)"
                + ((found as? NSManagedObject).flatMap { ObjectClasses.missing($0.modelEntity) }.map { ": \($0)" } ?? "")
        )
    }
}
