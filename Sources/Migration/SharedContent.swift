import Schema
import Storage

/// What two versions of a model have in common, and what of it a way through other versions would
/// lose or change.
struct SharedContent {
    /// A property of an entity with objects that the source has and the destination still has.
    private struct Item {
        let entityIndex: Int
        let source: PropertyDescription
        let destination: PropertyDescription
    }

    private let plan: MigrationPlan
    private let items: [Item]
    /// Entities of the destination whose objects the source may hold, with their positions there.
    private let entities: [(source: Int, destination: Int)]

    /// - Parameter plan: What of the destination is what of the source, whether or not that can be
    ///   inferred.
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

    /// What is lost over some plans, one after the other, that begin at the source: `Entity` or
    /// `Entity.property` by the source's names.
    ///
    /// Plans that do not reach the destination lose what their last version has no place for.
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

    /// Whether a property of a version in between takes every value that the source may have and
    /// the destination may keep, and gives it back as it was.
    private func carries(_ model: ManagedObjectModel, _ property: PropertyDescription, _ item: Item) -> Bool {
        let ends = [item.source, item.destination]
        // A default value would stand where there was none.
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
