import Schema
import Storage

/// The content that two versions of a model share, for checking what a migration through other
/// versions would lose or change.
struct SharedContent {
    /// A property of an entity with objects that both the source and the destination have.
    private struct Item {
        let entityIndex: Int
        let source: PropertyDescription
        let destination: PropertyDescription
    }

    let plan: MigrationPlan
    private let items: [Item]
    /// The entities of the destination that have a non-abstract source entity, with the indexes of
    /// both.
    private let entities: [(source: Int, destination: Int)]

    /// - Parameter plan: The correspondence of source and destination, regardless of whether it can
    ///   be inferred.
    init(_ plan: MigrationPlan) {
        self.plan = plan
        var items: [Item] = [], entities: [(source: Int, destination: Int)] = []
        for (index, step) in plan.steps.enumerated() {
            guard let step, !plan.source.entities[step.sourceIndex].isAbstract else { continue }
            entities.append((step.sourceIndex, index))
            for property in plan.destination.entities[index].properties where property.attribute?.isDerived != true {
                guard case .property(let place) = step.origins[property.index] else { continue }
                let former = plan.source.entities[step.sourceIndex].properties[place]
                items.append(Item(entityIndex: step.sourceIndex, source: former, destination: property))
            }
        }
        (self.items, self.entities) = (items, entities)
    }

    /// The content that is lost by a sequence of plans that begins at the source: `Entity` or
    /// `Entity.property` with the names of the source.
    ///
    /// Plans that do not reach the destination lose the content that their last version can't
    /// store.
    func losses(of plans: [MigrationPlan]) -> [String] {
        guard let last = plans.last else { return [] }
        let reachesDestination = last.destination === plan.destination
        var losses: [String] = []
        var images: [Int: Int] = [:]
        for (source, destination) in entities {
            let image = plans.reduce(Optional(source)) { index, plan in index.flatMap { plan.destinationIndices[$0] } }
            if let image,
                !reachesDestination
                    || last.destination.entities[image].name == plan.destination.entities[destination].name
            {
                images[source] = image
            } else {
                losses.append(plan.source.entities[source].name)
            }
        }
        for item in items where images[item.entityIndex] != nil {
            if !isKept(item, by: plans, reachesDestination) {
                losses.append("\(plan.source.entities[item.entityIndex].name).\(item.source.name)")
            }
        }
        return losses
    }

    private func isKept(_ item: Item, by plans: [MigrationPlan], _ reachesDestination: Bool) -> Bool {
        var entity = item.entityIndex, place = item.source.index
        for plan in plans {
            guard let image = plan.destinationIndices[entity], let step = plan.steps[image],
                let next = step.origins.firstIndex(where: { $0 == .property(place) })
            else { return false }
            (entity, place) = (image, next)
            if plan.destination !== self.plan.destination,
                !carries(plan.destination, plan.destination.entities[entity].properties[place], item)
            {
                return false
            }
        }
        guard reachesDestination, let last = plans.last else { return true }
        return last.destination.entities[entity].properties[place].name == item.destination.name
    }

    /// Whether a property of an intermediate version can store, unchanged, all values that the
    /// source may have and the destination may keep.
    private func carries(_ model: ManagedObjectModel, _ property: PropertyDescription, _ item: Item) -> Bool {
        let ends = [item.source, item.destination]
        // A mandatory property would replace nil by a default value.
        if ends.allSatisfy(\.isOptional), !property.isOptional { return false }
        switch property.kind {
        case .attribute(let attribute):
            let types = ends.compactMap { $0.attribute?.type }
            return !attribute.isDerived && types.contains(attribute.type)
                && (attribute.type != .composite
                    || ends.allSatisfy { $0.attribute?.compositeName == attribute.compositeName })
        case .relationship(let relationship):
            let others = ends.compactMap(\.relationship)
            let inverses = [plan.source.inverse(of: item.source), plan.destination.inverse(of: item.destination)].map {
                $0?.isToMany
            }
            return others.contains { $0.isToMany == relationship.isToMany }
                && (relationship.isOrdered || !others.allSatisfy(\.isOrdered))
                && (model.inverse(of: property).map(\.isToMany) != false || inverses.contains(false))
        }
    }
}

extension SharedContent {
    /// An entity or a property of the source that the destination lacks.
    struct Lost {
        let entity: EntityDescription
        /// Nil for the whole entity.
        let property: PropertyDescription?

        /// The names under which a later version may refer to it.
        var names: Set<String> {
            guard let property else {
                return Set([entity.name, entity.definition.renamingIdentifier].compactMap { $0 })
            }
            return Set(
                [property.name, property.attribute?.renamingIdentifier, property.relationship?.renamingIdentifier]
                    .compactMap { $0 })
        }

        /// Whether it is still there after a sequence of plans that begins at the source.
        func isKept(by plans: [MigrationPlan]) -> Bool {
            var place = property?.index
            var index = entity.index
            for plan in plans {
                guard let image = plan.destinationIndices[index], let step = plan.steps[image] else { return false }
                if let former = place {
                    guard let next = step.origins.firstIndex(of: .property(former)) else { return false }
                    place = next
                }
                index = image
            }
            return true
        }
    }

    /// The stored content of the source that a single step does not take to the destination.
    var lostContent: [Lost] {
        plan.source.entities.flatMap { entity -> [Lost] in
            guard !entity.isAbstract else { return [] }
            guard let image = plan.destinationIndices[entity.index], let step = plan.steps[image] else {
                return [Lost(entity: entity, property: nil)]
            }
            return entity.properties.filter {
                !$0.isTransient && $0.attribute?.isDerived != true && !step.origins.contains(.property($0.index))
            }.map { Lost(entity: entity, property: $0) }
        }
    }
}
