import Schema
import Storage

extension FetchExecutor {
    /// The objects of a request that selects a whole hierarchy, where the context has them all and
    /// nothing was written since.
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

    /// Notes that a request has just given all objects of a hierarchy.
    /// - Parameter state: The store's before it was asked: whatever was written since is noticed
    ///   the next time. Nil where the request was for less.
    func noteWhole(_ objects: [ManagedObject], _ plan: FetchPlan, _ state: StoreState?) {
        let root = plan.entity.rootIndex
        guard let state, objects.count == context.registry.identities[root].known.count else { return }
        var last: Int64 = 0
        for object in objects {
            // Another order could not be had again without asking.
            guard object.key > last else { return }
            last = object.key
        }
        context.wholeFetches[root] = WholeFetch(state: state, count: objects.count)
    }
}

extension RowRequest {
    /// Whether the request is for all objects of a hierarchy, in no order of its own.
    func selectsWhole(_ entity: EntityDescription) -> Bool {
        guard case .matching(nil) = selection else { return false }
        return entity.index == entity.rootIndex && (includesSubentities || entity.family.count == 1) && sortKeys.isEmpty
            && offset == 0 && limit == nil && after == nil && excludedKeys.isEmpty
    }
}
