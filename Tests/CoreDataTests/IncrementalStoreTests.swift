import CoreData
import Testing

/// Incremental stores of an application's own.
struct IncrementalStoreTests {
    private let service = Service.filled()
    private let context: NSManagedObjectContext
    private let store: NSPersistentStore

    init() throws {
        NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, forStoreType: ServiceStore.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        store = try coordinator.addPersistentStore(
            ofType: ServiceStore.storeType, configurationName: nil, at: nil, options: ["service": service])
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func books(_ format: String = "TRUEPREDICATE", in other: NSManagedObjectContext? = nil) throws -> [Book] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        return try (other ?? context).fetch(request)
    }

    private func other() -> NSManagedObjectContext {
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        return other
    }

    @Test func aFetchMakesFaultsWhoseValuesAreReadOnce_C25() throws {
        let found = try books("year < 1880")
        #expect(service.requests == ["Book"] && service.valueReads.isEmpty)
        #expect(found.count == 2 && found.allSatisfy(\.isFault))
        #expect(found.map(\.title) == ["Romola", "Middlemarch"])
        #expect(service.valueReads == ["2", "1"])
        #expect(found[0].year == 1863 && found[0].objectID.persistentStore === store)
        #expect(service.valueReads.count == 2)
        let asked = try #require(service.fetchRequests.first)
        #expect(asked.predicate == NSPredicate(format: "year < 1880") && asked.sortDescriptors?.first?.key == "year")
        #expect(asked.entityName == "Book" && asked.resultType == .managedObjectResultType)
        #expect(asked.affectedStores == [store])
    }

    @Test func relationshipsAreReadAsTheyAreUsed() throws {
        let book = try #require(books("year == 1871").first)
        let author = try #require(book.author)
        #expect(author.isFault && service.valueReads == ["1"] && service.relationshipReads.isEmpty)
        #expect(author.name == "Eliot" && service.valueReads == ["1", "eliot"])
        #expect(author.books.count == 2 && service.relationshipReads == ["eliot.books"])
        #expect(service.valueReads == ["1", "eliot"])
        #expect(Set(author.books.map(\.title)) == ["Middlemarch", "Romola"])
        #expect(service.valueReads == ["1", "eliot", "2"])
        // A to-one relationship that the node does not have is asked for.
        service.sendsAuthors = false
        #expect(try books("year == 1891").first?.author?.name == "Hardy")
        #expect(service.relationshipReads == ["eliot.books", "3.author"])
    }

    @Test func requestsForIDsNumbersAndDictionariesAreTheStores_C24_C27() throws {
        let count = NSFetchRequest<Book>(entityName: "Book")
        count.predicate = NSPredicate(format: "year > 1865")
        #expect(try context.count(for: count) == 2)
        #expect(service.fetchRequests.last?.resultType == .countResultType)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        ids.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        (ids.fetchLimit, ids.fetchOffset) = (1, 1)
        let found = try context.fetch(ids)
        #expect(service.fetchRequests.last?.resultType == .managedObjectIDResultType)
        let incremental = try #require(store as? ServiceStore)
        #expect(found.map { incremental.referenceObject(for: $0) as? String } == ["2"])
        let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["title"]
        rows.predicate = NSPredicate(format: "year == 1891")
        #expect(try context.fetch(rows) == [["title": "Tess"]])
        #expect(service.fetchRequests.last?.resultType == .dictionaryResultType)
        let numbers = NSFetchRequest<NSNumber>(entityName: "Author")
        numbers.resultType = .countResultType
        #expect(try context.fetch(numbers) == [2] && service.valueReads.isEmpty)
    }
}

