import CoreData
import Testing

/// A color that archives itself.
final class Swatch: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let red: Double
    let names: [String]

    init(_ red: Double, _ names: [String] = []) { (self.red, self.names) = (red, names) }

    init?(coder: NSCoder) {
        red = coder.decodeDouble(forKey: "red")
        names = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "names") as? [String] ?? []
    }

    func encode(with coder: NSCoder) {
        coder.encode(red, forKey: "red")
        coder.encode(names as NSArray, forKey: "names")
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Swatch else { return false }
        return red == other.red && names == other.names
    }

    override var hash: Int { red.hashValue }
}

/// Models that are built in code, and stacks over them.
enum Office {
    static let fileTypes = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]
    static let types = fileTypes + [NSInMemoryStoreType]

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        (entity.name, entity.managedObjectClassName, entity.properties) = (name, "NSManagedObject", properties)
        return entity
    }

    static func relationship(_ name: String, max: Int, min: Int = 0, _ rule: NSDeleteRule = .nullifyDeleteRule)
        -> NSRelationshipDescription
    {
        let relationship = NSRelationshipDescription()
        (relationship.name, relationship.minCount, relationship.maxCount) = (name, min, max)
        (relationship.isOptional, relationship.deleteRule) = (true, rule)
        return relationship
    }

    static func connect(
        _ left: NSRelationshipDescription, _ source: NSEntityDescription, _ right: NSRelationshipDescription,
        _ target: NSEntityDescription
    ) {
        (left.destinationEntity, right.destinationEntity) = (target, source)
        (left.inverseRelationship, right.inverseRelationship) = (right, left)
    }

    static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// Workers of teams, with rules; in the second version, `born` is `title`.
    static func staff(version: Int = 1) -> NSManagedObjectModel {
        let team = relationship("team", max: 1), workers = relationship("workers", max: 3, .denyDeleteRule)
        let name = Library.attribute("name", .stringAttributeType) {
            $0.isOptional = false
            $0.setValidationPredicates(
                [NSPredicate(format: "length >= 2")], withValidationWarnings: ["That is no name."])
        }
        let wage = Library.attribute("wage", .integer32AttributeType) {
            $0.setValidationPredicates(
                [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF != 666")],
                withValidationWarnings: ["Wages are paid.", "Not that number."])
        }
        let last =
            version == 1
            ? Library.attribute("born", .dateAttributeType) : Library.attribute("title", .stringAttributeType)
        let worker = entity("Worker", [name, wage, last, team])
        let unit = entity("Team", [Library.attribute("name", .stringAttributeType), workers])
        connect(team, worker, workers, unit)
        return model(worker, unit)
    }

    /// Cars with a unique plate.
    static func cars() -> NSManagedObjectModel {
        let car = entity(
            "Car", [Library.attribute("plate", .stringAttributeType), Library.attribute("maker", .stringAttributeType)])
        car.uniquenessConstraints = [["plate"]]
        return model(car)
    }

    static func open(
        _ model: NSManagedObjectModel, _ type: String = NSInMemoryStoreType, _ folder: Folder? = nil,
        name: String = "store", options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder?.url.appendingPathComponent(name), options: options)
        return context(coordinator)
    }

    static func context(_ coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Another context on the same coordinator.
    static func other(than context: NSManagedObjectContext) -> NSManagedObjectContext {
        self.context(context.persistentStoreCoordinator)
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func add(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    func all(
        _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], by key: String? = nil
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return try fetch(request)
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }
}

/// The error that `body` throws, as Cocoa's.
func failure(_ body: () throws -> Void) -> NSError? {
    do { try body() } catch { return error as NSError }
    Issue.record("Nothing was thrown")
    return nil
}
