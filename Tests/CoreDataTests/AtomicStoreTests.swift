import CoreData
import Testing

/// Atomic stores of an application's own.
struct AtomicStoreTests {
    private let folder: Folder
    private let url: URL

    init() throws {
        folder = try Folder()
        url = folder.url.appendingPathComponent("library.json")
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: JSONStore.storeType)
    }

    private func open(
        _ model: NSManagedObjectModel = Library.model(), options: [AnyHashable: Any]? = nil
    ) throws -> (context: NSManagedObjectContext, store: JSONStore) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: JSONStore.storeType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (context, try #require(store as? JSONStore))
    }

    private func fill(_ context: NSManagedObjectContext) throws {
        let author = Author(context: context)
        author.name = "Eliot"
        for (title, year) in [("Middlemarch", 1871), ("Romola", 1863), ("Adam Bede", 1859)] {
            let book = Book(context: context)
            (book.title, book.year, book.author) = (title, Int16(year), author)
        }
        try context.save()
    }

    private func titles(_ context: NSManagedObjectContext) throws -> [String?] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        return try context.fetch(request).map(\.title)
    }

    @Test func objectsAreThereAgainAfterReopening() throws {
        let first = try open()
        #expect(first.store.events == ["init", "loadMetadata", "load", "didAdd"])
        #expect(!FileManager.default.fileExists(atPath: url.path) && first.store.type == JSONStore.storeType)
        try fill(first.context)
        let romola = NSFetchRequest<Book>(entityName: "Book")
        romola.predicate = NSPredicate(format: "title == %@", "Romola")
        let book = try #require(first.context.fetch(romola).first)
        (book.tags, book.price, book.isRead) = (["history", "Florence"], 7.5, true)
        try first.context.save()
        let uri = book.objectID.uriRepresentation()
        let reference = try #require(first.store.referenceObject(for: book.objectID) as? String)
        #expect(reference.hasPrefix("Book-") && uri.lastPathComponent == "p" + reference)
        #expect(first.store.cacheNodes().count == 4)
        try #require(first.context.persistentStoreCoordinator).remove(first.store)
        #expect(first.store.events.last == "willRemove" && first.store.persistentStoreCoordinator == nil)

        let (context, store) = try open()
        #expect(try titles(context) == ["Adam Bede", "Romola", "Middlemarch"])
        let id = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
        let again = try #require(context.existingObject(with: id) as? Book)
        #expect(again.title == "Romola" && again.tags == ["history", "Florence"] && again.price == 7.5 && again.isRead)
        #expect(again.author?.name == "Eliot" && again.author?.books.count == 3)
        #expect(
            again.objectID.persistentStore === store && store.identifier == store.metadata[NSStoreUUIDKey] as? String)
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: "author.name BEGINSWITH %@ AND year < %d", "E", 1870)
        #expect(try context.count(for: request) == 2 && store.loads == 1)
    }
}

extension AtomicStoreTests {
    @Test func changesReachTheNodesAndTheFile_C23() throws {
        let (context, store) = try open()
        try fill(context)
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == %@", "Romola")
        let romola = try #require(context.fetch(request).first)
        romola.title = "Romola (revised)"
        store.updates = 0
        try context.save()
        #expect(store.updates == 1)
        let node = try #require(store.cacheNode(for: romola.objectID))
        #expect(node.value(forKey: "title") as? String == "Romola (revised)")
        #expect((node.value(forKey: "author") as? NSAtomicStoreCacheNode)?.value(forKey: "name") as? String == "Eliot")
        context.delete(romola)
        try context.save()
        #expect(store.removed == ["Romola (revised)"] && store.cacheNodes().count == 3)
        // The inverse has changed as well.
        let author = try #require(context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
        let books = store.cacheNode(for: author.objectID)?.value(forKey: "books") as? Set<NSAtomicStoreCacheNode>
        #expect(books?.count == 2)
        context.delete(author)
        try context.save()
        #expect(store.cacheNodes().isEmpty && store.removed.count == 4)
        #expect(try titles(try open().context).isEmpty)
    }

    @Test func relationshipsThatWereNotReadAreReadForTheNodes() throws {
        try fill(try open().context)
        let (context, store) = try open()
        let author = try #require(context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
        author.name = "George Eliot"
        // The store reads the books, which the context has not, while it saves.
        try context.save()
        let books = store.cacheNode(for: author.objectID)?.value(forKey: "books") as? Set<NSAtomicStoreCacheNode>
        #expect(books?.count == 3)
    }

    @Test func aSaveThatFailsLeavesChangesAndNodes() throws {
        let (context, store) = try open()
        try fill(context)
        let author = try #require(context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
        author.name = "Evans"
        let new = Book(context: context)
        new.title = "Silas Marner"
        store.failsToSave = true
        let error = #expect(throws: JSONStore.Failure.self) { try context.save() }
        #expect(error == JSONStore.Failure(what: "save"))
        #expect(context.hasChanges && new.isInserted && author.isUpdated && author.name == "Evans")
        #expect(store.cacheNodes().count == 4)
        #expect(store.cacheNode(for: author.objectID)?.value(forKey: "name") as? String == "Eliot")
        store.failsToSave = false
        try context.save()
        #expect(!context.hasChanges && store.cacheNodes().count == 5)
        #expect(try titles(try open().context).count == 4)
    }

    @Test func twoContextsOfAStoreConflict() throws {
        let (context, _) = try open()
        try fill(context)
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        let request = NSFetchRequest<Author>(entityName: "Author")
        let mine = try #require(context.fetch(request).first), theirs = try #require(other.fetch(request).first)
        #expect(theirs.name == "Eliot" && mine.objectID == theirs.objectID)
        mine.name = "Evans"
        try context.save()
        theirs.name = "Cross"
        #expect(throws: CocoaError.self) { try other.save() }
        other.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try other.save()
        context.refresh(mine, mergeChanges: false)
        #expect(mine.name == "Cross")
    }
}

