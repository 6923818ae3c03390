import Foundation
public import ObjectGraph
import Query
import Schema
public import Storage

/// Migrates the objects of one store into another by a mapping model, object by object.
///
/// Objects are added to the destination; after an error the caller has to discard it. All objects
/// are in memory until the end of the migration. Inferred migrations that a SQLite store performs
/// in place need no manager.
///
/// ```swift
/// let manager = MigrationManager(from: oldCoordinator, to: newCoordinator)
/// try manager.migrate(by: MappingModel(contentsOf: url), policies: ["MakerPolicy": MakerPolicy.self])
/// ```
open class MigrationManager {
    /// The context with the source objects. Policies must not change it.
    public let sourceContext: ManagedObjectContext
    /// The context with the destination objects. The manager saves it at the end.
    public let destinationContext: ManagedObjectContext
    /// Free-form values that policies can share.
    public var userInfo: [String: Any] = [:]
    /// The mapping model of the current or the last migration.
    public private(set) var mappingModel = MappingModel(entityMappings: [])
    /// The entity mapping that is being processed; nil outside of the passes.
    public private(set) var currentEntityMapping: EntityMapping?
    /// The progress from 0 to 1 during a migration; 0 otherwise.
    public private(set) var migrationProgress = 0.0

    private let progress: MigrationProgress?
    private var associations: [String: Associations] = [:]
    private var cancellation: (any Error)?
    private var completed = 0
    private var total = 0

    /// The source and destination objects of one mapping.
    private struct Associations {
        var sources: [ManagedObject] = []
        var destinations: [ManagedObject] = []
        var destinationsBySource: [ObjectIdentifier: [ManagedObject]] = [:]
        var sourcesByDestination: [ObjectIdentifier: [ManagedObject]] = [:]

        mutating func note(_ source: ManagedObject, _ destination: ManagedObject) {
            if destinationsBySource[ObjectIdentifier(source)] == nil { sources.append(source) }
            if sourcesByDestination[ObjectIdentifier(destination)] == nil { destinations.append(destination) }
            destinationsBySource[ObjectIdentifier(source), default: []].append(destination)
            sourcesByDestination[ObjectIdentifier(destination), default: []].append(source)
        }
    }

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - source: A coordinator with the source store, opened with the old version of the model.
    ///   - destination: A coordinator with the destination store, opened with the new version of
    ///     the model.
    ///   - progress: Receives reports of the migration, and can cancel it.
    public init(
        from source: PersistentStoreCoordinator, to destination: PersistentStoreCoordinator,
        progress: MigrationProgress? = nil
    ) {
        sourceContext = ManagedObjectContext(source)
        destinationContext = ManagedObjectContext(destination)
        destinationContext.undoManager = nil
        self.progress = progress
    }

    /// Migrates the objects of all entity mappings, and saves the destination.
    ///
    /// - Parameter policies: The classes of the policies that mappings name, by name. A name may
    ///   omit its module. Others are searched among those that were registered with
    ///   ``EntityMigrationPolicy/register(as:)``, and among the classes of the program.
    /// - Throws: ``MigrationError``; errors of policies, and the one passed to
    ///   ``cancelMigration(with:)``; `ValidationError` for objects that the new model does not
    ///   allow; `StorageError`.
    public func migrate(by mapping: MappingModel, policies: [String: EntityMigrationPolicy.Type] = [:]) throws {
        try migrate(by: mapping) { mapping in try self.policy(of: mapping, policies) }
    }

    /// - Parameter policy: gives the policy of an entity mapping.
    package func migrate(by mapping: MappingModel, policy: (EntityMapping) throws -> EntityMigrationPolicy) throws {
        mappingModel = mapping
        associations = [:]
        completed = 0
        defer {
            currentEntityMapping = nil
            migrationProgress = 0
            // It was for this migration.
            cancellation = nil
        }
        try checkCancellation()
        try check(mapping)
        let runs = try mapping.entityMappings.map { ($0, try policy($0)) }
        total = try max(1, 2 * mapping.entityMappings.reduce(0) { try $0 + count($1) })
        for (mapping, policy) in runs { try createInstances(mapping, policy) }
        for (mapping, policy) in runs { try createRelationships(mapping, policy) }
        for (mapping, policy) in runs {
            currentEntityMapping = mapping
            try policy.performCustomValidation(forMapping: mapping, manager: self)
            try policy.end(mapping, manager: self)
        }
        try checkCancellation()
        try destinationContext.save()
        associations = [:]
    }

