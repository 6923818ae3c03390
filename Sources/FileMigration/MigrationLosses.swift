internal import DocumentFiles
internal import Migration
internal import Query
internal import Schema
internal import Storage

/// Finds the data of a store that a sequence of migration plans drops.
struct MigrationLosses: LossFinder {
    let store: any StoreBackend
    private let plans: [MigrationPlan]

    init(of store: any StoreBackend, by plans: [MigrationPlan]) {
        self.store = store
        self.plans = plans
    }

    /// The losses: first entities, then properties of the other entities. Inherited properties are
    /// reported for the entity that declares them. Costs one count query for each.
    func found() throws -> [DocumentMigration.Loss] {
        let gone = try model.entities.filter { !$0.isAbstract && !isTaken($0) }.map { entity in
            DocumentMigration.Loss(entity: entity.name, property: nil, count: try count(entity))
        }
        var values: [(property: PropertyDescription, count: Int)] = []
        for entity in model.entities where !entity.isAbstract && isTaken(entity) {
            for property in lostProperties(of: entity) {
                let count = try count(entity, property.hasValue)
                let known = values.firstIndex {
                    ($0.property.declaringEntityIndex, $0.property.index) == (
                        property.declaringEntityIndex, property.index
                    )
                }
                if let known { values[known].count += count } else { values.append((property, count)) }
            }
        }
        return gone
            + values.map {
                DocumentMigration.Loss(
                    entity: model.entities[$0.property.declaringEntityIndex].name, property: $0.property.name,
                    count: $0.count)
            }
    }

    private func image(of entity: EntityDescription) -> Int? {
        plans.reduce(Optional(entity.index)) { index, plan in index.flatMap { plan.destinationIndices[$0] } }
    }

    func isTaken(_ entity: EntityDescription) -> Bool { image(of: entity) != nil }

    func isTaken(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
        var index = entity.index, place = property.index
        for plan in plans {
            // If an entity is split, any of the new entities may have the property.
            let halves = plan.steps.indices.filter { plan.steps[$0]?.sourceIndex == index }
            guard let half = halves.first(where: { plan.steps[$0]?.origins.contains(.property(place)) == true }),
                let next = plan.steps[half]?.origins.firstIndex(of: .property(place))
            else { return false }
            (index, place) = (half, next)
        }
        return true
    }
}
