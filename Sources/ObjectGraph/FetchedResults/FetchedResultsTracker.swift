import Query
import Schema

/// Updates a list of fetched objects for the changes of a context.
struct FetchedResultsTracker {
    private let entities: Range<Int>
    private let predicate: CompiledPredicate?
    private let sort: CompiledSort
    private let section: CompiledExpression?
    private let hasWindow: Bool
    /// The entities of other objects whose values the predicate, the sort order or the sections
    /// read.
    private let readElsewhere: [Range<Int>]

    init<Result>(_ request: FetchRequest<Result>, _ sectionNameKeyPath: String?, in context: ManagedObjectContext)
        throws
    {
        let plan = try context.fetching.plan(for: request)
        entities = plan.includesSubentities ? plan.entity.family : plan.entity.index..<(plan.entity.index + 1)
        predicate = try plan.predicate.map { try CompiledPredicate($0, entity: plan.entity, model: context.model) }
        sort = try CompiledSort(plan.sortKeys, entity: plan.entity, model: context.model)
        hasWindow = plan.offset > 0 || plan.limit != nil
        var readings = plan.propertiesReadElsewhere(context.model).map(\.family)
        if let sectionNameKeyPath {
            let path = QueryExpression.keyPath(sectionNameKeyPath)
            section = try CompiledExpression(
                try path.validated(against: plan.entity, in: context.model).expression, entity: plan.entity,
                model: context.model)
            // The section name is a value of another object, whose change can rename the section.
            if sectionNameKeyPath.contains(".") { readings.append(0..<context.model.entities.count) }
        } else {
            section = nil
        }
        readElsewhere = readings
    }

    /// The new list and the changed objects; nil if nothing in the list can have changed.
    func update<Result: ManagedObject>(
        of objects: [Result], by notification: ContextNotification, in context: ManagedObjectContext,
        fetching: () -> [Result]?
    ) -> (objects: [Result], touched: Set<ManagedObject>)? {
        let changed = notification.inserted.union(notification.updated).union(notification.refreshed)
        let touched = changed.union(notification.deleted).filter { entities.contains(Int($0.entityIndex)) }
        let reachesFurther = changed.union(notification.deleted).contains { object in
            readElsewhere.contains { $0.contains(Int(object.entityIndex)) }
        }
        let fetches = reachesFurther || notification.refreshesAll
        if touched.isEmpty && !fetches { return nil }
        if hasWindow || fetches { return fetching().map { ($0, touched) } }
        do {
            let standing = objects.filter { !touched.contains($0) }
            let candidates = try present(touched.subtracting(notification.deleted), in: context)
            // Among equal objects, those that were in the list keep their order.
            let places = Dictionary(
                objects.enumerated().map { ($1 as ManagedObject, $0) }, uniquingKeysWith: { first, _ in first })
            let ordered = candidates.sorted { (places[$0] ?? .max, abs($0.key)) < (places[$1] ?? .max, abs($1.key)) }
            let matching = try sort.sorted(predicate?.filter(ordered) ?? ordered)
            guard let merged = try sort.merge(standing, matching) as? [Result] else {
                return fetching().map { ($0, touched) }
            }
            return (merged, touched)
        } catch {
            return fetching().map { ($0, touched) }
        }
    }

    /// The objects that exist in the context or in the store. Reads the rows of faults.
    private func present(_ objects: Set<ManagedObject>, in context: ManagedObjectContext) throws -> Set<ManagedObject> {
        let standing = objects.filter { $0.registryReference != nil && !$0.state.contains(.deleted) }
        let faults = standing.filter { $0.cells == nil }
        if faults.isEmpty { return standing }
        try context.faults.fetchRows(of: faults)
        return standing.filter { $0.cells != nil }
    }

    /// - Throws: ``GraphError`` with code `wrongType` if objects of one section are not adjacent.
    func sections<Result: ManagedObject>(of objects: [Result]) throws -> [FetchedResultsSection<Result>] {
        guard let section else { return objects.isEmpty ? [] : [FetchedResultsSection(name: "", objects: objects)] }
        var sections: [FetchedResultsSection<Result>] = []
        var names: Set<String> = []
        var current: (name: String, objects: [Result])?
        for object in objects {
            let name = Self.text(try section.value(for: object).scalar())
            if current?.name == name {
                current?.objects.append(object)
                continue
            }
            if let current { sections.append(FetchedResultsSection(name: current.name, objects: current.objects)) }
            guard names.insert(name).inserted else {
                throw GraphError(
                    .wrongType,
                    "Objects of the section \"\(name)\" don't stand together: sort the request by the section's key first"
                )
            }
            current = (name, [object])
        }
        if let current { sections.append(FetchedResultsSection(name: current.name, objects: current.objects)) }
        return sections
    }

    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .null: ""
        case .bool(let flag): flag ? "1" : "0"
        default: value.plain.map { "\($0)" } ?? ""
        }
    }
}