    // MARK: Passes

    private func createInstances(_ mapping: EntityMapping, _ policy: EntityMigrationPolicy) throws {
        currentEntityMapping = mapping
        try policy.begin(mapping, with: self)
        for source in try sources(of: mapping) {
            try policy.createDestinationInstances(forSource: source, in: mapping, manager: self)
            try advance(mapping)
        }
        try policy.endInstanceCreation(forMapping: mapping, manager: self)
    }

    private func createRelationships(_ mapping: EntityMapping, _ policy: EntityMigrationPolicy) throws {
        currentEntityMapping = mapping
        for object in associations[mapping.name]?.destinations ?? [] {
            try policy.createRelationships(forDestination: object, in: mapping, manager: self)
            try advance(mapping)
        }
        try policy.endRelationshipCreation(forMapping: mapping, manager: self)
    }

    private func request(of mapping: EntityMapping) -> FetchRequest<ManagedObject>? {
        guard mapping.kind != .add, mapping.kind != .remove, let name = mapping.sourceEntityName,
            mapping.destinationEntityName != nil
        else { return nil }
        var request = FetchRequest<ManagedObject>(entityName: name)
        request.predicate = mapping.sourcePredicate
        // Sub-entities have mappings of their own.
        request.includesSubentities = false
        return request
    }

    private func sources(of mapping: EntityMapping) throws -> [ManagedObject] {
        try request(of: mapping).map { try sourceContext.fetch($0) } ?? []
    }

    private func count(_ mapping: EntityMapping) throws -> Int {
        try request(of: mapping).map { try sourceContext.count(for: $0) } ?? 0
    }

    private func advance(_ mapping: EntityMapping) throws {
        completed += 1
        migrationProgress = min(1, Double(completed) / Double(total))
        if completed % 256 == 0 {
            progress?.note(
                MigrationProgress.State(stage: mapping.name, completed: Int64(completed), total: Int64(total)))
        }
        try checkCancellation()
    }

    // MARK: Checking

    private func check(_ mapping: MappingModel) throws(MigrationError) {
        var names: Set<String> = []
        for entity in mapping.entityMappings {
            guard names.insert(entity.name).inserted else {
                throw MigrationError(.invalidMapping, "There are two mappings called “\(entity.name)”")
            }
            for (name, model, side) in [
                (entity.sourceEntityName, sourceContext.model, "old"),
                (entity.destinationEntityName, destinationContext.model, "new"),
            ] {
                if let name, model.entity(named: name) == nil {
                    throw MigrationError(
                        .invalidMapping,
                        "The mapping “\(entity.name)” names the entity \(name), which the \(side) version does not have"
                    )
                }
            }
            guard let destination = entity.destinationEntityName.flatMap({ destinationContext.model.entity(named: $0) })
            else { continue }
            for property in entity.attributeMappings + entity.relationshipMappings
            where destination.property(named: property.name) == nil {
                throw MigrationError(
                    .invalidMapping,
                    "The mapping “\(entity.name)” has a value for \(destination.name).\(property.name), which there is not"
                )
            }
        }
    }

    private func policy(of mapping: EntityMapping, _ policies: [String: EntityMigrationPolicy.Type])
        throws(MigrationError) -> EntityMigrationPolicy
    {
        guard let name = mapping.migrationPolicyName else { return EntityMigrationPolicy() }
        guard let type = EntityMigrationPolicy.known(name, among: policies) else {
            throw EntityMigrationPolicy.missing(name, mapping)
        }
        return type.init()
    }

    // MARK: Cancelling

    /// Cancels the migration with an error, after the current object; before one has begun, the
    /// next.
    public func cancelMigration(with error: any Error) {
        cancellation = cancellation ?? error
    }

    private func checkCancellation() throws {
        if let cancellation { throw cancellation }
        if progress?.isCancelled == true { throw MigrationError(.cancelled, "The migration was cancelled") }
    }

    // MARK: Services

    /// Records that a destination object was created from a source object.
    public func associate(
        sourceInstance: ManagedObject, withDestinationInstance destination: ManagedObject, for mapping: EntityMapping
    ) {
        associate(
            sourceInstance: sourceInstance, withDestinationInstance: destination, forEntityMappingNamed: mapping.name)
    }