extension IncrementalStoreTests {
    @Test func aSaveGivesTheStoreItsObjects() throws {
        let new = Book(context: context)
        let middlemarch = try #require(books("year == 1871").first), romola = try #require(books("year == 1863").first)
        (new.title, new.year, new.author) = ("Jude", 1895, try books("year == 1891").first?.author)
        (middlemarch.year, middlemarch.isRead) = (1872, true)
        context.delete(romola)
        #expect(new.objectID.isTemporaryID)
        try context.save()
        #expect(
            Set(service.saves) == [
                "insert jude-101", "update 1: isRead,year", "delete 2", "update eliot: books", "update hardy: books",
            ])
        #expect(service.rows["Book"]?["jude-101"]?.author == "hardy" && service.rows["Book"]?["2"] == nil)
        // What the store has read of objects as it saved.
        #expect(service.rows["Book"]?["jude-101"]?.values["shownAuthor"] as? String == "Hardy")
        #expect(service.rows["Book"]?["1"]?.values["year"] as? Int == 1872)
        #expect(new.objectID.uriRepresentation().lastPathComponent == "pjude-101" && !context.hasChanges)
        #expect(try books().map(\.title) == ["Middlemarch", "Tess", "Jude"])
        context.refreshAllObjects()
        #expect(new.title == "Jude" && new.author?.name == "Hardy" && middlemarch.isRead)
    }

    @Test(arguments: [true, false]) func anObjectIsSavedAgainAndAgain(countsVersions: Bool) throws {
        service.countsVersions = countsVersions
        let book = try #require(books("year == 1871").first)
        let new = Author(context: context)
        new.name = "Trollope"
        try context.save()
        for title in ["One", "Two", "Three"] {
            (book.title, new.name) = (title, "A. \(title)")
            try context.save()
        }
        #expect(service.rows["Book"]?["1"]?.values["title"] as? String == "Three")
        #expect(service.rows["Author"]?["trollope-101"]?.values["name"] as? String == "A. Three")
        context.delete(book)
        try context.save()
        #expect(service.rows["Book"]?["1"] == nil)
    }

    @Test func permanentIDsAreThereBeforeTheSave_C26() throws {
        let new = Book(context: context)
        new.title = "Jude"
        try context.obtainPermanentIDs(for: [new])
        let uri = new.objectID.uriRepresentation()
        #expect(!new.objectID.isTemporaryID && uri.lastPathComponent == "pjude-101" && new.isInserted)
        try context.save()
        #expect(new.objectID.uriRepresentation() == uri && service.saves == ["insert jude-101"])
        let id = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
        let again = other()
        #expect(try (again.existingObject(with: id) as? Book)?.title == "Jude")
    }

    @Test func anotherVersionIsAConflict() throws {
        let book = try #require(books("year == 1871").first)
        #expect(book.title == "Middlemarch")
        service.rows["Book"]?["1"]?.version = 7
        service.rows["Book"]?["1"]?.values["title"] = "Theirs"
        service.rows["Book"]?["1"]?.values["year"] = 1874
        book.title = "Mine"
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code.rawValue == NSManagedObjectMergeError)
        let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        #expect(conflicts?.count == 1 && service.saves.isEmpty && book.isUpdated)
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try context.save()
        #expect(service.rows["Book"]?["1"]?.values["title"] as? String == "Mine" && book.year == 1874)
        // An object that is gone conflicts as well.
        let tess = try #require(books("year == 1891").first)
        tess.title = "Tess (2)"
        context.mergePolicy = NSErrorMergePolicy
        service.rows["Book"]?["3"] = nil
        #expect(throws: CocoaError.self) { try context.save() }
    }
}

extension IncrementalStoreTests {
    @Test func twoContextsConflictAndMerge() throws {
        let theirs = other()
        let mine = try #require(books("year == 1871").first),
            same = try #require(books("year == 1871", in: theirs).first)
        #expect(mine.title == "Middlemarch" && same.title == "Middlemarch" && mine.objectID == same.objectID)
        mine.title = "Mine"
        try context.save()
        same.title = "Theirs"
        #expect(throws: CocoaError.self) { try theirs.save() }
        theirs.rollback()
        theirs.refresh(same, mergeChanges: false)
        #expect(same.title == "Mine")
    }

