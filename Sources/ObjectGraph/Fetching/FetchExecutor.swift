import Query
import RowMemory
import Schema
import Storage

/// Runs fetch requests: creates a plan for each, queries the store, and applies the context's
/// unsaved changes to the result.
struct FetchExecutor {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// - Parameter sortKeys: Sort keys that replace those of the request.
    func plan<Result>(for request: FetchRequest<Result>, sortKeys: [SortKey]? = nil) throws -> FetchPlan {
        guard let entity = context.model.entity(named: request.entityName) else {
            throw GraphError.unknownEntity(request.entityName, in: context.model)
        }
        context.processWithinStep()
        let identity = try context.reader.identity()
        var plan = FetchPlan(
            entity: entity, includesSubentities: request.includesSubentities,
            predicate: try request.predicate?.validated(against: entity, in: context.model, store: identity),
            sortKeys: try (sortKeys ?? request.sortDescriptors).map {
                try $0.validated(against: entity, in: context.model)
            },
            offset: max(0, request.fetchOffset),
            limit: request.fetchLimit > 0 ? request.fetchLimit : nil, refreshes: request.shouldRefreshRefetchedObjects)
        plan.stores = request.affectedStores
        if request.includesPendingChanges { plan.overlay = try overlay(for: plan) }
        return plan
    }

    func fetchObjects<Result>(_ request: FetchRequest<Result>) throws -> [ManagedObject] {
        let plan = try plan(for: request)
        let needsOnlyIDs =
            !request.includesPropertyValues && request.returnsObjectsAsFaults && !plan.refreshes && plan.overlay == nil
        let objects = needsOnlyIDs ? try references(plan).map { context.registry.object($0) } : try fetchObjects(plan)
        try complete(objects, request, plan)
        return objects
    }

    /// Reads what a request asks for beside its objects.
    func complete<Result>(_ objects: [ManagedObject], _ request: FetchRequest<Result>, _ plan: FetchPlan) throws {
        for path in request.relationshipKeyPathsForPrefetching { try prefetch(path, for: objects, plan.entity) }
        if !request.returnsObjectsAsFaults { for object in objects { try object.fulfillFault() } }
    }

    func fetchObjects(_ plan: FetchPlan) throws -> [ManagedObject] {
        if let overlay = plan.overlay { return try merge(plan, overlay) }
        return try stored(plan, plan.rowRequest)
    }

    /// The objects that the store selects. If the store can't evaluate the whole predicate, it
    /// selects a superset with the part that it can evaluate, and the predicate is applied in
    /// memory.
    func stored(_ plan: FetchPlan, _ request: RowRequest) throws -> [ManagedObject] {
        let parts = try parts(of: request)
        guard parts.count > 1 else { return try parts.first.map { try storedInOne(plan, $0) } ?? [] }
        return try combined(parts.map { try storedInOne(plan, $0) }, plan, request)
    }

    /// The queries of a request, one for each store that can have objects of it.
    func parts(of request: RowRequest) throws -> [RowRequest] {
        guard context.parent == nil else { return [request] }
        guard let union = context.persistentStoreCoordinator.union else {
            let isElsewhere = try request.stores.map { try !$0.contains(context.reader.identity().uuid) } ?? false
            return isElsewhere ? [] : [request]
        }
        let stores = try union.storeUUIDs(for: request)
        guard stores.count > 1 else { return stores.isEmpty ? [] : [request] }
        // Each store returns the objects that can be in the window, in the common order. The window
        // is applied to the merged result.
        var part = request
        part.offset = 0
        part.limit = request.limit.map { $0.addingReportingOverflow(request.offset) }.flatMap {
            $0.overflow ? nil : $0.partialValue
        }
        return stores.map { store in
            part.stores = [store]
            return part
        }
    }

    /// The window of a request, of the objects of several stores.
    func combined(_ lists: [[ManagedObject]], _ plan: FetchPlan, _ request: RowRequest) throws -> [ManagedObject] {
        let sort = try CompiledSort(plan.sortKeys, entity: plan.entity, model: context.model)
        var all: [ManagedObject] = []
        for found in lists { all = plan.sortKeys.isEmpty ? all + found : try sort.merge(all, found) }
        return Self.window(of: all, request)
    }

    static func window(of objects: [ManagedObject], _ request: RowRequest) -> [ManagedObject] {
        Array(objects.dropFirst(request.offset).prefix(request.limit ?? .max))
    }

    func storedInOne(_ plan: FetchPlan, _ request: RowRequest) throws -> [ManagedObject] {
        do {
            let root = plan.entity.rootIndex
            if plan.refreshes { return adopt(try context.store().rows(request), refreshing: true) }
            if let objects = try unchangedObjects(plan, request) { return objects }
            let state = request.selectsWhole(plan.entity) ? try context.store().state() : nil
            let store = try context.store(), known = context.registry.identities[root]
            if let faults = try store.references(request) { return faults.map { context.registry.object($0) } }
            let objects =
                try known.count == 0
                ? context.registry.adopt(store.rows(request))
                : context.registry.adopt(store.selection(request, known: known.known), of: store, root: root)
            noteWhole(objects, plan, state)
            return objects
        } catch let error as QueryError where error.code == .unsupported && plan.predicate != nil {
            return try filtered(plan, request, try Self.superset(of: request, from: context.store()))
        }
    }

    /// The rows of the part of a request that a store can evaluate.
    static func superset(of request: RowRequest, from store: any RowStore) throws -> RowBatch {
        do {
            return try store.rows(try store.answerablePart(of: request))
        } catch let error as QueryError where error.code == .unsupported {
            return try store.rows(request.selectingMore(nil))
        }
    }

    /// The window of a request, of the rows that `superset(of:from:)` returned.
    func filtered(_ plan: FetchPlan, _ request: RowRequest, _ rows: RowBatch) throws -> [ManagedObject] {
        let predicate = try plan.predicate.map { try CompiledPredicate($0, entity: plan.entity, model: context.model) }
        let objects = adopt(rows, refreshing: plan.refreshes)
        return Self.window(of: try predicate?.filter(objects) ?? objects, request)
    }

    func adopt(_ rows: RowBatch, refreshing: Bool) -> [ManagedObject] {
        let objects = context.registry.adopt(rows)
        guard refreshing else { return objects }
        for (index, object) in objects.enumerated() { context.merging.refresh(object, from: rows[index]) }
        if !context.news.refreshed.isEmpty { context.events.endEvent() }
        return objects
    }

    /// The objects that a fetched property of an object returns.
    func fetchObjects(of property: FetchedPropertyDescription, source: ManagedObject) throws -> [ManagedObject] {
        var template = property.fetchRequest
        template.predicateFormat = nil
        var request = try FetchRequest<ManagedObject>(template: template)
        if let format = property.fetchRequest.predicateFormat {
            let description = PropertyValue.composite([
                "name": .string(property.name), "userInfo": .composite(property.userInfo.mapValues { .string($0) }),
            ])
            request.predicate = try FetchPredicate(format: format).binding([
                "FETCH_SOURCE": .object(source), "FETCHED_PROPERTY": .scalar(description),
            ])
        }
        return try context.fetch(request)
    }
}
