import Schema
import Storage

extension FetchExecutor {
    /// The objects of a request for a whole hierarchy, if all of them are registered and the store
    /// has not changed since they were fetched; otherwise nil.
    func unchangedObjects(_ plan: FetchPlan, _ request: RowRequest) throws -> [ManagedObject]? {
        let root = plan.entity.rootIndex
        guard let whole = context.wholeFetches[root], request.selectsWhole(plan.entity),
            context.registry.identities[root].known.count == whole.count, try context.store().state() == whole.state
        else {
            return nil
        }
        var objects: [ManagedObject] = []
        objects.reserveCapacity(whole.count)
        let identities = context.registry.identities[root]
        identities.known.forEach { key in
            guard let object = identities.object(key), !object.state.isFault || object.cells != nil else {
                return false
            }
            objects.append(object)
            return true
        }
        return objects.count == whole.count ? objects : nil
    }

    /// Records that a request has returned all objects of a hierarchy.
    /// - Parameter state: The state of the store before the query, so that the next request notices
    ///   any later write. Nil if the request did not select the whole hierarchy.
    func noteWhole(_ objects: [ManagedObject], _ plan: FetchPlan, _ state: StoreState?) {
        let root = plan.entity.rootIndex
        guard let state, objects.count == context.registry.identities[root].known.count else { return }
        var last: Int64 = 0
        for object in objects {
            // Only ascending primary keys can be reproduced without a query.
            guard object.key > last else { return }
            last = object.key
        }
        context.wholeFetches[root] = WholeFetch(state: state, count: objects.count)
    }
}

extension RowRequest {
    /// Whether the request selects all objects of a hierarchy, without a sort order.
    func selectsWhole(_ entity: EntityDescription) -> Bool {
        guard case .matching(nil) = selection else { return false }
        return entity.index == entity.rootIndex && (includesSubentities || entity.family.count == 1) && sortKeys.isEmpty
            && offset == 0 && limit == nil && after == nil && excludedKeys.isEmpty
    }
}
