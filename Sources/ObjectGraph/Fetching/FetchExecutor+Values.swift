import Query
import RowMemory
import Schema
import Storage

// Fetches whose results are no objects.
extension FetchExecutor {
    /// The references of the stored objects that a plan without unsaved changes selects, in its order.
    func references(_ plan: FetchPlan) throws -> [ObjectReference] {
        var values = FetchRequest<[String: PropertyValue]>(plan.entity.name)
        values.propertiesToFetch = [.keyPath("objectID")]
        (values.sortKeys, values.fetchOffset, values.fetchLimit) = (plan.sortKeys, plan.offset, plan.limit ?? 0)
        let table = try TableRequest(values, entity: plan.entity, model: context.model, store: try context.storeIdentity())
        return try rows(table, plan).compactMap { row in
            if case .object(let id) = row[0] { context.ownReference(of: id) } else { nil }
        }
    }

    /// The plan of a request in which unsaved changes take no part.
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
            // A context of its own has no unsaved changes, and what it reads does not stay.
            let reader = context.parent.map { ManagedObjectContext(parent: $0) } ?? ManagedObjectContext(context.persistentStoreCoordinator)
            var plan = plan
            (plan.sortKeys, plan.offset, plan.limit) = ([], 0, nil)
            let objects = try reader.fetching.stored(plan, request)
            return try TableEvaluation(table, entity: plan.entity, model: context.model).rows(of: objects)
        }
    }
}
