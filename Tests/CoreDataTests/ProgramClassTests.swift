import CoreData
import Testing

/// Classes that nothing uses before a model names them.
class Chapter: NSManagedObject {
    @Managed var title: String?

    class Footnote: NSManagedObject {}
}

/// A policy that nothing uses before a mapping names it.
class ChapterPolicy: NSEntityMigrationPolicy {
    override init() { super.init() }
}

/// A transformer that nothing uses before an attribute names it.
final class ReversingTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? [Int]).map { Data($0.reversed().map(UInt8.init)) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { $0.reversed().map(Int.init) }
    }
}

/// How the classes of a program are found by the names in models.
struct ProgramClassTests {
    static func container(_ className: String) throws -> NSPersistentContainer {
        let entity = NSEntityDescription(), model = NSManagedObjectModel()
        (entity.name, entity.managedObjectClassName) = ("Chapter", className)
        entity.properties = [Library.attribute("title", .stringAttributeType)]
        model.entities = [entity]
        let container = NSPersistentContainer(name: "Chapters", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try Library.load(container)
        return container
    }

    static func className(_ name: String) throws -> String {
        let context = try container(name).viewContext
        return String(
            reflecting: type(of: NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)))
    }

    // A process of its own, in which nothing of the module was used.
    @Test func aClassIsFoundBeforeAnythingUsesIt() async {
        await #expect(processExitsWith: .success) {
            let context = try ProgramClassTests.container("Chapter").viewContext
            let made = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
            guard made is Chapter else { fatalError("\(type(of: made))") }
        }
    }

    @Test(arguments: ["Chapter", ".Chapter", "CoreDataTests.Chapter", "OtherProduct.Chapter"])
    func theModuleMayBeLeftOut(_ name: String) throws {
        #expect(try Self.className(name) == "CoreDataTests.Chapter")
    }

    @Test func classesInTypesAndFunctionsAreNamedByTheirWholeNames() throws {
        final class Local: NSManagedObject {}
        for type in [Chapter.Footnote.self, Local.self] as [NSManagedObject.Type] {
            let name = NSStringFromClass(type)
            #expect(try Self.className(name) == name)
        }
        #expect(NSStringFromClass(Chapter.self) == "CoreDataTests.Chapter")
        #expect(
            NSStringFromClass(NSObject.self) == "NSObject" || NSStringFromClass(NSObject.self) == "Foundation.NSObject")
    }

    @Test func aClassThatTheProgramLacksIsSaidWhereItIsMissed() throws {
        let context = try Self.container("Missing").viewContext
        #expect(
            type(of: NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context))
                == NSManagedObject.self)
        let error = #expect(throws: CocoaError.self) {
            try context.fetch(NSFetchRequest<Chapter>(entityName: "Chapter"))
        }
        #expect(error.map { "\($0.localizedDescription)".contains("names the class Missing for Chapter") } == true)
    }

    @Test func anAmbiguousClassIsAnError() async {
        await #expect(processExitsWith: .failure) {
            final class First { class Twin: NSManagedObject {} }
            final class Second { class Twin: NSManagedObject {} }
            print(First.Twin.self, Second.Twin.self)
            _ = try ProgramClassTests.className("Twin")
        }
    }

    @Test func policiesAndTransformersAreFoundAndMadeByTheirNames() throws {
        let transformer = try #require(ValueTransformer(forName: NSValueTransformerName("ReversingTransformer")))
        #expect(transformer.transformedValue([1, 2]) as? Data == Data([2, 1]))
        let context = try Self.migrated(by: "ChapterPolicy").newBackgroundContext()
        let titles = try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Chapter")).map {
                $0.value(forKey: "title") as? String
            }
        }
        #expect(titles == ["Old"])
    }

    /// A store that a mapping with a policy migrated.
    private static func migrated(by policy: String) throws -> NSPersistentContainer {
        let folder = try Folder(), old = try container("NSManagedObject").managedObjectModel
        let urls = ["a", "b"].map { folder.url.appendingPathComponent("\($0).sqlite") }
        let first = NSPersistentContainer(name: "a", managedObjectModel: old)
        first.persistentStoreDescriptions[0].url = urls[0]
        try Library.load(first)
        NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: first.viewContext).setValue(
            "Old", forKey: "title")
        try first.viewContext.save()
        try first.persistentStoreCoordinator.remove(first.persistentStoreCoordinator.persistentStores[0])
        let new = try #require(old.copy() as? NSManagedObjectModel)
        new.entities[0].properties.append(Library.attribute("subtitle", .stringAttributeType))
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        for entity in mapping.entityMappings { entity.entityMigrationPolicyClassName = policy }
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: urls[0], sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: urls[1],
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        let next = NSPersistentContainer(name: "b", managedObjectModel: new)
        next.persistentStoreDescriptions[0].url = urls[1]
        try Library.load(next)
        return next
    }
}
