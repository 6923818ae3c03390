import CoreData
import Synchronization
import Testing

/// Coordinators, stores and models.
struct StoreTests {
    @Test func aStoreOfAnotherVersionIsMigratedWhereOptionsSaySo() throws {
        let folder = try Folder()
        let container = try Library.container(in: folder)
        let url = try #require(container.persistentStoreDescriptions[0].url)
        _ = Book(context: container.viewContext)
        try container.viewContext.save()
        try container.persistentStoreCoordinator.remove(container.persistentStoreCoordinator.persistentStores[0])
        let newer = Library.model()
        newer.entitiesByName["Book"]?.properties.append(Library.attribute("subtitle", .stringAttributeType))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newer)
        let error = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        }
        #expect(error?.code == .persistentStoreIncompatibleVersionHash)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, configuration: nil, at: url,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ])
        #expect(store.url == url && store.type == NSSQLiteStoreType && !store.isReadOnly)
        #expect(
            coordinator.persistentStore(for: url) === store
                && store.metadata[NSStoreUUIDKey] as? String == store.identifier)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let book = try #require(context.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
        book.setValue("Part One", forKey: "subtitle")
        try context.save()
        let moved = try coordinator.migratePersistentStore(
            store, to: folder.url.appendingPathComponent("b.xml"), options: nil, withType: NSXMLStoreType)
        #expect(moved.type == NSXMLStoreType && coordinator.persistentStores == [moved])
        try coordinator.remove(moved)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
        #expect(try Data(contentsOf: url).isEmpty)
    }

    @Test func aStagedMigrationRunsItsHandlers() throws {
        let folder = try Folder()
        let container = try Library.container(in: folder)
        let url = try #require(container.persistentStoreDescriptions[0].url)
        _ = Book(context: container.viewContext)
        try container.viewContext.save()
        try container.persistentStoreCoordinator.remove(container.persistentStoreCoordinator.persistentStores[0])
        let old = Library.model(), newer = Library.model()
        newer.entitiesByName["Book"]?.properties.append(Library.attribute("subtitle", .stringAttributeType))
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
            to: NSManagedObjectModelReference(model: newer, versionChecksum: newer.versionChecksum))
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container).newBackgroundContext()
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                for book in try context.fetch(request) { book.setValue("Staged", forKey: "subtitle") }
                try context.save()
            }
        }
        let next = NSPersistentContainer(name: "Library", managedObjectModel: newer)
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(
            NSStagedMigrationManager([stage]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        next.persistentStoreDescriptions = [description]
        try Library.load(next)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(try next.viewContext.fetch(request).map { $0.value(forKey: "subtitle") as? String } == ["Staged"])
    }
}

extension StoreTests {
    @Test func aModelIsReadCopiedAndFrozen() throws {
        let model = Library.model()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model && copy !== model)
        copy.entitiesByName["Book"]?.attributesByName["title"]?.isOptional = false
        #expect(copy != model)
        #expect(copy.entityVersionHashesByName["Author"] == model.entityVersionHashesByName["Author"])
        #expect(copy.entityVersionHashesByName["Book"] != model.entityVersionHashesByName["Book"])
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.relationshipsByName["author"]?.inverseRelationship?.name == "books")
        #expect(book.relationshipsByName["author"]?.destinationEntity?.name == "Author")
        #expect(book.managedObjectModel === model && book.attributesByName["year"]?.defaultValue as? Int == 0)
        let merged = NSManagedObjectModel(byMerging: [model, copy.entities.isEmpty ? copy : model])
        #expect(merged?.entities.count == 2)
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere.momd")) == nil)
    }

    @Test func validationPredicatesAreRules() throws {
        let model = Library.model()
        let year = try #require(model.entitiesByName["Book"]?.attributesByName["year"])
        year.setValidationPredicates(
            [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "modulus:by:(SELF, 2) == 0")],
            withValidationWarnings: ["too early", "not even"])
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions[0].type = NSInMemoryStoreType
        try Library.load(container)
        let book = Book(context: container.viewContext)
        book.year = -2
        #expect(
            #expect(throws: CocoaError.self) { try container.viewContext.save() }?.code == .validationNumberTooSmall)
        book.year = 3
        let error = #expect(throws: CocoaError.self) { try container.viewContext.save() }
        #expect(error?.code == .managedObjectValidation && error?.localizedDescription == "not even")
        book.year = 4
        try container.viewContext.save()
    }

    @Test func stringsOfHistoryAreRead() throws {
        let folder = try Folder()
        let container = try Library.container(in: folder) {
            $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        }
        let context = container.newBackgroundContext()
        context.transactionAuthor = "me"
        let start = try #require(container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
        let book = Book(context: context)
        try context.save()
        let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: start))
        let transactions = try #require(
            (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.map(\.author) == ["me"])
        #expect(transactions[0].changes?.map(\.changedObjectID) == [book.objectID])
        #expect(transactions[0].changes?.first?.changeType == .insert)
        let data = try NSKeyedArchiver.archivedData(withRootObject: transactions[0].token, requiringSecureCoding: true)
        let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(token == transactions[0].token)
    }
}
