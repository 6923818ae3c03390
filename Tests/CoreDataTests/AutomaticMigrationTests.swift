import CoreData
import Testing

/// Stores of every type that are brought to another version as they are opened.
struct AutomaticMigrationTests {
    private let folder: Folder
    private let url: URL
    private let both: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    init() throws {
        folder = try Folder()
        url = folder.url.appendingPathComponent("library")
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: JSONStore.storeType)
    }

    private func open(
        _ model: NSManagedObjectModel, _ type: String, _ options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try context.persistentStoreCoordinator?.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// A store with two books of one author.
    private func fill(_ type: String) throws {
        let context = try open(Library.model(), type)
        let author = Author(context: context)
        author.name = "Eliot"
        for (title, year) in [("Romola", 1863), ("Middlemarch", 1871)] {
            let book = Book(context: context)
            (book.title, book.year, book.author) = (title, Int16(year), author)
        }
        try context.save()
        try close(context)
    }

    private func wider() throws -> NSManagedObjectModel {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        book.properties.append(Library.attribute("subtitle", .stringAttributeType) { $0.defaultValue = "none" })
        let year = try #require(book.attributesByName["year"])
        (year.name, year.renamingIdentifier) = ("published", "year")
        return model
    }

    private func rows(_ context: NSManagedObjectContext, _ keys: [String]) throws -> [[String]] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).map { book in keys.map { "\(book.value(forKeyPath: $0) ?? "nil")" } }
    }

    static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, JSONStore.storeType]

    @Test(arguments: types) func aStoreOfEveryTypeMigratesAsItIsOpened(_ type: String) throws {
        try fill(type)
        let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(throws: CocoaError.self) { try open(wider(), type) }
        let context = try open(wider(), type, both)
        let expected = [["Middlemarch", "1871", "none", "Eliot"], ["Romola", "1863", "none", "Eliot"]]
        let keys = ["title", "published", "subtitle", "author.name"]
        #expect(try rows(context, keys) == expected)
        try context.fetch(NSFetchRequest<Book>(entityName: "Book")).forEach { $0.isRead = true }
        try context.save()
        try close(context)
        let again = try open(wider(), type)
        #expect(try rows(again, keys) == expected)
        try close(again)
        let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        if type != JSONStore.storeType {
            #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files == ["library"], "\(files)")
    }

    @Test(arguments: types) func withoutAMappingModelAndInferenceAStoreStaysAsItIs(_ type: String) throws {
        try fill(type)
        let bytes = try Data(contentsOf: url)
        let error = #expect(throws: CocoaError.self) {
            try open(wider(), type, [NSMigratePersistentStoresAutomaticallyOption: true])
        }
        #expect(error?.code.rawValue == NSMigrationMissingMappingModelError)
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test(arguments: types) func whatTheNewVersionDoesNotAllowLeavesTheStoreAsItWas(_ type: String) throws {
        try fill(type)
        let bytes = try Data(contentsOf: url)
        let strict = Library.model()
        strict.entitiesByName["Book"]?.properties.append(
            Library.attribute("isbn", .stringAttributeType) { $0.isOptional = false })
        #expect(throws: (any Error).self) { try open(strict, type, both) }
        let unique = Library.model()
        unique.entitiesByName["Book"]?.properties.append(
            Library.attribute("shelf", .stringAttributeType) { $0.defaultValue = "A" })
        unique.entitiesByName["Book"]?.uniquenessConstraints = [["shelf"]]
        #expect(throws: (any Error).self) { try open(unique, type, both) }
        #expect(try Data(contentsOf: url) == bytes)
        let context = try open(Library.model(), type)
        #expect(try rows(context, ["title"]) == [["Middlemarch"], ["Romola"]])
        try close(context)
    }

}