extension AtomicStoreTests {
    @Test func whatCanNotBeOpenedSaysWhy() throws {
        func code(_ body: () throws -> Void) -> Int? {
            do { try body() } catch { return (error as NSError).code }
            return nil
        }
        func write(_ text: String) throws { try Data(text.utf8).write(to: url) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        #expect(
            code {
                try coordinator.addPersistentStore(ofType: "Unregistered", configurationName: nil, at: url)
            } == NSPersistentStoreUnsupportedRequestTypeError)
        try write(#"{"type": "JSONStore", "uuid": "1", "hashes": {}, "records": [{"entity": "Broken", "id": "1"}]}"#)
        #expect(throws: (any Error).self) { try open() }
        try write(
            #"{"type": "JSONStore", "uuid": "1", "hashes": {}, "records": [{"entity": "Film", "id": "1", "texts": {}, "numbers": {}, "books": []}]}"#
        )
        let error = #expect(throws: JSONStore.Failure.self) { try open() }
        #expect(error == JSONStore.Failure(what: "Film"))
        try write(#"{"type": "CSV", "uuid": "1", "hashes": {}, "records": []}"#)
        #expect(code { _ = try open() } == NSPersistentStoreTypeMismatchError)
        try write(#"{"type": "JSONStore", "uuid": "not a UUID", "hashes": {}, "records": []}"#)
        #expect(code { _ = try open() } == NSPersistentStoreOpenError)
        try FileManager.default.removeItem(at: url)
        try fill(try open().context)
        let newer = Library.model()
        newer.entitiesByName["Book"]?.properties.append(Library.attribute("subtitle", .stringAttributeType))
        #expect(code { _ = try open(newer) } == NSPersistentStoreIncompatibleVersionHashError)
        #expect(
            try titles(try open(newer, options: [NSIgnorePersistentStoreVersioningOption: true]).context).count == 3)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test func metadataAreTheStoresOwn() throws {
        let (context, store) = try open()
        #expect((store.metadata[NSStoreModelVersionHashesKey] as? [String: Any])?.count == 2)
        let coordinator = try #require(context.persistentStoreCoordinator)
        var metadata = coordinator.metadata(for: store)
        metadata["note"] = "mine"
        coordinator.setMetadata(metadata, for: store)
        #expect(store.metadata["note"] as? String == "mine")
        try context.save()
        let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: JSONStore.storeType, at: url, options: nil)
        #expect(stored["note"] as? String == "mine" && stored[NSStoreUUIDKey] as? String == store.identifier)
        #expect(Library.model().isConfiguration(withName: nil, compatibleWithStoreMetadata: stored))
        // The class does not override this one.
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.setMetadata(stored, forPersistentStoreOfType: JSONStore.storeType, at: url)
        }
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[JSONStore.storeType] != nil)
    }

    @Test func aClassIsRegisteredAndRemoved() throws {
        let type = NSPersistentStore.StoreType(rawValue: "Passing")
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, type: type)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Passing"] != nil)
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Passing")
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Passing"] == nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        #expect(throws: CocoaError.self) { try coordinator.addPersistentStore(type: type, at: url) }
    }
}

extension AtomicStoreTests {
    @Test func batchesAreRefusedAndCopiesToFoliosStoresAreNot() throws {
        let (context, store) = try open()
        try fill(context)
        let batch = NSBatchUpdateRequest(entityName: "Book")
        batch.propertiesToUpdate = ["title": "Same"]
        let error = #expect(throws: CocoaError.self) { try context.execute(batch) }
        #expect(error?.code.rawValue == NSPersistentStoreUnsupportedRequestTypeError)
        #expect(throws: CocoaError.self) {
            try context.execute(NSBatchDeleteRequest(fetchRequest: Book.fetchRequest()))
        }
        #expect(try titles(context) == ["Adam Bede", "Romola", "Middlemarch"])
        let coordinator = try #require(context.persistentStoreCoordinator)
        context.reset()
        let copy = try coordinator.migratePersistentStore(
            store, to: folder.url.appendingPathComponent("copy.sqlite"), withType: NSSQLiteStoreType)
        #expect(coordinator.persistentStores == [copy])
        #expect(try titles(context) == ["Adam Bede", "Romola", "Middlemarch"])
    }

    @Test func aReadOnlyStoreIsNotSaved() throws {
        try fill(try open().context)
        let (context, store) = try open(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(store.isReadOnly)
        let author = try #require(context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
        author.name = "Evans"
        #expect(throws: CocoaError.self) { try context.save() }
        context.rollback()
        _ = Book(context: context)
        #expect(throws: CocoaError.self) { try context.save() }
    }

    @Test func aStoreStandsBesideOthers() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let memory = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let store = try coordinator.addPersistentStore(ofType: JSONStore.storeType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let here = Author(context: context), there = Author(context: context)
        (here.name, there.name) = ("Here", "There")
        context.assign(there, to: store)
        try context.save()
        #expect(here.objectID.persistentStore === memory && there.objectID.persistentStore === store)
        #expect((store as? JSONStore)?.cacheNodes().count == 1)
        there.name = "Elsewhere"
        try context.save()
        #expect(try context.fetch(NSFetchRequest<Author>(entityName: "Author")).count == 2)
        let again = try open().context
        #expect(try again.fetch(NSFetchRequest<Author>(entityName: "Author")).map(\.name) == ["Elsewhere"])
    }
}
