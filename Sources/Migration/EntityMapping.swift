public import Foundation
public import Query

/// Describes how the objects of one entity are migrated to another entity.
///
/// ```swift
/// EntityMapping(
///     "BookToWork", .transform, from: "Book", to: "Work",
///     attributeMappings: [PropertyMapping("title", valueExpression: try QueryExpression(format: "$source.title"))])
/// ```
public struct EntityMapping: Sendable, Hashable {
    /// The kind of an entity mapping. The raw values are those of compiled mapping models.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// The kind is not known.
        case undefined = 0
        /// A custom migration policy creates the objects.
        case custom = 1
        /// The entity is new. There are no objects to migrate.
        case add = 2
        /// The entity is removed together with its objects.
        case remove = 3
        /// The entity is unchanged, and its objects are copied.
        case copy = 4
        /// The entity is changed, and its objects are transformed.
        case transform = 5
    }

    /// The name of the mapping, unique in its mapping model. Expressions and policies refer to it.
    public var name: String
    /// The kind of the mapping.
    public var kind: Kind
    /// The name of the entity in the source model; nil for a new entity.
    public var sourceEntityName: String?
    /// The name of the entity in the destination model; nil for a removed entity.
    public var destinationEntityName: String?
    /// The version hash of the source entity for which the mapping was made; nil if it is not
    /// recorded.
    public var sourceEntityVersionHash: Data?
    /// The version hash of the destination entity for which the mapping was made; nil if it is not
    /// recorded.
    public var destinationEntityVersionHash: Data?
    /// The name of the migration policy; nil for the standard policy.
    public var migrationPolicyName: String?
    /// The condition on the source objects to migrate; nil for all.
    public var sourcePredicate: FetchPredicate?
    /// The mappings of attributes. Attributes without a mapping get their default value.
    public var attributeMappings: [PropertyMapping]
    /// The mappings of relationships. Relationships without a mapping are empty.
    public var relationshipMappings: [PropertyMapping]
    /// Free-form values for use by policies.
    public var userInfo: [String: String]
    /// The properties that the destination has and the source has not; filled by inference.
    public var addedProperties: Set<String> = []
    /// The properties that the source has and the destination has not; filled by inference.
    public var removedProperties: Set<String> = []
    /// The properties that both have; filled by inference.
    public var mappedProperties: Set<String> = []

    /// Creates an entity mapping.
    public init(
        _ name: String, _ kind: Kind, from sourceEntityName: String?, to destinationEntityName: String?,
        sourceEntityVersionHash: Data? = nil,
        destinationEntityVersionHash: Data? = nil, migrationPolicyName: String? = nil,
        sourcePredicate: FetchPredicate? = nil,
        attributeMappings: [PropertyMapping] = [], relationshipMappings: [PropertyMapping] = [],
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.kind = kind
        self.sourceEntityName = sourceEntityName
        self.destinationEntityName = destinationEntityName
        self.sourceEntityVersionHash = sourceEntityVersionHash
        self.destinationEntityVersionHash = destinationEntityVersionHash
        self.migrationPolicyName = migrationPolicyName
        self.sourcePredicate = sourcePredicate
        self.attributeMappings = attributeMappings
        self.relationshipMappings = relationshipMappings
        self.userInfo = userInfo
    }

    /// The mapping of an attribute or a relationship; nil if there is none.
    public func propertyMapping(named name: String) -> PropertyMapping? {
        attributeMappings.first { $0.name == name } ?? relationshipMappings.first { $0.name == name }
    }
}
