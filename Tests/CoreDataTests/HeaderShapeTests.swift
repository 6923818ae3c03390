import CoreData
import Testing

/// That what Apple's headers allow compiles, and does what it says.
struct HeaderShapeTests {
    @Test func anApplicationsNamesOfObjectsAreItsOwn() throws {
        let context = try Library.container().viewContext
        let books = [Book(context: context), Book(context: context)]
        books.forEach { $0.delete() }
        #expect(context.insertedObjects.isEmpty)
        let book = Book(context: context)
        book.fulfillFault()
        #expect(book["title"] as? String == "Untitled" && book.propertyValue(forKey: "title") == "Untitled")
        #expect(Book.nameOfEntity == "Book" && book.context === context && book.store == nil)
    }

    @Test func aPropertyHasItsEntity() throws {
        let title = try #require(Library.model().entitiesByName["Book"]?.attributesByName["title"])
        #expect(HeaderShapes.entityName(of: NSAttributeDescription()) == nil && title.entity.name == nil)
        let model = Library.model()
        let kept = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
        #expect(HeaderShapes.entityName(of: kept) == "Book" && kept.entity === model.entitiesByName["Book"])
    }

    @Test func initializersAreCalledOfSelf() throws {
        #expect(NSPersistentStoreCoordinator.empty().managedObjectModel.entities.isEmpty)
        let container = NSPersistentContainer.inMemory(Library.model())
        try Library.load(container)
        #expect(container.name == "inMemory" && container.persistentStoreCoordinator.persistentStores.count == 1)
        let child = NSManagedObjectContext.background(container.viewContext)
        #expect(child.parent === container.viewContext && child.concurrencyType == .privateQueueConcurrencyType)
        #expect(NSManagedObjectContext(parent: container.viewContext).concurrencyType == .mainQueueConcurrencyType)
    }

    @Test func subclassesHaveInitializersOfTheirOwn() throws {
        let model = Library.model()
        #expect(MappingTransformer { $0.uppercased() }.transformedValue("a") as? Data == Data("A".utf8))
        #expect(TitledPolicy(title: "a").title == "a")
        #expect(NumberedCoordinator(number: 3, model: model).number == 3)
        #expect(OverridingCoordinator(managedObjectModel: model).name == "overriding")
        let container = TemporaryContainer(name: "x", managedObjectModel: model)
        #expect(
            container.persistentStoreDescriptions[0].url?.deletingLastPathComponent().standardizedFileURL
                == FileManager.default.temporaryDirectory.standardizedFileURL)
        #expect(ConfiguredContainer(isInMemory: true, model: model).isInMemory)
        #expect(OverridingContainer(name: "x", managedObjectModel: model).name == "x-2")
        #expect(OverridingContainer(name: "x").name == "x-2")
    }

    @Test func performAndWaitIsAValue() throws {
        let container = try Library.container(), context = container.newBackgroundContext()
        #expect(HeaderShapes.run(context.performAndWait))
        #expect(HeaderShapes.run(container.persistentStoreCoordinator.performAndWait))
        let counting = CountingContext(concurrencyType: .privateQueueConcurrencyType)
        counting.parent = context
        counting.performAndWait { counting.refreshAllObjects() }
        try counting.performAndWait { try counting.save() }
        #expect(counting.performAndWait { counting.hasChanges } == false && counting.count == 2)
    }

    @Test func whatIsAnObjectOfApplesHasInit() {
        #expect(NSManagedObjectID() != NSManagedObjectID() && NSManagedObjectID().isTemporaryID)
        #expect(NSConstraintConflict().conflictingObjects.isEmpty && NSMergeConflict().objectSnapshot?.isEmpty == true)
        #expect(NSManagedObjectContext().persistentStoreCoordinator == nil)
        let author = Author()
        #expect(author.managedObjectContext == nil && author.description != "")
        #expect(Dummy().managedObjectContext == nil)
    }
}

/// A class of no entity.
final class Dummy: NSManagedObject {}
