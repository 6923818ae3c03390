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
        let objects = try fetchObjects(request)
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
        let plan = try plan(for: request)
        if let overlay = plan.overlay { return try merge(plan, overlay).count }
        if let stores = plan.stores, parent == nil, persistentStoreCoordinator.union == nil, !stores.contains(try storeIdentity().uuid) { return 0 }
        do {
            return try store().count(plan.rowRequest)
        } catch let error as QueryError where error.code == .unsupported && plan.predicate != nil {
            return try stored(plan, plan.rowRequest).count
        }
    }

    private func fetchObjects<Result>(_ request: FetchRequest<Result>) throws -> [ManagedObject] {
        let plan = try plan(for: request)
        let needsOnlyIDs = !request.includesPropertyValues && request.returnsObjectsAsFaults && !plan.refreshes && plan.overlay == nil
        let objects = needsOnlyIDs ? try references(plan).map { object($0) } : try fetchObjects(plan)
        for path in request.relationshipKeyPathsForPrefetching { try prefetch(path, for: objects, plan.entity) }
        if !request.returnsObjectsAsFaults { for object in objects { try object.realise() } }
        return objects
    }

    func fetchObjects(_ plan: FetchPlan) throws -> [ManagedObject] {
        if let overlay = plan.overlay { return try merge(plan, overlay) }
        return try stored(plan, plan.rowRequest)
    }

    /// - Parameter sortKeys: what stands for the request's own.
    func plan<Result>(for request: FetchRequest<Result>, sortKeys: [SortKey]? = nil) throws -> FetchPlan {
        guard let entity = model.entity(named: request.entityName) else { throw GraphError.unknownEntity(request.entityName, in: model) }
        processPendingChanges()
        let identity = try storeIdentity()
        var plan = FetchPlan(
            entity: entity, includesSubentities: request.includesSubentities,
            predicate: try request.predicate?.validated(against: entity, in: model, store: identity),
            sortKeys: try (sortKeys ?? request.sortKeys).map { try $0.validated(against: entity, in: model) }, offset: max(0, request.fetchOffset),
            limit: request.fetchLimit > 0 ? request.fetchLimit : nil, refreshes: request.shouldRefreshRefetchedObjects)
        plan.stores = request.affectedStores
        if request.includesPendingChanges { plan.overlay = try overlay(for: plan) }
        return plan
    }

    /// What the store selects. Where it can't test the whole predicate, it selects more by what it can test, and the predicate is tested here.
    func stored(_ plan: FetchPlan, _ request: RowRequest) throws -> [ManagedObject] {
        guard parent == nil, let union = persistentStoreCoordinator.union else {
            if parent == nil, let stores = request.stores, !stores.contains(try storeIdentity().uuid) { return [] }
            return try storedInOne(plan, request)
        }
        let stores = try union.storeUUIDs(for: request)
        guard stores.count > 1 else { return stores.isEmpty ? [] : try storedInOne(plan, request) }
        // Each store gives what can be in the window, in the common order, and all together are cut.
        var part = request
        part.offset = 0
        part.limit = request.limit.map { $0.addingReportingOverflow(request.offset) }.flatMap { $0.overflow ? nil : $0.partialValue }
        let sort = try CompiledSort(plan.sortKeys, entity: plan.entity, model: model)
        var all: [ManagedObject] = []
        for store in stores {
            part.stores = [store]
            let found = try storedInOne(plan, part)
            all = plan.sortKeys.isEmpty ? all + found : try sort.merge(all, found)
        }
        return Self.window(of: all, request)
    }

    private static func window(of objects: [ManagedObject], _ request: RowRequest) -> [ManagedObject] {
        Array(objects.dropFirst(request.offset).prefix(request.limit ?? .max))
    }

    private func storedInOne(_ plan: FetchPlan, _ request: RowRequest) throws -> [ManagedObject] {
        do {
            let root = plan.entity.rootIndex
            if plan.refreshes { return adopt(try store().rows(request), refreshing: true) }
            if let objects = try unchangedObjects(plan, request) { return objects }
            let state = request.selectsWhole(plan.entity) ? try store().state() : nil
            let objects =
                try identities[root].count == 0
                ? adopt(store().rows(request)) : adopt(store().selection(request, known: identities[root].known), root: root)
            noteWhole(objects, plan, state)
            return objects
        } catch let error as QueryError where error.code == .unsupported && plan.predicate != nil {
            return Self.window(of: try filtered(plan, request), request)
        }
    }

    private func filtered(_ plan: FetchPlan, _ request: RowRequest) throws -> [ManagedObject] {
        let predicate = try plan.predicate.map { try CompiledPredicate($0, entity: plan.entity, model: model) }
        let rows: RowBatch
        do {
            rows = try store().rows(try store().answerablePart(of: request))
        } catch let error as QueryError where error.code == .unsupported {
            rows = try store().rows(request.selectingMore(nil))
        }
        let objects = adopt(rows, refreshing: plan.refreshes)
        return try predicate?.filter(objects) ?? objects
    }

    private func adopt(_ rows: RowBatch, refreshing: Bool) -> [ManagedObject] {
        let objects = adopt(rows)
        guard refreshing else { return objects }
        for (index, object) in objects.enumerated() { refresh(object, from: rows[index]) }
        if !refreshedObjects.isEmpty { endEvent() }
        return objects
    }

    // MARK: Unsaved changes

    func merge(_ plan: FetchPlan, _ overlay: FetchOverlay) throws -> [ManagedObject] {
        var request = plan.rowRequest
        request.excludedKeys = overlay.excludedKeys
        request.offset = 0
        // The window is over what the store has and the unsaved changes together.
        request.limit = plan.limit.map { $0.addingReportingOverflow(plan.offset) }.flatMap { $0.overflow ? nil : $0.partialValue }
        let predicate = try plan.predicate.map { try CompiledPredicate($0, entity: plan.entity, model: model) }
        if overlay.reachesFurther {
            request.selection = .matching(nil)
            request.limit = nil
        }
        var stored = try stored(plan, request)
        if overlay.reachesFurther, let predicate { stored = try predicate.filter(stored) }
        let unsaved = try predicate?.filter(overlay.objects) ?? overlay.objects
        let sort = try CompiledSort(plan.sortKeys, entity: plan.entity, model: model)
        if overlay.reachesFurther { stored = try sort.sorted(stored) }
        let merged = plan.sortKeys.isEmpty ? stored + unsaved : try sort.merge(stored, try sort.sorted(unsaved))
        return Array(merged.dropFirst(plan.offset).prefix(plan.limit ?? .max))
    }

    /// The unsaved changes that concern a request, nil if none do.
    func overlay(for plan: FetchPlan) throws -> FetchOverlay? {
        if changes.count == 0 && saveUnderWay == nil { return nil }
        let entities = plan.includesSubentities ? plan.entity.family : plan.entity.index..<(plan.entity.index + 1)
        var overlay = FetchOverlay()
        let readElsewhere = plan.propertiesReadElsewhere(model)
        func consider(_ object: ManagedObject, _ changed: @autoclosure () -> PropertySet) {
            guard object.contextReference != nil else { return }
            if !overlay.reachesFurther {
                overlay.reachesFurther = readElsewhere.contains { $0.family.contains(Int(object.entityIndex)) && changed().contains($0.property) }
            }
            guard entities.contains(Int(object.entityIndex)) else { return }
            if object.key > 0 || parent != nil { overlay.excludedKeys.append(object.key) }
            if let stores = plan.stores, storeUUID(of: object).map(stores.contains) != true { return }
            if !object.state.contains(.deleted) { overlay.objects.append(object) }
        }
        // An object in both has one record with the later changes and one with those that are being saved; it is one object.
        for index in changes.indices { if let object = changes.object(at: index) { consider(object, changes.changed(at: index)) } }
        if let save = saveUnderWay {
            if !save.memberDeletions.isEmpty { overlay.excludedKeys += try keysLeftToStore(of: entities) }
            for index in save.changes.indices {
                if let object = save.changes.object(at: index), object.recordIndex < 0 { consider(object, save.changes.changed(at: index)) }
            }
        }
        return overlay.isEmpty ? nil : overlay
    }

    // MARK: Prefetching

    /// Reads the objects that a path of relationships leads to, one trip for each step.
    func prefetch(_ path: String, for objects: [ManagedObject], _ entity: Entity) throws {
        var objects = objects
        var entity = entity
        let names = path.split(separator: ".").map(String.init)
        for (step, name) in names.enumerated() {
            guard let property = entity.property(named: name), let relationship = property.relationship, let destination = model.destination(of: relationship) else {
                throw GraphError.unknownKey(name, of: entity, kind: "relationship")
            }
            guard !objects.isEmpty else { return }
            for object in objects where object.state.isFault && object.cells == nil { try object.realise() }
            if relationship.isToMany {
                try prefetchMembers(property, of: objects)
                // A list of all members is made for the next step alone.
                if step < names.count - 1 { objects = objects.flatMap { list($0, relation($0, property.index)).members } }
            } else {
                objects = try prefetchTargets(property, of: objects)
            }
            entity = destination
        }
    }

    private func prefetchMembers(_ property: Property, of owners: [ManagedObject]) throws {
        let relation = relation(owners[0], property.index)
        let unread = owners.filter { !list($0, relation).isLoaded }
        if !unread.isEmpty { try loadLists(of: unread, relation) }
    }

    private func prefetchTargets(_ property: Property, of owners: [ManagedObject]) throws -> [ManagedObject] {
        var targets: [ManagedObject] = []
        var seen: Set<Int64> = []
        for owner in owners {
            guard let reference = owner.row.reference(relation(owner, property.index).slot), seen.insert(reference.key).inserted else { continue }
            targets.append(object(reference))
        }
        try fetchRows(of: targets)
        // Nothing else holds them.
        for target in targets { recent.hold(target) }
        return targets
    }
}
