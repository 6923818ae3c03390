import Foundation
public import Schema

/// Describes a migration from one version of a model to another: an ordered list of entity
/// mappings.
///
/// ```swift
/// let mapping = try MappingModel.inferred(from: old, to: new)
/// for entity in mapping.entityMappings { print(entity.name, entity.kind) }
/// ```
public struct MappingModel: Sendable, Hashable {
    /// The entity mappings, in the order in which they are executed.
    public var entityMappings: [EntityMapping]

    /// Creates a mapping model.
    public init(entityMappings: [EntityMapping]) {
        self.entityMappings = entityMappings
    }

    /// The entity mapping with this name; nil if there is none.
    public func entityMapping(named name: String) -> EntityMapping? {
        entityMappings.first { $0.name == name }
    }

    /// The first mapping of a source entity; nil if there is none.
    public func entityMapping(fromEntity name: String) -> EntityMapping? {
        entityMappings.first { $0.sourceEntityName == name }
    }

    /// Infers the mapping between two versions, by Core Data's rules for lightweight migration.
    ///
    /// Entities and properties correspond if the new one's renaming identifier or name is equal to
    /// the renaming identifier or name of the old one. Added properties get their default value or
    /// are empty; removed ones are dropped. Numbers may change to another numeric type, and
    /// relationships their multiplicity, inverse and destination. Properties and entities may move
    /// within a hierarchy, and entities out of it. Where the new version allows less than the old
    /// one, the objects of a store decide: ``ModelDifference/conditions`` lists what they have to
    /// satisfy.
    ///
    /// Takes time linear in the size of the models.
    ///
    /// - Throws: ``MigrationError`` with code `notInferable` and all obstacles.
    public static func inferred(from source: ManagedObjectModel, to destination: ManagedObjectModel)
        throws(MigrationError) -> MappingModel
    {
        let inference = MappingInference(from: source, to: destination)
        try inference.requireSuccess()
        return inference.mappingModel
    }

    /// Whether the mapping fits two versions: recorded version hashes are equal, and all named
    /// entities exist.
    ///
    /// Mappings that were read from source files contain no hashes; only the names are compared
    /// then.
    public func fits(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> Bool {
        unfitEntities(from: source, to: destination).isEmpty
    }

    /// The entities that differ from those for which the mapping was made, with a description if
    /// they are missing.
    package func unfitEntities(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> [String] {
        let sourceHashes = source.versionHashesByEntityName, destinationHashes = destination.versionHashesByEntityName
        var names: Set<String> = []
        func check(_ name: String?, _ hash: Data?, _ hashes: [String: Data], _ side: String) {
            guard let name else { return }
            guard let own = hashes[name] else {
                names.insert("\(name) is not in the \(side) version")
                return
            }
            if let hash, hash != own { names.insert("\(name) is another in the \(side) version") }
        }
        for mapping in entityMappings {
            check(mapping.sourceEntityName, mapping.sourceEntityVersionHash, sourceHashes, "old")
            check(mapping.destinationEntityName, mapping.destinationEntityVersionHash, destinationHashes, "new")
        }
        return names.sorted()
    }
}