    package func associate(
        sourceInstance: ManagedObject, withDestinationInstance destination: ManagedObject,
        forEntityMappingNamed name: String
    ) {
        associations[name, default: Associations()].note(sourceInstance, destination)
    }

    /// The destination objects that a mapping created from source objects, in the same order; from
    /// all source objects if nil.
    ///
    /// - Throws: ``MigrationError`` with code `invalidMapping` if there is no such mapping.
    public func destinationInstances(forEntityMappingName name: String, sourceInstances: [ManagedObject]? = nil)
        throws(MigrationError) -> [ManagedObject]
    {
        try requireMapping(name)
        guard let known = associations[name] else { return [] }
        guard let sourceInstances else { return known.destinations }
        return sourceInstances.flatMap { known.destinationsBySource[ObjectIdentifier($0)] ?? [] }
    }

    /// The source objects from which a mapping created destination objects, in the same order; of
    /// all destination objects if nil.
    ///
    /// - Throws: ``MigrationError`` with code `invalidMapping` if there is no such mapping.
    public func sourceInstances(forEntityMappingName name: String, destinationInstances: [ManagedObject]? = nil)
        throws(MigrationError) -> [ManagedObject]
    {
        try requireMapping(name)
        guard let known = associations[name] else { return [] }
        guard let destinationInstances else { return known.sources }
        return destinationInstances.flatMap { known.sourcesByDestination[ObjectIdentifier($0)] ?? [] }
    }

    /// The destination objects for the objects of a relationship of the current source entity.
    ///
    /// The mappings of the relationship's destination entity and its sub-entities are searched. If
    /// several mappings created objects from the same source object, the first one is used.
    ///
    /// ```swift
    /// let works = try manager.destinationInstances(forSourceRelationshipNamed: "books", sourceInstances: Array(author["books"] as? Set<ManagedObject> ?? []))
    /// ```
    /// - Parameters:
    ///   - name: The name of a relationship of the current mapping's source entity, or a key path
    ///     of relationships.
    ///   - sourceInstances: The objects of the relationship. Objects without a destination object
    ///     are ignored.
    /// - Throws: ``MigrationError`` with code `invalidMapping` if no mapping is being processed, or
    ///   its source entity has no such relationship.
    public func destinationInstances(forSourceRelationshipNamed name: String, sourceInstances: [ManagedObject])
        throws(MigrationError) -> [ManagedObject]
    {
        try destinationInstances(forSourceRelationshipNamed: name, sourceInstances: sourceInstances, accepting: nil)
    }

    /// - Parameter entity: The entity that the new objects must have, to select the right part of a
    ///   split object; nil for any.
    func destinationInstances(
        forSourceRelationshipNamed name: String, sourceInstances: [ManagedObject], accepting entity: EntityDescription?
    ) throws(MigrationError) -> [ManagedObject] {
        guard let mapping = currentEntityMapping,
            let source = mapping.sourceEntityName.flatMap({ sourceContext.model.entity(named: $0) })
        else {
            throw MigrationError(
                .invalidMapping, "The relationship “\(name)” is asked for while no objects are migrated")
        }
        var end = source
        for key in name.split(separator: ".", omittingEmptySubsequences: false) {
            guard let property = end.property(named: String(key)), property.relationship != nil else {
                throw MigrationError(
                    .invalidMapping,
                    "The mapping “\(mapping.name)” asks for the relationship “\(name)”, which \(source.name) does not have"
                )
            }
            end = sourceContext.model.entities[property.destinationIndex]
        }
        let names = Set(end.family.map { sourceContext.model.entities[$0].name })
        let mappings = mappingModel.entityMappings.filter { $0.sourceEntityName.map(names.contains) ?? false }
        return sourceInstances.flatMap { source -> [ManagedObject] in
            for mapping in mappings {
                guard let made = associations[mapping.name]?.destinationsBySource[ObjectIdentifier(source)] else {
                    continue
                }
                let found = entity.map { entity in made.filter { $0.entity.isKind(of: entity) } } ?? made
                if !found.isEmpty { return found }
            }
            return []
        }
    }

    private func requireMapping(_ name: String) throws(MigrationError) {
        guard mappingModel.entityMapping(named: name) != nil else {
            throw MigrationError(.invalidMapping, "There is no mapping called “\(name)”")
        }
    }
}
