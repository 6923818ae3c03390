public import ObjectGraph

/// The migration of the objects of one entity mapping. Subclass it if expressions are not
/// sufficient.
///
/// Each entity mapping has its own instance. The manager makes three passes over all mappings. In
/// the first it calls ``begin(_:with:)``, ``createDestinationInstances(forSource:in:manager:)`` for
/// each source object, and ``endInstanceCreation(forMapping:manager:)``; in the second
/// ``createRelationships(forDestination:in:manager:)`` for each new object, and
/// ``endRelationshipCreation(forMapping:manager:)``; in the third
/// ``performCustomValidation(forMapping:manager:)`` and ``end(_:manager:)``.
///
/// The default implementations follow the mapping. An override that does not call `super` must
/// associate the objects it creates, with
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
    /// Creates a policy. The manager calls it once for each mapping that names the class.
    public required init() {}

    /// Called before the first object of the mapping is migrated. The default implementation does
    /// nothing.
    open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

    /// Creates the destination objects of a source object and sets their attributes. The default
    /// implementation creates one object by the mapping.
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

    /// Called after all destination objects of the mapping were created. The default implementation
    /// does nothing.
    open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Sets the relationships of a destination object. The default implementation follows the
    /// mapping.
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

    /// Called after the relationships of all destination objects of the mapping were set. The
    /// default implementation does nothing.
    open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Called after all mappings have set their relationships, to validate the destination objects.
    /// Throw to fail the migration. The default implementation does nothing.
    open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Called at the end of the migration of the mapping. The default implementation does nothing.
    open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}

    /// The value of `FUNCTION($entityPolicy, "selector:", …)` in an expression of the mapping: an
    /// attribute value, an object or an array of objects. The default implementation throws
    /// ``MigrationError`` with code `policy`.
    ///
    /// - Parameter arguments: The arguments, as values of ``ManagedObject/value(forKey:)``;
    ///   `$manager`, `$entityMapping`, `$propertyMapping` and `$entityPolicy` as the
    ///   ``MigrationManager``, the ``EntityMapping``, the ``PropertyMapping`` and the policy
    ///   itself.
    open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        throw MigrationError(.policy, "The policy \(type(of: self)) has no function “\(selector)”")
    }
}