    @Test func errorsOfTheStoreArriveAsTheyAre() throws {
        let book = try #require(books("year == 1871").first), hardy = try #require(books("year == 1891").first)
        #expect(book.title == "Middlemarch")
        service.failure = "offline"
        var error = #expect(throws: Service.Failure.self) { try books() }
        #expect(error == Service.Failure(what: "offline"))
        error = #expect(throws: Service.Failure.self) {
            try context.count(for: NSFetchRequest<Book>(entityName: "Book"))
        }
        #expect(error == Service.Failure(what: "offline"))
        let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
        rows.resultType = .dictionaryResultType
        #expect(throws: Service.Failure.self) { try context.fetch(rows) }
        book.title = "Kept"
        let new = Book(context: context)
        error = #expect(throws: Service.Failure.self) { try context.save() }
        #expect(error == Service.Failure(what: "offline") && context.hasChanges && new.isInserted && book.isUpdated)
        #expect(book.title == "Kept" && service.rows["Book"]?["1"]?.values["title"] as? String == "Middlemarch")
        service.failure = nil
        try context.save()
        #expect(!context.hasChanges && service.rows["Book"]?.count == 4)
        // An accessor can't throw: the next save does.
        service.failure = "values"
        #expect(hardy.title == nil)
        book.title = "Lost"
        error = #expect(throws: Service.Failure.self) { try context.save() }
        #expect(error == Service.Failure(what: "values"))
        #expect(throws: Service.Failure.self) { try context.existingObject(with: hardy.objectID) }
    }

    @Test func anObjectThatIsGoneIsNoError() throws {
        let book = try #require(books("year == 1871").first)
        service.rows["Book"]?["1"] = nil
        #expect(throws: CocoaError.self) { try context.existingObject(with: book.objectID) }
        #expect(book.title == nil && book.isDeleted)
    }

    @Test func metadataThatCanNotBeLoadedOpenNoStore() throws {
        service.failure = "loadMetadata"
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        #expect(throws: Service.Failure.self) {
            try coordinator.addPersistentStore(
                ofType: ServiceStore.storeType, configurationName: nil, at: nil, options: ["service": service])
        }
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test func aChildContextSavesThroughItsParent() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let book = try #require(books("year == 1871", in: child).first)
        book.title = "Child"
        let new = Book(context: child)
        (new.title, new.author) = ("Jude", book.author)
        try child.save()
        #expect(service.saves.isEmpty)
        try context.save()
        #expect(Set(service.saves) == ["update 1: title", "insert jude-101", "update eliot: books"])
    }
}

extension IncrementalStoreTests {
    @Test func unsavedChangesArePartOfFetches() throws {
        let book = try #require(books("year == 1871").first)
        book.year = 1900
        let new = Book(context: context)
        (new.title, new.year) = ("Jude", 1895)
        #expect(try books("year > 1880").map(\.title) == ["Tess", "Jude", "Middlemarch"])
        #expect(try context.count(for: NSFetchRequest<Book>(entityName: "Book")) == 4)
    }

