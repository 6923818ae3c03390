public import Foundation
import Migration
import ObjectGraph

/// The migration of the objects of one entity mapping. Subclass it where expressions are not
/// enough; the class is found by its name.
open class NSEntityMigrationPolicy: NSObject {
    /// What runs the standard implementations for this policy.
    weak var bridge: PolicyBridge?

    /// Creates a policy; called by managers, once for each mapping that names the class.
    public override init() { super.init() }

    private var standard: PolicyBridge {
        guard let bridge else { preconditionFailure("A policy is called by its manager") }
        return bridge
    }

    /// Called before the first object of the mapping.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Creates the new objects of an old one and sets their attributes. An override that does not
    /// call super associates what it creates.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try standard.createStandardInstances(sInstance, mapping.folio(), manager.folio)
    }

    /// Called after all new objects of the mapping were created.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of a new object.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try standard.createStandardRelationships(dInstance, mapping.folio(), manager.folio)
    }

    /// Called after the relationships of all new objects of the mapping were set.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called after all mappings, to validate the new objects.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called at the end of the migration of the mapping.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// The value of `FUNCTION($entityPolicy, "selector:", …)`. Methods can't be called by name
    /// here: an override gives the values of its own selectors.
    open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        throw MigrationError(.policy, "The policy \(Swift.type(of: self)) has no function “\(selector)”")
    }
}

/// A policy of Core Data's shape as one of Folio's.
final class PolicyBridge: EntityMigrationPolicy {
    private let policy: NSEntityMigrationPolicy
    private weak var manager: NSMigrationManager?

    init(_ policy: NSEntityMigrationPolicy, _ manager: NSMigrationManager) {
        self.policy = policy
        self.manager = manager
        super.init()
        policy.bridge = self
    }

    required init() {
        policy = NSEntityMigrationPolicy()
        manager = nil
        super.init()
        policy.bridge = self
    }

    private func call(_ mapping: EntityMapping, _ body: (NSEntityMapping, NSMigrationManager) throws -> Void) throws {
        guard let manager else { return }
        try body(manager.known(mapping), manager)
    }

    override func begin(_ mapping: EntityMapping, with _: MigrationManager) throws {
        try call(mapping) { try policy.begin($0, with: $1) }
    }

    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager _: MigrationManager
    ) throws {
        guard let source = source as? NSManagedObject else { return }
        try call(mapping) { try policy.createDestinationInstances(forSource: source, in: $0, manager: $1) }
    }

    override func endInstanceCreation(forMapping mapping: EntityMapping, manager _: MigrationManager) throws {
        try call(mapping) { try policy.endInstanceCreation(forMapping: $0, manager: $1) }
    }

    override func createRelationships(
        forDestination object: ManagedObject, in mapping: EntityMapping, manager _: MigrationManager
    ) throws {
        guard let object = object as? NSManagedObject else { return }
        try call(mapping) { try policy.createRelationships(forDestination: object, in: $0, manager: $1) }
    }

    override func endRelationshipCreation(forMapping mapping: EntityMapping, manager _: MigrationManager) throws {
        try call(mapping) { try policy.endRelationshipCreation(forMapping: $0, manager: $1) }
    }

    override func performCustomValidation(forMapping mapping: EntityMapping, manager _: MigrationManager) throws {
        try call(mapping) { try policy.performCustomValidation(forMapping: $0, manager: $1) }
    }

    override func end(_ mapping: EntityMapping, manager _: MigrationManager) throws {
        try call(mapping) { try policy.end($0, manager: $1) }
    }

    override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        let own = arguments.map { argument -> Any? in
            switch argument {
            case is MigrationManager: manager
            case is EntityMigrationPolicy: policy
            case let mapping as EntityMapping: manager?.known(mapping)
            case let property as PropertyMapping: NSPropertyMapping(property)
            default: BridgedValue.plain(argument)
            }
        }
        let value = try policy.value(forFunction: selector, arguments: own)
        if value is ManagedObject { return value }
        if let elements = value.flatMap({ BridgedValue.elements(of: $0) }) {
            let objects = elements.compactMap { $0 as? ManagedObject }
            if objects.count == elements.count { return objects }
        }
        return BridgedValue.propertyValue(value) ?? value
    }

    // MARK: What the standard policy does, for this one

    func createStandardInstances(_ source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager) throws
    {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    }

    func createStandardRelationships(_ object: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager)
        throws
    {
        try super.createRelationships(forDestination: object, in: mapping, manager: manager)
    }
}
