public import Schema
import Storage

/// What is different in a new version of a model, and whether objects of the old one can become
/// objects of the new one by inference.
///
/// ```swift
/// let difference = ModelDifference(from: old, to: new)
/// if !difference.isInferable { difference.obstacles.forEach { print($0) } }
/// ```
public struct ModelDifference: Sendable, Hashable {
    /// What becomes of an entity or property.
    public enum Kind: String, Sendable, Hashable {
        /// The same in both versions, but for what no store depends on.
        case copy
        case transform, add, remove
    }

    /// What is different in one property.
    public struct PropertyDifference: Sendable, Hashable {
        /// The name in the old version, nil for a new property.
        public var source: String?
        /// The name in the new version, nil for one that is gone.
        public var destination: String?
        /// What becomes of it.
        public var kind: Kind
        /// What changed, in words.
        public var changes: [String]
    }

    /// What is different in one entity.
    public struct EntityDifference: Sendable, Hashable {
        /// The name in the old version, nil for a new entity.
        public var source: String?
        /// The name in the new version, nil for one that is gone.
        public var destination: String?
        /// What becomes of it.
        public var kind: Kind
        /// What changed of the entity itself, in words.
        public var changes: [String]
        /// The properties that are different, inherited ones at the entity that declares them.
        public var properties: [PropertyDifference]

        /// Whether anything at all is different.
        public var isChanged: Bool { kind != .copy || !changes.isEmpty || !properties.isEmpty }
    }

    /// Those of the new version in its order, then those that are gone.
    public let entities: [EntityDifference]
    /// What keeps the migration from being inferred; empty if it can be.
    public let obstacles: [MigrationObstacle]

    /// Whether objects can be migrated by the two versions alone.
    public var isInferable: Bool { obstacles.isEmpty }
    /// Whether stores of the one version are stores of the other.
    public let isCompatible: Bool

    /// Cost: linear in the two models.
    public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        let inference = MappingInference(from: source, to: destination)
        obstacles = inference.obstacles
        let comparison = ModelComparison(inference.plan)
        entities = comparison.entities
        isCompatible = destination.isCompatible(withVersionHashes: source.versionHashesByEntityName)
    }
}
