import Query
import RowMemory
import Schema
import Storage

// Fetches that return values or IDs instead of objects.
extension FetchExecutor {
    func count<Result>(_ request: FetchRequest<Result>) throws -> Int {
        let plan = try self.plan(for: request)
        if let overlay = plan.overlay { return try merge(plan, overlay).count }
        if let stores = plan.stores, context.parent == nil, context.persistentStoreCoordinator.union == nil,
            !stores.contains(try context.storeIdentity().uuid)
        {
            return 0
        }
        do {
            return try context.store().count(plan.rowRequest)
        } catch let error as QueryError where error.code == .unsupported && plan.predicate != nil {
            return try stored(plan, plan.rowRequest).count
        }
    }

    func objectIDs(_ request: FetchRequest<ManagedObjectID>) throws -> [ManagedObjectID] {
        let plan = try plan(for: request)
        if let overlay = plan.overlay { return try merge(plan, overlay).map(\.objectID) }
        return try references(plan).map { context.objectID(key: $0.key, entityIndex: $0.entityIndex) }
    }

    func values(_ request: FetchRequest<[String: PropertyValue]>) throws -> [[String: PropertyValue]] {
        let plan = try storedPlan(for: request)
        let table = try TableRequest(
            request, entity: plan.entity, model: context.model, store: try context.storeIdentity())
        return try rows(table, plan).map { row in
            var values: [String: PropertyValue] = [:]
            for (column, value) in zip(table.columns, row) where !value.isNull { values[column.name] = value }
            return values
        }
    }

    func countOfRows(_ request: FetchRequest<[String: PropertyValue]>) throws -> Int {
        let plan = try storedPlan(for: request)
        return try rows(
            try TableRequest(request, entity: plan.entity, model: context.model, store: try context.storeIdentity()),
            plan
        ).count
    }

    /// The results of a request, whose objects are read one page at a time.
    func pages<Result>(_ request: FetchRequest<Result>) throws -> ObjectPages {
        let plan = try plan(for: request)
        var unsaved: [Int: ManagedObject] = [:]
        var references: ContiguousArray<ObjectReference> = []
        if let overlay = plan.overlay {
            for (place, object) in try merge(plan, overlay).enumerated() {
                if object.key < 0 { unsaved[place] = object }
                references.append(ObjectReference(key: object.key, entityIndex: Int(object.entityIndex)))
            }
        } else {
            references = ContiguousArray(try self.references(plan))
        }
        let paths = request.relationshipKeyPathsForPrefetching
        return ObjectPages(references, unsaved: unsaved, size: request.fetchBatchSize, context: context) {
            [unowned context] objects in
            for path in paths { try context.fetching.prefetch(path, for: objects, plan.entity) }
        }
    }

    /// The references of the stored objects that a plan without unsaved changes selects, in order.
    func references(_ plan: FetchPlan) throws -> [ObjectReference] {
        if let found = try context.store().references(plan.rowRequest) { return found }
        var values = FetchRequest<[String: PropertyValue]>(entityName: plan.entity.name)
        values.propertiesToFetch = [.keyPath("objectID")]
        (values.sortDescriptors, values.fetchOffset, values.fetchLimit) = (plan.sortKeys, plan.offset, plan.limit ?? 0)
        let table = try TableRequest(
            values, entity: plan.entity, model: context.model, store: try context.storeIdentity())
        return try rows(table, plan).compactMap { row in
            if case .object(let id) = row[0] { context.ownReference(of: id) } else { nil }
        }
    }

    /// The plan of a request that ignores unsaved changes.
    func storedPlan(for request: FetchRequest<[String: PropertyValue]>) throws -> FetchPlan {
        var plan = try plan(for: request, sortKeys: [])
        plan.overlay = nil
        return plan
    }

    func rows(_ table: TableRequest, _ plan: FetchPlan) throws -> [[PropertyValue]] {
        var request = plan.rowRequest
        (request.sortKeys, request.offset, request.limit) = ([], 0, nil)
        do {
            return try context.store().table(table, of: request)
        } catch let error as QueryError where error.code == .unsupported {
            // Read with a context of its own: it has no unsaved changes, and the objects that it
            // reads are released with it.
            let reader =
                context.parent.map { ManagedObjectContext(parent: $0) }
                ?? ManagedObjectContext(context.persistentStoreCoordinator)
            var plan = plan
            (plan.sortKeys, plan.offset, plan.limit) = ([], 0, nil)
            let objects = try reader.fetching.stored(plan, request)
            return try TableEvaluation(table, entity: plan.entity, model: context.model).rows(of: objects)
        }
    }
}
