import Foundation
public import Schema

/// How objects of one version of a model become objects of another: a mapping for every entity, in the order in which they run.
///
/// ```swift
/// let mapping = try MappingModel.inferred(from: old, to: new)
/// for entity in mapping.entityMappings { print(entity.name, entity.kind) }
/// ```
public struct MappingModel: Sendable, Hashable {
    /// In the order in which they run.
    public var entityMappings: [EntityMapping]

    public init(entityMappings: [EntityMapping]) {
        self.entityMappings = entityMappings
    }

    /// The mapping called `name`, nil if there is none.
    public func entityMapping(named name: String) -> EntityMapping? {
        entityMappings.first { $0.name == name }
    }

    /// The mapping of a source entity's objects; the first one where there are several.
    public func entityMapping(fromEntity name: String) -> EntityMapping? {
        entityMappings.first { $0.sourceEntityName == name }
    }

    /// The mapping that follows from the two versions alone, by Core Data's rules.
    ///
    /// An entity or property is the former one if it has its renaming identifier or its name, which may have changed any number of times in between. What is added
    /// starts with its default value or empty; what is gone is removed. Attributes may become optional, or mandatory with a default value; relationships may
    /// become to-many, ordered or unordered; properties and entities may move within a hierarchy, and entities out of it.
    ///
    /// Cost: linear in the two models.
    /// - Throws: ``MigrationError`` `notInferable` with everything that breaks a rule.
    public static func inferred(from source: ManagedObjectModel, to destination: ManagedObjectModel) throws(MigrationError) -> MappingModel {
        let inference = MappingInference(from: source, to: destination)
        try inference.requireSuccess()
        return inference.mappingModel
    }

    /// Whether the mapping was made for these versions: every entity that it knows the hash of has that hash, and every entity of both versions that it names is there.
    ///
    /// Mappings read from sources record no hashes; for them names alone decide.
    public func fits(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> Bool {
        let sourceHashes = source.versionHashesByEntityName, destinationHashes = destination.versionHashesByEntityName
        func fits(_ name: String?, _ hash: Data?, _ hashes: [String: Data]) -> Bool {
            guard let name else { return true }
            guard let own = hashes[name] else { return false }
            return hash == nil || hash == own
        }
        return entityMappings.allSatisfy {
            fits($0.sourceEntityName, $0.sourceEntityVersionHash, sourceHashes)
                && fits($0.destinationEntityName, $0.destinationEntityVersionHash, destinationHashes)
        }
    }
}
