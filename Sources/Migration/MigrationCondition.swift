/// A condition that the rows of a store must satisfy, so that an inferred migration does not refuse
/// them. An empty store satisfies all conditions.
///
/// ```swift
/// for condition in ModelDifference(from: old, to: new).conditions { print(condition) }
/// ```
public struct MigrationCondition: Sendable, Hashable, CustomStringConvertible {
    /// The rule by which the rows have to decide; nil for a rule of the new version for its values
    /// and relationships, such as a minimum.
    public var rule: MigrationObstacle.Rule?
    /// The name of the entity in the new version.
    public var entity: String
    /// The name of the property in the new version; nil if the whole entity is concerned.
    public var property: String?
    /// The condition, for people, without the name of the property.
    public var text: String

    /// Creates a condition.
    public init(_ rule: MigrationObstacle.Rule? = nil, entity: String, property: String? = nil, text: String) {
        self.rule = rule
        self.entity = entity
        self.property = property
        self.text = text
    }

    /// `Entity.property`, or the name of the entity.
    public var place: String { property.map { "\(entity).\($0)" } ?? entity }

    public var description: String { "\(place) \(text)" }
}
