package import Schema

/// How the rows of a store of one version of a model become rows of another: what a store needs to know to do it by itself.
///
/// The rules of inference hold for every plan (ObjectGraph's and stores' requests use positions in models, and so does a plan):
/// 1. An entity comes from at most one entity, and an entity becomes at most one.
/// 2. All entities of one hierarchy of the destination come from one hierarchy of the source: objects keep their numbers.
/// 3. A property comes from one of the same kind; attributes keep their type; a to-many relationship stays to-many.
package struct MigrationPlan: Sendable {
    /// Where the values of a property come from.
    package enum Origin: Sendable, Hashable {
        /// It is new: a default value, or nothing.
        case new
        /// The property at a place of the source entity.
        case property(Int)
    }

    package struct EntityStep: Sendable, Hashable {
        /// Position in the source model.
        package var sourceIndex: Int
        /// By `Property.index` of the destination entity.
        package var origins: [Origin]

        package init(sourceIndex: Int, origins: [Origin]) {
            self.sourceIndex = sourceIndex
            self.origins = origins
        }
    }

    package let source: ManagedObjectModel
    package let destination: ManagedObjectModel
    /// By position in the destination model; nil for an entity that is new.
    package let steps: [EntityStep?]
    /// By position in the source model: the position of what becomes of an entity, nil for one that is gone.
    package let destinationIndices: [Int?]

    package init(source: ManagedObjectModel, destination: ManagedObjectModel, steps: [EntityStep?]) {
        self.source = source
        self.destination = destination
        self.steps = steps
        var indices = [Int?](repeating: nil, count: source.entities.count)
        for (index, step) in steps.enumerated() { if let step { indices[step.sourceIndex] = index } }
        destinationIndices = indices
    }

    /// Where a property of the destination comes from: the place in the source entity, nil for none.
    package func originIndex(entityIndex: Int, propertyIndex: Int) -> Int? {
        guard let step = steps[entityIndex], case .property(let index) = step.origins[propertyIndex] else { return nil }
        return index
    }
}
