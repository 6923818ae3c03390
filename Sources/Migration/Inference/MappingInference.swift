import Schema
import Storage

/// Infers the mapping from an old version to a new one by Core Data's rules, or finds the
/// obstacles.
struct MappingInference {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    /// By index in the destination model.
    private(set) var steps: [MigrationPlan.EntityStep?] = []
    private(set) var plan: MigrationPlan
    private(set) var obstacles: [MigrationObstacle] = []
    /// What the rows of a store must satisfy.
    private(set) var conditions: [MigrationCondition] = []

    private let mainImages: [Int: Int]

    init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        self.init(from: source, to: destination, mainImages: [:]) { $0.pairEntities() }
    }

    /// Checks an existing plan against the rules.
    init(checking plan: MigrationPlan, mainImages: [Int: Int]) {
        self.init(from: plan.source, to: plan.destination, mainImages: mainImages) { $0.steps = plan.steps }
    }

    private init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, mainImages: [Int: Int],
        pairing: (inout MappingInference) -> Void
    ) {
        self.source = source
        self.destination = destination
        self.mainImages = mainImages
        plan = MigrationPlan(source: source, destination: destination, steps: [])
        pairing(&self)
        plan = MigrationPlan(source: source, destination: destination, steps: steps, mainImages: mainImages)
        forgetLostLinks()
        checkThatEntitiesRemain()
        checkHierarchies()
        for entity in destination.entities { check(entity) }
        for condition in ruleConditions { add(condition, destination.entity(named: condition.entity)) }
    }

    /// Whether every store of the old version can be migrated, as far as its tables are concerned.
    var isUnconditional: Bool { obstacles.isEmpty && conditions.allSatisfy { $0.rule == nil } }

    func requireSuccess() throws(MigrationError) {
        guard obstacles.isEmpty else {
            throw MigrationError(.notInferable, "The migration can't be inferred", obstacles: obstacles)
        }
    }

    // MARK: Pairing

    private mutating func pairEntities() {
        func item(_ entity: EntityDescription) -> NamePairing.Item {
            NamePairing.Item(name: entity.name, renamingIdentifier: entity.definition.renamingIdentifier)
        }
        let pairing = NamePairing(destination.entities.map(item), from: source.entities.map(item))
        for (first, second) in pairing.clashes {
            let names = (destination.entities[first].name, destination.entities[second].name)
            obstacles.append(
                MigrationObstacle(
                    .ambiguousRenaming, entity: names.1,
                    reason: "and \(names.0) both claim by name or renaming identifier to be the same former entity",
                    remedy: "give one of them a renaming identifier of its own"))
        }
        steps = zip(destination.entities, pairing.origins).map { entity, origin in
            origin.map {
                MigrationPlan.EntityStep(
                    sourceIndex: $0, origins: pairProperties(of: entity, from: source.entities[$0]))
            }
        }
    }

    private mutating func pairProperties(of entity: EntityDescription, from origin: EntityDescription) -> [MigrationPlan
        .Origin]
    {
        var origins = [MigrationPlan.Origin](repeating: .new, count: entity.properties.count)
        for isAttribute in [true, false] {
            // Transient properties are not stored, so they have no origin.
            func members(_ entity: EntityDescription) -> [PropertyDescription] {
                entity.properties.filter { ($0.attribute != nil) == isAttribute && !$0.isTransient }
            }
            let new = members(entity), old = members(origin)
            let pairing = NamePairing(new.map(\.pairingItem), from: old.map(\.pairingItem))
            for (place, former) in pairing.origins.enumerated() {
                if let former { origins[new[place].index] = .property(old[former].index) }
            }
            for (first, second) in pairing.clashes {
                add(
                    .ambiguousRenaming, entity, new[second],
                    "and \(new[first].name) both claim by name or renaming identifier to be the same former property",
                    remedy: "give one of them a renaming identifier of its own")
            }
        }
        return origins
    }

    /// A relationship whose former destination entities are all removed starts empty, whatever its
    /// destination is.
    private mutating func forgetLostLinks() {
        for entity in destination.entities {
            guard let step = steps[entity.index] else { continue }
            for property in entity.properties where property.relationship != nil {
                guard case .property(let index) = step.origins[property.index] else { continue }
                let family = source.entities[source.entities[step.sourceIndex].properties[index].destinationIndex]
                    .family
                if !family.contains(where: { plan.destinationIndices[$0] != nil }) {
                    steps[entity.index]?.origins[property.index] = .new
                }
            }
        }
        plan = MigrationPlan(source: source, destination: destination, steps: steps, mainImages: mainImages)
    }

    // MARK: Checking

    private mutating func checkThatEntitiesRemain() {
        guard destination.entities.isEmpty, let lost = source.entities.first else { return }
        obstacles.append(
            MigrationObstacle(
                .noEntities, entity: lost.name,
                reason: "would be lost with all entities of the store: the new model has none",
                remedy: "open the store with its own model"))
    }

    private mutating func checkHierarchies() {
        for root in destination.entities where root.superentity == nil {
            var first: (entity: EntityDescription, root: Int)?
            for index in root.family {
                guard let step = steps[index] else { continue }
                let origin = source.entities[step.sourceIndex]
                guard let known = first else {
                    first = (origin, origin.rootIndex)
                    continue
                }
                guard known.root != origin.rootIndex else { continue }
                obstacles.append(
                    MigrationObstacle(
                        .mergedHierarchies, entity: destination.entities[index].name,
                        reason:
                            "would share a hierarchy with the former \(known.entity.name), but \(origin.name) and \(known.entity.name) had no common parent before",
                        remedy: "keep the hierarchies apart, or migrate by a mapping model"))
            }
        }
    }

    private mutating func check(_ entity: EntityDescription) {
        guard let step = steps[entity.index] else { return }
        for property in entity.properties {
            guard case .property(let index) = step.origins[property.index] else {
                if case .counterpart = step.origins[property.index] { continue }
                if let attribute = property.attribute { checkNew(attribute, property, entity) }
                continue
            }
            let former = source.entities[step.sourceIndex].properties[index]
            switch (property.kind, former.kind) {
            case (.attribute(let attribute), .attribute(let old)): check(attribute, formerly: old, property, entity)
            case (.relationship, .relationship): checkRelationship(property, formerly: former, entity)
            default: preconditionFailure("Properties are paired with their own kind")
            }
        }
    }

    mutating func require(
        _ rule: MigrationObstacle.Rule, _ entity: EntityDescription, _ property: PropertyDescription, _ text: String
    ) {
        add(MigrationCondition(rule, entity: entity.name, property: property.name, text: text), entity)
    }

    /// Adds a condition once, where its property is declared, unless only a descendant has it.
    private mutating func add(_ condition: MigrationCondition, _ entity: EntityDescription?) {
        let isKnown = conditions.contains { known in
            guard known.rule == condition.rule, known.property == condition.property, known.text == condition.text,
                let other = destination.entity(named: known.entity), let entity
            else { return false }
            return entity.isKind(of: other)
        }
        if !isKnown { conditions.append(condition) }
    }

    mutating func add(
        _ rule: MigrationObstacle.Rule, _ entity: EntityDescription, _ property: PropertyDescription, _ reason: String,
        remedy: String
    ) {
        let obstacle = MigrationObstacle(
            rule, entity: entity.name, property: property.name, reason: reason, remedy: remedy)
        // An inherited property is reported once, where it is declared, unless only a descendant
        // has the problem.
        let isKnown = obstacles.contains { known in
            guard known.rule == rule, known.property == property.name, known.reason == reason,
                let other = destination.entity(named: known.entity)
            else {
                return false
            }
            return entity.isKind(of: other)
        }
        if !isKnown { obstacles.append(obstacle) }
    }
}

extension PropertyDescription {
    fileprivate var pairingItem: NamePairing.Item {
        switch kind {
        case .attribute(let attribute):
            NamePairing.Item(name: attribute.name, renamingIdentifier: attribute.renamingIdentifier)
        case .relationship(let relationship):
            NamePairing.Item(name: relationship.name, renamingIdentifier: relationship.renamingIdentifier)
        }
    }
}
