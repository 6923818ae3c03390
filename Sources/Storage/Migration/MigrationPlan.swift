package import Schema

/// The mapping of rows of one model version to rows of another: all information that a store needs
/// to migrate itself. It uses indexes of entities and properties in the models, like the requests
/// to stores.
///
/// These rules hold for every plan:
/// 1. An entity has at most one source entity. With inference, an entity has at most one
///    destination entity. A mapping model may split an entity into several, each in a hierarchy of
///    its own; references to its objects then become references to the objects of one of them, the
///    main image.
/// 2. All entities of one hierarchy of the destination come from one hierarchy of the source, so
///    objects keep their primary keys.
/// 3. A property comes from one of the same kind. Attributes keep their type or change between
///    numeric types (Boolean, integers, Decimal, Double, Float). A to-many relationship stays
///    to-many, or is one end of a many-to-many relationship whose other end stays to-many. The
///    store must find and reject values that do not fit.
package struct MigrationPlan: Sendable {
    /// The source of a property's values.
    package enum Origin: Sendable, Hashable {
        /// The property is new: it gets its default value, or nil.
        case new
        /// The source entity's property with this index.
        case property(Int)
        /// A to-one relationship between the parts of a split object. It refers to the object of
        /// the entity with this index that comes from the same source object.
        case counterpart(Int)
    }

    package struct EntityStep: Sendable, Hashable {
        /// The index in the source model.
        package var sourceIndex: Int
        /// The origins by `PropertyDescription.index` of the destination entity.
        package var origins: [Origin]

        package init(sourceIndex: Int, origins: [Origin]) {
            self.sourceIndex = sourceIndex
            self.origins = origins
        }
    }

    package let source: ManagedObjectModel
    package let destination: ManagedObjectModel
    /// By index in the destination model; nil for a new entity.
    package let steps: [EntityStep?]
    /// By index in the source model: the index of the destination entity (the main image of a split
    /// entity), or nil if the entity is removed.
    package let destinationIndices: [Int?]

    /// - Parameter mainImages: The indexes of the main images of split entities, by index in the
    ///   source model.
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

    /// The index in the source entity of the property that a destination property comes from; nil
    /// if there is none.
    package func originIndex(entityIndex: Int, propertyIndex: Int) -> Int? {
        guard let step = steps[entityIndex], case .property(let index) = step.origins[propertyIndex] else { return nil }
        return index
    }

    /// The entity of the counterpart that a to-one relationship refers to; nil if the relationship
    /// does not result from a split.
    package func counterpartIndex(entityIndex: Int, propertyIndex: Int) -> Int? {
        guard let step = steps[entityIndex], case .counterpart(let index) = step.origins[propertyIndex] else {
            return nil
        }
        return index
    }
}
