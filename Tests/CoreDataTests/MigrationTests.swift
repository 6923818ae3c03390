import CoreData
import Testing

/// What must not happen to a store of another version.
struct MigrationTests {
    /// A store with one book.
    private func store(in folder: Folder) throws -> URL {
        let container = try Library.container(in: folder)
        _ = Book(context: container.viewContext)
        try container.viewContext.save()
        let coordinator = container.persistentStoreCoordinator
        let url = try #require(coordinator.persistentStores[0].url)
        try coordinator.remove(coordinator.persistentStores[0])
        return url
    }

    private func books(in url: URL) throws -> Int {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.count(for: NSFetchRequest<Book>(entityName: "Book"))
    }

    @Test func aContainerWithoutItsModelLeavesTheStoreAlone() throws {
        let folder = try Folder(), url = try store(in: folder)
        let container = NSPersistentContainer(name: "NoSuchModel-\(UUID())")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        let error = #expect(throws: CocoaError.self) { try Library.load(container) }
        #expect(error?.localizedDescription.contains("Failed to load model named NoSuchModel-") == true)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        #expect(try books(in: url) == 1)
    }

    @Test func aModelWithoutEntitiesIsNoVersionOfAStoreWithSome() throws {
        let folder = try Folder(), url = try store(in: folder)
        let container = NSPersistentContainer(name: "Library", managedObjectModel: NSManagedObjectModel())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        let error = #expect(throws: CocoaError.self) { try Library.load(container) }
        #expect(error?.code == .migration)
        #expect(try books(in: url) == 1)
    }

    @Test func aStageNamesItsModelByItsChecksum() throws {
        let folder = try Folder(), file = try ModelSource("Library").write(in: folder)
        let model = try #require(NSManagedObjectModel(contentsOf: file))
        let right = NSManagedObjectModelReference(fileURL: file, versionChecksum: model.versionChecksum)
        #expect(right.resolvedModel == model)
        let url = try store(in: folder)
        for wrong in [
            NSManagedObjectModelReference(fileURL: file, versionChecksum: "none"),
            NSManagedObjectModelReference(model: model, versionChecksum: "none"),
            NSManagedObjectModelReference(name: "Nothing", in: nil, versionChecksum: "none"),
        ] {
            let stage = NSCustomMigrationStage(migratingFrom: wrong, to: right)
            let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
            let description = NSPersistentStoreDescription(url: url)
            description.setOption(
                NSStagedMigrationManager([stage]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
            container.persistentStoreDescriptions = [description]
            let error = #expect(throws: CocoaError.self) { try Library.load(container) }
            #expect(error?.code.rawValue == NSManagedObjectModelReferenceNotFoundError)
        }
        #expect(try books(in: url) == 1)
    }

    @Test func aHandlersContainerHasTheModelThatTheApplicationHas() throws {
        let folder = try Folder(), url = try store(in: folder)
        let old = Library.model(), newer = Library.model()
        newer.entitiesByName["Book"]?.properties.append(Library.attribute("subtitle", .stringAttributeType))
        let live = NSPersistentContainer(name: "Library", managedObjectModel: newer)
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
            to: NSManagedObjectModelReference(model: newer, versionChecksum: newer.versionChecksum))
        stage.didMigrateHandler = { manager, _ in
            #expect(manager.container?.managedObjectModel === newer)
        }
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(
            NSStagedMigrationManager([stage]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        live.persistentStoreDescriptions = [description]
        try Library.load(live)
        let book = try #require(live.viewContext.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
        let entity: NSEntityDescription = book.objectID.entity
        #expect(entity.managedObjectModel === newer)
    }
}

extension MigrationTests {
    @Test(arguments: [
        #"FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Book", "title ==")"#, "title",
    ]) func aSourceExpressionThatIsNoFetchIsAnError(_ text: String) throws {
        let folder = try Folder(), url = try store(in: folder)
        let newer = Library.model()
        newer.entitiesByName["Book"]?.properties.append(Library.attribute("subtitle", .stringAttributeType))
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: Library.model(), destinationModel: newer)
        for entity in mapping.entityMappings { entity.sourceExpression = NSExpression(format: text) }
        let manager = NSMigrationManager(sourceModel: Library.model(), destinationModel: newer)
        let error = #expect(throws: CocoaError.self) {
            try manager.migrateStore(
                from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                toDestinationURL: folder.url.appendingPathComponent("new.sqlite"), destinationType: NSSQLiteStoreType,
                destinationOptions: nil)
        }
        #expect(error?.code == .migration)
        #expect(error?.localizedDescription.contains("source expression") == true)
    }

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func aStoreOfAnotherVersionIsOpenedAsItIsWhereTheOptionSaysSo(_ type: String) throws {
        let folder = try Folder(), url = folder.url.appendingPathComponent("Library")
        func open(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil) throws -> NSManagedObjectContext
        {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try context.persistentStoreCoordinator?.addPersistentStore(
                ofType: type, configurationName: nil, at: url, options: options)
            return context
        }
        func close(_ context: NSManagedObjectContext) throws {
            let coordinator = try #require(context.persistentStoreCoordinator)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        let context = try open(Library.model())
        Book(context: context).price = 5
        try context.save()
        try close(context)
        let same = Library.model(), wider = Library.model()
        same.entitiesByName["Book"]?.versionHashModifier = "2"
        wider.entitiesByName["Book"]?.properties.append(Library.attribute("subtitle", .stringAttributeType))
        #expect(throws: CocoaError.self) { try open(same) }
        let ignoring: [AnyHashable: Any] = [
            NSIgnorePersistentStoreVersioningOption: true, NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
        let read = try open(same, ignoring)
        let book = try #require(read.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
        book.title = "Dune"
        try read.save()
        try close(read)
        let again = try open(same, ignoring)
        let books = try again.fetch(NSFetchRequest<Book>(entityName: "Book"))
        #expect(books.map(\.title) == ["Dune"] && books.map(\.price) == [5])
        try close(again)
        // What a SQLite store has not is no error of the file.
        guard type == NSSQLiteStoreType else { return }
        let error = #expect(throws: CocoaError.self) { try open(wider, ignoring) }
        #expect(error?.code == .persistentStoreIncompatibleVersionHash)
        try close(try open(Library.model()))
    }
}

extension MigrationTests {
    @Test func aFileIsRebuiltWhereTheOptionSaysSo() throws {
        let folder = try Folder(), container = try Library.container(in: folder)
        let context = container.viewContext, coordinator = container.persistentStoreCoordinator
        for _ in 0..<2_000 { Book(context: context).title = String(repeating: "x", count: 500) }
        try context.save()
        for book in try context.fetch(NSFetchRequest<Book>(entityName: "Book")) { context.delete(book) }
        try context.save()
        let url = try #require(coordinator.persistentStores[0].url)
        try coordinator.remove(coordinator.persistentStores[0])
        func size() throws -> Int { try #require(url.resourceValues(forKeys: [.fileSizeKey]).fileSize) }
        let before = try size()
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSSQLiteManualVacuumOption: true])
        try coordinator.remove(store)
        #expect(try size() < before / 2)
    }
}
