import Query
import RowMemory
import Schema
import Storage

extension FetchExecutor {
    func merge(_ plan: FetchPlan, _ overlay: FetchOverlay) throws -> [ManagedObject] {
        try merge(plan, overlay, try stored(plan, plan.rowRequest(besides: overlay)))
    }

    /// Applies unsaved changes to the objects that the store selected.
    func merge(_ plan: FetchPlan, _ overlay: FetchOverlay, _ found: [ManagedObject]) throws -> [ManagedObject] {
        let predicate = try plan.predicate.map { try CompiledPredicate($0, entity: plan.entity, model: context.model) }
        let unsaved = try predicate?.filter(overlay.objects) ?? overlay.objects
        let sort = try CompiledSort(plan.sortKeys, entity: plan.entity, model: context.model)
        var stored = found
        if overlay.reachesFurther {
            if let predicate { stored = try predicate.filter(stored) }
            stored = try sort.sorted(stored)
        }
        let merged = plan.sortKeys.isEmpty ? stored + unsaved : try sort.merge(stored, try sort.sorted(unsaved))
        return Array(merged.dropFirst(plan.offset).prefix(plan.limit ?? .max))
    }

    /// The unsaved changes that concern a request; nil if there are none.
    func overlay(for plan: FetchPlan) throws -> FetchOverlay? {
        if context.changes.count == 0 && context.saveUnderWay == nil { return nil }
        let entities = plan.includesSubentities ? plan.entity.family : plan.entity.index..<(plan.entity.index + 1)
        var overlay = FetchOverlay()
        let readElsewhere = plan.propertiesReadElsewhere(context.model)
        func consider(_ object: ManagedObject, _ changed: @autoclosure () -> PropertySet) {
            guard object.registryReference != nil else { return }
            if !overlay.reachesFurther {
                overlay.reachesFurther = readElsewhere.contains {
                    $0.family.contains(Int(object.entityIndex)) && changed().contains($0.property)
                }
            }
            guard entities.contains(Int(object.entityIndex)) else { return }
            if object.key > 0 || context.parent != nil { overlay.excludedKeys.append(object.key) }
            if let stores = plan.stores, context.assignment.storeUUID(of: object).map(stores.contains) != true {
                return
            }
            if !object.state.contains(.deleted) { overlay.objects.append(object) }
        }
        // An object can have a record of later changes and one in the save in progress. Consider it
        // once.
        for index in context.changes.indices {
            if let object = context.changes.object(at: index) { consider(object, context.changes.changed(at: index)) }
        }
        if let save = context.saveUnderWay, save.interruption != .reset {
            if !save.memberDeletions.isEmpty {
                overlay.excludedKeys += try context.deletions.keysDeletedByStore(of: entities)
            }
            for index in save.changes.indices {
                if let object = save.changes.object(at: index), object.recordIndex < 0 {
                    consider(object, save.changes.changed(at: index))
                }
            }
        }
        return overlay.isEmpty ? nil : overlay
    }
}

extension FetchPlan {
    /// Creates the plan for a request of a child context. The request is already validated, and
    /// excludes the objects that the child has changed.
    init(_ request: RowRequest, in context: ManagedObjectContext) throws {
        var predicate: FetchPredicate?
        if case .matching(let condition) = request.selection { predicate = condition }
        self.init(
            entity: context.shapes[request.entityIndex].entity, includesSubentities: request.includesSubentities,
            predicate: predicate, sortKeys: request.sortKeys,
            offset: request.offset, limit: request.limit, refreshes: false)
        stores = request.stores
        overlay = try context.fetching.overlay(for: self)
        guard !request.excludedKeys.isEmpty else { return }
        let excluded = Set(request.excludedKeys)
        var known = overlay ?? FetchOverlay()
        known.excludedKeys += request.excludedKeys
        known.objects.removeAll { excluded.contains($0.key) }
        overlay = known
    }
}
