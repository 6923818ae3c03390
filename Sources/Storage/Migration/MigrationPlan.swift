package import Schema

/// How the rows of a store of one version of a model become rows of another: what a store needs to
/// know to do it by itself.
///
/// The rules of inference hold for every plan (ObjectGraph's and stores' requests use positions in
/// models, and so does a plan):
/// 1. An entity comes from at most one entity, and by inference an entity becomes at most one. By a
///    mapping model it may be split into several, each in a hierarchy of its own; what referred to
///    its objects then refers to those of one of them, its main image.
/// 2. All entities of one hierarchy of the destination come from one hierarchy of the source:
///    objects keep their numbers.
/// 3. A property comes from one of the same kind; attributes keep their type, or change among those
///    of numbers (Boolean, integers, Decimal, Double, Float); a to-many relationship stays to-many,
///    or is one end of a many-to-many relationship whose other end stays to-many. What does not fit
///    is for the store to find and refuse.
package struct MigrationPlan: Sendable {
    /// Where the values of a property come from.
    package enum Origin: Sendable, Hashable {
        /// It is new: a default value, or nothing.
        case new
        /// The property at a place of the source entity.
        case property(Int)
        /// A to-one relationship between what an object was split into: to the object of the entity
        /// at this position that comes from the same one.
        case counterpart(Int)
    }

    package struct EntityStep: Sendable, Hashable {
        /// Position in the source model.
        package var sourceIndex: Int
        /// By `PropertyDescription.index` of the destination entity.
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
    /// By position in the source model: the position of what becomes of an entity (the main image
    /// of one that is split), nil for one that is gone.
    package let destinationIndices: [Int?]

    /// - Parameter mainImages: By position in the source model, for entities that are split, the
    ///   position of the main image.
    package init(
        source: ManagedObjectModel, destination: ManagedObjectModel, steps: [EntityStep?], mainImages: [Int: Int] = [:]
    ) {
        self.source = source
        self.destination = destination
        self.steps = steps
        var indices = [Int?](repeating: nil, count: source.entities.count)
        for (index, step) in steps.enumerated() { if let step { indices[step.sourceIndex] = index } }
        for (index, image) in mainImages { indices[index] = image }
        destinationIndices = indices
    }

    /// Where a property of the destination comes from: the place in the source entity, nil for
    /// none.
    package func originIndex(entityIndex: Int, propertyIndex: Int) -> Int? {
        guard let step = steps[entityIndex], case .property(let index) = step.origins[propertyIndex] else { return nil }
        return index
    }

    /// The entity whose object of the same origin a to-one relationship leads to; nil where it does
    /// not come from splitting an object.
    package func counterpartIndex(entityIndex: Int, propertyIndex: Int) -> Int? {
        guard let step = steps[entityIndex], case .counterpart(let index) = step.origins[propertyIndex] else {
            return nil
        }
        return index
    }
}
