/// One thing of a new version that can't be inferred from the old one.
public struct MigrationObstacle: Sendable, Hashable, CustomStringConvertible {
    /// The rule that is broken, as a stable word.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        case ambiguousRenaming, attributeType, mandatoryWithoutDefault, toManyToOne, sharedMembers, inversePairing,
            relationshipDestination
        case mergedHierarchies
    }

    /// The rule that is broken.
    public var rule: Rule
    /// The entity in the new version.
    public var entity: String
    /// The property in the new version; nil where the entity as a whole is meant.
    public var property: String?
    /// What is so, in words.
    public var reason: String
    /// What would make it possible, in words.
    public var remedy: String

    public init(_ rule: Rule, entity: String, property: String? = nil, reason: String, remedy: String) {
        self.rule = rule
        self.entity = entity
        self.property = property
        self.reason = reason
        self.remedy = remedy
    }

    /// `Entity.property`, or the entity alone.
    public var place: String { property.map { "\(entity).\($0)" } ?? entity }

    public var description: String { "\(place) \(reason) (\(remedy))" }
}
