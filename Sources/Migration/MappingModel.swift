import Foundation
public import Schema

/// How objects of one version of a model become objects of another: a mapping for every entity, in
/// the order in which they run.
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
    /// An entity or property is the former one if it has its renaming identifier or its name, which
    /// may have changed any number of times in between. What is added starts with its default value
    /// or empty; what is gone is removed. Attributes may become optional, or mandatory with a
    /// default value, and numbers of one type those of another; relationships may become to-many,
    /// ordered or unordered; properties and entities may move within a hierarchy, and entities out
    /// of it.
    ///
    /// Cost: linear in the two models.
    /// - Throws: ``MigrationError`` `notInferable` with everything that breaks a rule.
    public static func inferred(from source: ManagedObjectModel, to destination: ManagedObjectModel)
        throws(MigrationError) -> MappingModel
    {
        let inference = MappingInference(from: source, to: destination)
        try inference.requireSuccess()
        return inference.mappingModel
    }

    /// Whether the mapping was made for these versions: every entity that it knows the hash of has
    /// that hash, and every entity of both versions that it names is there.
    ///
    /// Mappings read from sources record no hashes; for them names alone decide.
    public func fits(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> Bool {
        unfitEntities(from: source, to: destination).isEmpty
    }

    /// The names of the entities that are others than those which the mapping was made for, in
    /// words for a person where they are missing.
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
