public import Schema
package import Storage

/// The differences between two versions of a model, and whether a migration can be inferred.
///
/// ```swift
/// let difference = ModelDifference(from: old, to: new)
/// if !difference.isInferable { difference.obstacles.forEach { print($0) } }
/// ```
public struct ModelDifference: Sendable, Hashable {
    /// The kind of a difference.
    public enum Kind: String, Sendable, Hashable {
        /// Unchanged, or changed only in aspects that are not stored.
        case copy
        /// Changed.
        case transform
        /// Added.
        case add
        /// Removed.
        case remove
    }

    /// The difference of a property.
    public struct PropertyDifference: Sendable, Hashable {
        /// The name in the old version; nil for an added property.
        public var source: String?
        /// The name in the new version; nil for a removed property.
        public var destination: String?
        /// The kind of the difference.
        public var kind: Kind
        /// The changes, for people.
        public var changes: [String]
    }

    /// The difference of an entity.
    public struct EntityDifference: Sendable, Hashable {
        /// The name in the old version; nil for an added entity.
        public var source: String?
        /// The name in the new version; nil for a removed entity.
        public var destination: String?
        /// The kind of the difference.
        public var kind: Kind
        /// The changes of the entity itself, for people.
        public var changes: [String]
        /// The properties that differ. Inherited properties are listed at the entity that declares
        /// them.
        public var properties: [PropertyDifference]

        /// Whether the entity or any of its properties differs.
        public var isChanged: Bool { kind != .copy || !changes.isEmpty || !properties.isEmpty }
    }

    /// All entities of the new version in its order, followed by the removed ones.
    public let entities: [EntityDifference]
    /// The obstacles to an inferred migration; empty if it can be inferred.
    public let obstacles: [MigrationObstacle]

    /// What the objects of a store must satisfy, so that an inferred migration does not refuse
    /// them; empty if every store of the old version can be migrated.
    public let conditions: [MigrationCondition]

    /// Whether the migration can be inferred from the two versions, for stores that satisfy the
    /// ``conditions``.
    public var isInferable: Bool { obstacles.isEmpty }
    /// Whether stores of one version can be opened with the other.
    public let isCompatible: Bool

    /// Compares two versions of a model, in time linear in their size.
    public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        let inference = MappingInference(from: source, to: destination)
        obstacles = inference.obstacles
        conditions = inference.conditions
        let comparison = ModelComparison(inference.plan)
        entities = comparison.entities
        isCompatible = destination.isCompatible(withVersionHashes: source.versionHashesByEntityName)
    }

    /// The differences between the ends of a chain of migrations. What a version in between has
    /// renamed is the same.
    package static func following(
        _ plans: [MigrationPlan], from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) -> ModelDifference {
        guard plans.count > 1, let plan = MigrationPlan.composed(plans) else {
            return ModelDifference(from: source, to: destination)
        }
        return ModelDifference(entities: ModelComparison(plan).entities)
    }

    private init(entities: [EntityDifference]) {
        self.entities = entities
        (obstacles, conditions, isCompatible) = ([], [], false)
    }
}
