import CoreData

// Declarations that Apple's headers allow. They are here to be compiled; `HeaderShapeTests` calls
// them.

extension NSManagedObject {
    final func delete() { managedObjectContext?.delete(self) }
    subscript(key: String) -> Any? { value(forKey: key) }
    func propertyValue(forKey key: String) -> String { "\(value(forKey: key) ?? "none")" }
    func transformedValue(forKey key: String) -> Any? { value(forKey: key) }
    func fulfillFault() { willAccessValue(forKey: nil) }
    static var nameOfEntity: String { entity().name ?? "" }
    var store: NSPersistentStore? { objectID.persistentStore }
    var context: NSManagedObjectContext? { managedObjectContext }
}

extension NSManagedObjectID {
    var key: String { uriRepresentation().lastPathComponent }
}

enum HeaderShapes {
    static func entityName(of attribute: NSAttributeDescription) -> String? { attribute.entity.name }

    static func run(_ function: (() -> Void) -> Void) -> Bool {
        var hasRun = false
        function { hasRun = true }
        return hasRun
    }
}

extension NSPersistentStoreCoordinator {
    static func empty() -> NSPersistentStoreCoordinator { self.init(managedObjectModel: NSManagedObjectModel()) }
}

extension NSManagedObjectContext {
    class func background(_ parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let context = self.init(concurrencyType: .privateQueueConcurrencyType)
        context.parent = parent
        return context
    }

    convenience init(parent: NSManagedObjectContext) {
        self.init(concurrencyType: .mainQueueConcurrencyType)
        self.parent = parent
    }
}

extension NSPersistentContainer {
    class func inMemory(_ model: NSManagedObjectModel) -> NSPersistentContainer {
        let container = self.init(name: "inMemory", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        return container
    }
}

final class MappingTransformer: ValueTransformer, @unchecked Sendable {
    let function: @Sendable (String) -> String

    init(_ function: @escaping @Sendable (String) -> String) {
        self.function = function
        super.init()
    }

    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data(function($0).utf8) } }
}

final class NumberedCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    let number: Int

    init(number: Int, model: NSManagedObjectModel) {
        self.number = number
        super.init(managedObjectModel: model)
    }
}

final class OverridingCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override init(managedObjectModel model: NSManagedObjectModel) {
        super.init(managedObjectModel: model)
        name = "overriding"
    }
}

final class CountingContext: NSManagedObjectContext, @unchecked Sendable {
    private(set) var count = 0

    override init(concurrencyType: NSManagedObjectContextConcurrencyType) {
        super.init(concurrencyType: concurrencyType)
    }

    override func performAndWait(_ block: () -> Void) {
        count += 1
        super.performAndWait(block)
    }

    override func save() throws {
        count += 1
        try super.save()
    }
}

final class TemporaryContainer: NSPersistentContainer, @unchecked Sendable {
    override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
}

final class ConfiguredContainer: NSPersistentContainer, @unchecked Sendable {
    let isInMemory: Bool

    init(isInMemory: Bool, model: NSManagedObjectModel) {
        self.isInMemory = isInMemory
        super.init(name: "Configured", managedObjectModel: model)
        if isInMemory { persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null") }
    }
}

final class OverridingContainer: NSPersistentContainer, @unchecked Sendable {
    override init(name: String, managedObjectModel model: NSManagedObjectModel) {
        super.init(name: name + "-2", managedObjectModel: model)
    }
}

final class TitledPolicy: NSEntityMigrationPolicy {
    let title: String

    init(title: String) {
        self.title = title
        super.init()
    }
}
