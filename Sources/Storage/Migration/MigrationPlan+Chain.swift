package import Schema

extension MigrationPlan {
    /// The plan from a version to itself.
    package static func keeping(_ model: ManagedObjectModel) -> MigrationPlan {
        MigrationPlan(
            source: model, destination: model,
            steps: model.entities.map { entity in
                EntityStep(
                    sourceIndex: entity.index,
                    origins: entity.properties.map { $0.isTransient ? .new : .property($0.index) })
            })
    }

    /// One plan with the origins that a chain of plans has from its first to its last version; nil
    /// for an empty chain. Only for asking where properties come from.
    package static func composed(_ plans: [MigrationPlan]) -> MigrationPlan? {
        guard let first = plans.first else { return nil }
        return plans.dropFirst().reduce(first) { $0.followed(by: $1) }
    }

    /// The versions between two plans are the same by name, and need not be the same model.
    private func followed(by next: MigrationPlan) -> MigrationPlan {
        let steps = next.steps.enumerated().map { _, step -> EntityStep? in
            guard let step else { return nil }
            let between = next.source.entities[step.sourceIndex]
            guard let entity = destination.entity(named: between.name), let former = self.steps[entity.index] else {
                return nil
            }
            let origins = step.origins.map { origin -> Origin in
                guard case .property(let index) = origin,
                    let property = entity.property(named: between.properties[index].name)
                else { return origin }
                return former.origins[property.index]
            }
            return EntityStep(sourceIndex: former.sourceIndex, origins: origins)
        }
        return MigrationPlan(source: source, destination: next.destination, steps: steps)
    }
}
