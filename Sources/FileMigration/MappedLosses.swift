internal import Migration
internal import Query
internal import Schema
internal import Storage

/// Finds the data of a store that a sequence of steps drops, of which some go by mapping models.
///
/// What a policy does in between is not known: what reaches a mapping with a policy counts as kept.
struct MappedLosses: LossFinder {
    let store: any StoreBackend
    private let steps: [VersionStep]

    private struct Place: Hashable {
        let entity: Int
        let property: Int
    }

    init(of store: any StoreBackend, by steps: [VersionStep]) {
        self.store = store
        self.steps = steps
    }

    /// The losses: first entities, then properties of the other entities. Costs one count query for
    /// each.
    func found() throws -> [DocumentMigration.Loss] {
        var objects: [DocumentMigration.Loss] = [], values: [DocumentMigration.Loss] = []
        for entity in model.entities where !entity.isAbstract {
            guard isTaken(entity) else {
                objects.append(DocumentMigration.Loss(entity: entity.name, property: nil, count: try count(entity)))
                continue
            }
            for property in lostProperties(of: entity) {
                values.append(
                    DocumentMigration.Loss(
                        entity: entity.name, property: property.name, count: try count(entity, property.hasValue)))
            }
        }
        if let first = steps.first, first.plan == nil, let mapping = first.mapping {
            let filtered = try MappingLosses(of: store, by: mapping).found().filter { $0.property == nil }
            objects += filtered.filter { loss in !objects.contains { $0.entity == loss.entity } }
        }
        return objects + values
    }

    /// Whether objects are lost that no mapping model leaves out by name.
    func losesObjects() throws -> Bool {
        let lost = model.entities.filter { !$0.isAbstract && !isTaken($0) }
        if lost.count == model.entities.filter({ !$0.isAbstract }).count { return true }
        return try lost.contains { try !isLeftOutByName($0) && count($0) > 0 }
    }

    private func isLeftOutByName(_ entity: EntityDescription) -> Bool {
        var current: Set<Int> = [entity.index]
        for step in steps {
            let next = Set(current.flatMap { images(of: $0, step) })
            guard next.isEmpty else {
                current = next
                continue
            }
            return current.contains { step.mapping?.entityMapping(fromEntity: step.source.entities[$0].name) != nil }
        }
        return false
    }

    func isTaken(_ entity: EntityDescription) -> Bool {
        !steps.reduce(Set([entity.index])) { current, step in Set(current.flatMap { images(of: $0, step) }) }.isEmpty
    }

    func isTaken(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
        var current: Set<Place> = [Place(entity: entity.index, property: property.index)]
        for step in steps {
            var next: Set<Place> = []
            for place in current {
                guard let images = images(of: place, step) else { return true }
                next.formUnion(images)
            }
            current = next
        }
        return !current.isEmpty
    }

    // MARK: Steps

    private func mappings(of entity: Int, _ step: VersionStep) -> [(mapping: EntityMapping, image: EntityDescription)] {
        let name = step.source.entities[entity].name
        return (step.mapping?.entityMappings ?? []).compactMap { mapping in
            guard mapping.sourceEntityName == name, mapping.kind != .add, mapping.kind != .remove else { return nil }
            return mapping.destinationEntityName.flatMap { step.destination.entity(named: $0) }.map { (mapping, $0) }
        }
    }

    private func images(of entity: Int, _ step: VersionStep) -> [Int] {
        guard let plan = step.plan else { return mappings(of: entity, step).map(\.image.index) }
        return plan.steps.indices.filter { plan.steps[$0]?.sourceIndex == entity }
    }

    /// Nil where it can't be said.
    private func images(of place: Place, _ step: VersionStep) -> [Place]? {
        if let plan = step.plan {
            return images(of: place.entity, step).flatMap { image in
                (plan.steps[image]?.origins.indices.filter {
                    plan.steps[image]?.origins[$0] == .property(place.property)
                } ?? []).map { Place(entity: image, property: $0) }
            }
        }
        let name = step.source.entities[place.entity].properties[place.property].name
        var found: [Place] = []
        for (mapping, image) in mappings(of: place.entity, step) {
            if mapping.migrationPolicyName != nil { return nil }
            for property in mapping.attributeMappings + mapping.relationshipMappings {
                guard let expression = property.valueExpression, MappingLosses.reads(name, expression),
                    let index = image.propertyIndex(named: property.name)
                else { continue }
                found.append(Place(entity: image.index, property: index))
            }
        }
        return found
    }
}
