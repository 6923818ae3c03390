/// Limits the size of a model after everything in it is expanded. A small file can describe more
/// columns than fit in memory, with hierarchies that inherit all properties again and again and
/// composites that contain others twice.
///
/// Invariant: the checks take time linear in the size of the unexpanded model, whatever its names
/// refer to.
struct ModelBounds {
    /// Entities. Objects and rows store their indexes in two bytes.
    private static let mostEntities = 65_535
    /// Properties of one entity, inherited ones included. Objects and rows store their indexes in
    /// two bytes.
    private static let mostPropertiesOfOne = 65_535
    /// The maximum depth of an entity hierarchy.
    private static let deepestHierarchy = 100
    /// The maximum nesting depth of composites.
    private static let deepestComposite = 16
    /// The columns of one attribute, limited to those of a table in SQLite.
    private static let mostLeaves = 2_000
    /// The properties of all entities together. Inherited properties count for every entity, and
    /// composites count by their leaves.
    private static let mostProperties = 200_000

    private(set) var faults: [ModelError.Fault] = []
    /// The number of leaf attributes of each composite, with nested composites expanded.
    private var leaves: [String: Int] = [:]

    init(_ model: ManagedObjectModel.Definition) {
        guard model.entities.count <= Self.mostEntities else {
            report("the model has more than \(Self.mostEntities) entities")
            return
        }
        measureComposites(model.composites)
        guard faults.isEmpty else { return }
        measureHierarchies(model.entities)
    }

    private mutating func report(_ message: String, _ name: String? = nil) {
        faults.append(ModelError.Fault(entity: name, message: message))
    }

    // MARK: Composites

    /// Measures composites without nested composites first, so that each is measured once.
    private mutating func measureComposites(_ all: [CompositeDescription]) {
        let composites = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var holders: [String: [String]] = [:]
        var missing: [String: Int] = [:]
        for composite in composites.values {
            let parts = composite.attributes.compactMap(\.compositeName).filter { composites[$0] != nil }
            missing[composite.name] = parts.count
            for part in parts { holders[part, default: []].append(composite.name) }
        }
        var heights: [String: Int] = [:]
        var ready = missing.filter { $0.value == 0 }.map(\.key)
        while let name = ready.popLast() {
            var height = 1, count = 0
            for attribute in composites[name]?.attributes ?? [] {
                let inner = attribute.compositeName
                height = max(height, (inner.flatMap { heights[$0] } ?? 0) + 1)
                count = min(count + (inner.flatMap { leaves[$0] } ?? 1), Self.mostLeaves + 1)
            }
            (heights[name], leaves[name]) = (height, count)
            for holder in holders[name] ?? [] {
                missing[holder, default: 0] -= 1
                if missing[holder] == 0 { ready.append(holder) }
            }
        }
        for name in composites.keys.sorted() {
            if heights[name] == nil {
                report("the composite holds itself", name)
            } else if heights[name, default: 0] > Self.deepestComposite {
                report("the composite holds others more than \(Self.deepestComposite) deep", name)
            } else if leaves[name, default: 0] > Self.mostLeaves {
                report("the composite has more than \(Self.mostLeaves) values", name)
            }
        }
    }

    // MARK: Hierarchies

    private mutating func measureHierarchies(_ all: [EntityDefinition]) {
        let entities = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let own = entities.mapValues { entity in
            entity.attributes.reduce(entity.relationships.count + entity.fetchedProperties.count) {
                $0 + max(1, $1.compositeName.flatMap { leaves[$0] } ?? 1)
            }
        }
        var total = 0
        for entity in all {
            var level = 0
            let before = total
            var next: String? = entity.name
            // A short cycle of super-entities ends the loop; a long one exceeds the depth limit.
            var seen: Set<String> = []
            while let name = next, let ancestor = entities[name], seen.insert(name).inserted {
                level += 1
                guard level <= Self.deepestHierarchy else {
                    return report("the entity lies more than \(Self.deepestHierarchy) levels deep", entity.name)
                }
                total += own[name] ?? 0
                next = ancestor.superentityName
            }
            guard total - before <= Self.mostPropertiesOfOne else {
                return report("the entity has more than \(Self.mostPropertiesOfOne) properties", entity.name)
            }
            guard total <= Self.mostProperties else {
                return report(
                    "the model has more than \(Self.mostProperties) properties, inherited ones counted for every entity"
                )
            }
        }
    }
}