extension AutomaticMigrationTests {
    @Test func aStoreWhoseModelIsUnknownIsRefusedWithItsCode() throws {
        try fill(NSXMLStoreType)
        var text = try String(contentsOf: url, encoding: .utf8)
        let hashes = try #require(text.range(of: "<key>Book</key>"))
        let start = try #require(text.range(of: "<data>", range: hashes.upperBound..<text.endIndex))
        let end = try #require(text.range(of: "</data>", range: start.upperBound..<text.endIndex))
        text.replaceSubrange(
            start.upperBound..<end.lowerBound, with: Data(repeating: 7, count: 32).base64EncodedString())
        try text.write(to: url, atomically: true, encoding: .utf8)
        let error = #expect(throws: CocoaError.self) { try open(wider(), NSXMLStoreType, both) }
        #expect(error?.code.rawValue == NSMigrationMissingSourceModelError)
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
    }

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func stagesMigrateAStoreOfEveryTypeOfFolios(_ type: String) throws {
        try fill(type)
        let old = Library.model(), new = try wider()
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
            to: NSManagedObjectModelReference(model: new, versionChecksum: new.versionChecksum))
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            for book in try context.fetch(NSFetchRequest<Book>(entityName: "Book")) {
                book.setValue("by stage", forKey: "subtitle")
            }
            try context.save()
        }
        var options = both
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
        let context = try open(new, type, options)
        #expect(try rows(context, ["published", "subtitle"]) == [["1871", "by stage"], ["1863", "by stage"]])
        try close(context)
    }

}

extension AutomaticMigrationTests {
    @Test(arguments: types) func aModelThatLacksWhatTheStoreHasReadsTheRestWhereVersionsAreIgnored(_ type: String)
        throws
    {
        try fill(type)
        let narrow = NSManagedObjectModel(), book = NSEntityDescription()
        (book.name, book.managedObjectClassName) = ("Book", NSStringFromClass(Book.self))
        book.properties = [Library.attribute("title", .stringAttributeType)]
        narrow.entities = [book]
        // The application's store reads what it wants: this one demands all of its entities.
        if type == JSONStore.storeType {
            let author = NSEntityDescription()
            author.name = "Author"
            narrow.entities.append(author)
        }
        let bytes = try Data(contentsOf: url)
        let context = try open(narrow, type, [NSIgnorePersistentStoreVersioningOption: true])
        #expect(try rows(context, ["title"]) == [["Middlemarch"], ["Romola"]])
        if type == NSXMLStoreType || type == NSBinaryStoreType {
            // A save would drop what the model does not know.
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first?.setValue("X", forKey: "title")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("Book.author") == true)
            #expect(try Data(contentsOf: url) == bytes)
        }
        try close(context)
        let whole = try open(Library.model(), type)
        #expect(try rows(whole, ["title", "author.name"]).count == 2)
        try close(whole)
    }

    @Test func aDocumentsStoreIsXMLWhereItsTypeSaysNothing() throws {
        let document = NSPersistentDocument()
        #expect(document.persistentStoreType(forFileType: "Shelf") == NSXMLStoreType)
        #expect(document.persistentStoreType(forFileType: "XML") == NSXMLStoreType)
        #expect(document.persistentStoreType(forFileType: "Binary") == NSBinaryStoreType)
        #expect(document.persistentStoreType(forFileType: "SQLite") == NSSQLiteStoreType)
    }

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func aDocumentOpensTheStoreThatItsFileIs(_ type: String) throws {
        final class Shelf: NSPersistentDocument {
            private let model = Library.model()
            override var managedObjectModel: NSManagedObjectModel? { model }
        }
        try fill(type)
        let document = try Shelf(contentsOf: url, ofType: "Shelf")
        let context = try #require(document.managedObjectContext)
        #expect(try rows(context, ["title"]) == [["Middlemarch"], ["Romola"]])
        let copy = folder.url.appendingPathComponent("copy")
        try document.save(to: copy, ofType: "Shelf", for: .saveAsOperation)
        document.close()
        #expect(
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: copy)[NSStoreTypeKey]
                as? String == type)
    }
}
