public import Foundation
public import Query

/// How objects of one entity become objects of another.
public struct EntityMapping: Sendable, Hashable {
    /// What becomes of the objects; the raw values are those of compiled mapping models.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        case undefined = 0
        /// A policy of the application's own makes the objects.
        case custom = 1
        /// The entity is new: there is nothing to migrate.
        case add = 2
        /// The entity is gone, and its objects with it.
        case remove = 3
        /// The objects stay as they are.
        case copy = 4
        case transform = 5
    }

    /// By which other mappings and policies name it; unique in its mapping model.
    public var name: String
    /// What becomes of the objects.
    public var kind: Kind
    /// Nil for an entity that is new.
    public var sourceEntityName: String?
    /// Nil for an entity that is gone.
    public var destinationEntityName: String?
    /// The hashes of the two entities for which the mapping was made, nil where it says nothing of
    /// them.
    public var sourceEntityVersionHash: Data?
    /// As for the source entity.
    public var destinationEntityVersionHash: Data?
    /// The name under which the migration finds the policy; nil is the standard one.
    public var migrationPolicyName: String?
    /// Which objects of the source entity are migrated; nil for all of them.
    public var sourcePredicate: FetchPredicate?
    /// Where the attributes of new objects come from; one that is not named starts with its
    /// default.
    public var attributeMappings: [PropertyMapping]
    /// Where the relationships of new objects come from; one that is not named starts empty.
    public var relationshipMappings: [PropertyMapping]
    /// For policies to read.
    public var userInfo: [String: String]

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

    /// The mapping of an attribute or relationship, nil if there is none.
    public func propertyMapping(named name: String) -> PropertyMapping? {
        attributeMappings.first { $0.name == name } ?? relationshipMappings.first { $0.name == name }
    }
}