    @Test func aStoreStandsBesideAnother() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let memory = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let web = try coordinator.addPersistentStore(
            ofType: ServiceStore.storeType, configurationName: nil, at: nil, options: ["service": service])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let here = Book(context: context), there = Book(context: context)
        (here.title, here.year, there.title, there.year) = ("Here", 1880, "There", 1890)
        context.assign(there, to: web)
        try context.save()
        #expect(here.objectID.persistentStore === memory && there.objectID.persistentStore === web)
        #expect(service.saves == ["insert there-101"])
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        #expect(try context.fetch(request).map(\.title) == ["Romola", "Middlemarch", "Here", "There", "Tess"])
        #expect(try context.count(for: request) == 5)
        request.affectedStores = [web]
        #expect(try context.fetch(request).count == 4)
    }

    @Test func batchesAreRefused() throws {
        let error = #expect(throws: CocoaError.self) {
            try context.execute(NSBatchDeleteRequest(fetchRequest: Book.fetchRequest()))
        }
        #expect(error?.code.rawValue == NSPersistentStoreUnsupportedRequestTypeError)
        #expect(service.rows["Book"]?.count == 3)
    }

    @Test func referenceObjectsAreOfSeveralKinds_L28() throws {
        let store = try #require(store as? ServiceStore)
        let book = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Book"])
        let uuid = UUID()
        let references: [(Any, String)] = [
            (7, "7"), (NSNumber(value: -3), "-3"), (Int64(1) << 50, "\(Int64(1) << 50)"), ("a/b", "a%2Fb"),
            (uuid, uuid.uuidString), (2.5, "2.5"),
        ]
        for (reference, text) in references {
            let id = store.newObjectID(for: book, referenceObject: reference)
            #expect(id.uriRepresentation().absoluteString.hasSuffix("/Book/p\(text)"))
            #expect(store.newObjectID(for: book, referenceObject: reference) == id)
            #expect("\(store.referenceObject(for: id))" == "\(reference)")
        }
        #expect(store.referenceObject(for: store.newObjectID(for: book, referenceObject: uuid)) as? UUID == uuid)
        #expect(store.referenceObject(for: store.newObjectID(for: book, referenceObject: 7)) as? Int == 7)
    }

    @Test func aNodeIsUpdated_C28() throws {
        let store = try #require(store as? ServiceStore)
        let book = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Book"])
        let title = try #require(book.propertiesByName["title"])
        let node = NSIncrementalStoreNode(
            objectID: store.newObjectID(for: book, referenceObject: "x"), withValues: ["title": "Old"], version: 1)
        node.update(withValues: ["title": "New"], version: 2)
        #expect(node.value(for: title) as? String == "New" && node.version == 2)
        #expect(node.value(for: try #require(book.propertiesByName["year"])) == nil)
    }
}

extension IncrementalStoreTests {
    @Test func objectsOfSubEntitiesHaveTheirOwnEntity() throws {
        let model = NSManagedObjectModel()
        let shape = NSEntityDescription(), circle = NSEntityDescription(), square = NSEntityDescription()
        (shape.name, circle.name, square.name, shape.isAbstract) = ("Shape", "Circle", "Square", true)
        shape.properties = [Library.attribute("size", .doubleAttributeType)]
        shape.subentities = [circle, square]
        model.entities = [shape, circle, square]
        NSPersistentStoreCoordinator.registerStoreClass(ShapeStore.self, forStoreType: "Shapes")
        let container = NSPersistentContainer(name: "Shapes", managedObjectModel: model)
        container.persistentStoreDescriptions[0].type = "Shapes"
        container.persistentStoreDescriptions[0].url = nil
        try Library.load(container)
        let context = container.newBackgroundContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Shape")
        request.sortDescriptors = [NSSortDescriptor(key: "size", ascending: true)]
        let found = try context.fetch(request)
        #expect(found.map(\.entity.name) == ["Circle", "Square"] && found.allSatisfy(\.isFault))
        #expect(found.map { $0.value(forKey: "size") as? Int } == [1, 2])
        // The URI names an ancestor.
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        let text = "x-coredata://\(store.identifier ?? "")/Shape/p2"
        let id = try #require(container.persistentStoreCoordinator.managedObjectID(for: text))
        let again = container.newBackgroundContext()
        #expect(try again.existingObject(with: id).entity.name == "Square")
    }
}

/// A store with two shapes.
private final class ShapeStore: NSIncrementalStore, @unchecked Sendable {
    override func loadMetadata() throws { metadata = [NSStoreTypeKey: "Shapes", NSStoreUUIDKey: "SHAPES"] }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        return [("Circle", 1), ("Square", 2)].compactMap { name, number in
            entities[name].map { newObjectID(for: $0, referenceObject: number) }
        }
    }

    override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        let number = referenceObject(for: objectID) as? Int
        guard number == (objectID.entity.name == "Circle" ? 1 : 2) else { throw Service.Failure(what: "entity") }
        return NSIncrementalStoreNode(objectID: objectID, withValues: ["size": number as Any], version: 1)
    }
}
