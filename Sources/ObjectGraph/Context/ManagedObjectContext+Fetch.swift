public import Query
import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// The objects that a request selects, in its order, unsaved changes taken into account.
    ///
    /// Costs one trip to the store. Objects that the context knows are the same instances as before, with the values that they have here.
    /// - Throws: ``GraphError`` with code `unknownEntity`, `noStore`; ``QueryError`` for a condition or order that can't be run; what the store throws.
    public func fetch<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> [Result] {
        let objects = try fetching.fetchObjects(request)
        // A cast of an array looks at every element, even where the types are one: here they are the same type by comparison.
        if Result.self == ManagedObject.self { return unsafeBitCast(objects, to: [Result].self) }
        if let results = objects as? [Result] { return results }
        let found = objects.first { !($0 is Result) }
        throw GraphError(
            .wrongType, "\(request.entityName) has objects of class \(found.map { "\(type(of: $0))" } ?? ""), not \(Result.self): register the class with the coordinator",
            entity: request.entityName)
    }

    /// How many objects a request selects, unsaved changes taken into account.
    ///
    /// Costs one trip to the store; only where unsaved changes concern the request and it has an offset or limit are rows read.
    public func count<Result>(for request: FetchRequest<Result>) throws -> Int {
        let plan = try fetching.plan(for: request)
        if let overlay = plan.overlay { return try fetching.merge(plan, overlay).count }
        if let stores = plan.stores, parent == nil, persistentStoreCoordinator.union == nil, !stores.contains(try storeIdentity().uuid) { return 0 }
        do {
            return try store().count(plan.rowRequest)
        } catch let error as QueryError where error.code == .unsupported && plan.predicate != nil {
            return try fetching.stored(plan, plan.rowRequest).count
        }
    }

    // MARK: Unsaved changes

    // MARK: Prefetching
}
