public import ObjectGraph

/// How the objects of one entity mapping are migrated; subclass it where expressions are not
/// enough.
///
/// Every mapping has an object of its own. The manager calls, over three passes in each of which
/// all mappings have their turn: `begin`, `createDestinationInstances` for every source object,
/// `endInstanceCreation`; `createRelationships` for every new object, `endRelationshipCreation`;
/// `performCustomValidation`, `end`. The standard methods do what the mapping says; whoever
/// overrides without calling `super` associates objects by
/// ``MigrationManager/associate(sourceInstance:withDestinationInstance:for:)``.
///
/// ```swift
/// final class MakerPolicy: EntityMigrationPolicy {
///     override func createDestinationInstances(forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager) throws {
///         try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
///         let car = try manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source])[0]
///         car["plate"] = (source["plate"] as? String)?.uppercased()
///     }
/// }
/// ```
open class EntityMigrationPolicy {
    /// Called by the manager, once for each mapping that names the policy.
    public required init() {}

    open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

    /// Makes the new objects of a source object, with their attributes.
    open func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        guard let name = mapping.destinationEntityName else { return }
        let object = try manager.destinationContext.insert(name)
        let evaluator = MappingEvaluator(manager, mapping, self, source: source, destination: object)
        for property in mapping.attributeMappings {
            guard let expression = property.valueExpression else { continue }
            try evaluator.setAttribute(property, expression)
        }
        manager.associate(sourceInstance: source, withDestinationInstance: object, for: mapping)
    }

    open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Sets the relationships of a new object.
    open func createRelationships(
        forDestination object: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        let source = try manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [object])
            .first
        let evaluator = MappingEvaluator(manager, mapping, self, source: source, destination: object)
        for property in mapping.relationshipMappings {
            guard let expression = property.valueExpression else { continue }
            try evaluator.setRelationship(property, expression)
        }
    }

    open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}

    /// What `FUNCTION($entityPolicy, "selector:", …)` in an expression of the mapping gives: a
    /// value that attributes can have, an object, or an array of objects.
    ///
    /// - Parameter arguments: values as ``ManagedObject/value(forKey:)`` gives them.
    open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        throw MigrationError(.policy, "The policy \(type(of: self)) has no function “\(selector)”")
    }
}
