/// A change in a new model version that can't be inferred from the old version, whatever the store
/// contains. What depends on the store's objects is a ``MigrationCondition``.
public struct MigrationObstacle: Sendable, Hashable, CustomStringConvertible {
    /// The rule that a change violates.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// Two entities or properties correspond to the same former one.
        case ambiguousRenaming
        /// An attribute changes to a type that its values can't be converted to.
        case attributeType
        /// An attribute is mandatory, and existing objects would have no value.
        case mandatoryWithoutDefault
        /// A to-many relationship becomes to-one.
        case toManyToOne
        /// Objects may be shared by several owners, which the new relationship does not allow.
        case sharedMembers
        /// Two relationships become inverses of each other that were not before.
        case inversePairing
        /// The destination of a relationship is not the entity that its objects have now.
        case relationshipDestination
        /// Two hierarchies of entities become one.
        case mergedHierarchies
        /// The new version has no entities, and all objects would be lost. This is a model that was
        /// not found rather than a version of it.
        case noEntities
    }

    /// The violated rule.
    public var rule: Rule
    /// The name of the entity in the new version; that of one in the old version for
    /// ``Rule/noEntities``.
    public var entity: String
    /// The name of the property in the new version; nil if the whole entity is concerned.
    public var property: String?
    /// The reason, for people.
    public var reason: String
    /// A change that would make the migration inferable, for people.
    public var remedy: String

    /// Creates an obstacle.
    public init(_ rule: Rule, entity: String, property: String? = nil, reason: String, remedy: String) {
        self.rule = rule
        self.entity = entity
        self.property = property
        self.reason = reason
        self.remedy = remedy
    }

    /// `Entity.property`, or the name of the entity.
    public var place: String { property.map { "\(entity).\($0)" } ?? entity }

    public var description: String { "\(place) \(reason) (\(remedy))" }
}
