import CoreData
import Testing

/// What ported code relies on at run time.
struct PortedBehaviorTests {
    @Test func aRequestIsOneForResultsOfAnotherType() throws {
        let context = try Library.container().viewContext
        _ = Book(context: context)
        let request = NSFetchRequest<Book>(entityName: "Book")
        let general = try #require(NSFetchRequest<any NSFetchRequestResult>(casting: request))
        let objects = try #require(NSFetchRequest<NSManagedObject>(casting: general))
        objects.predicate = NSPredicate(value: false)
        #expect(try context.fetch(general).isEmpty && context.fetch(request).isEmpty)
        request.predicate = nil
        #expect(try context.fetch(objects).count == 1 && context.fetch(general).count == 1)
        #expect(NSFetchRequest<Book>(casting: NSFetchRequest<NSManagedObject>())?.entityName == nil)
        #expect(
            NSFetchRequest<NSManagedObject>(casting: NSFetchRequest<Book>()).map { try? context.fetch($0).count } == 1)
        #expect(NSFetchRequest<Book>(casting: "Book") == nil)
        let copy = try #require(general.copy() as? NSFetchRequest<any NSFetchRequestResult>)
        copy.fetchLimit = 1
        #expect(request.fetchLimit == 0)
    }

    @Test func rowsOfManyObjectsAreSortedByWhatIsNoColumn() throws {
        let context = try Library.container().viewContext
        for (title, year) in [("a", 3), ("b", 1), ("a", 2), ("c", 5)] {
            let book = Book(context: context)
            (book.title, book.year) = (title, Int16(year))
        }
        try context.save()
        let sum = NSExpressionDescription()
        (sum.name, sum.expressionResultType) = ("sum", .integer64AttributeType)
        sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "year")])
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        (request.resultType, request.propertiesToFetch) = (.dictionaryResultType, [sum])
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
        #expect(try context.fetch(request) == [["sum": 11]])
        (request.propertiesToFetch, request.propertiesToGroupBy) = (["title", sum], ["title"])
        func titles() throws -> [String?] { try context.fetch(request).map { $0["title"] as? String } }
        #expect(try titles() == ["c", "a", "b"])
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        #expect(try titles() == ["b", "a", "c"])
        #expect(try context.fetch(request).first?.allKeys.count == 2)
        (request.propertiesToFetch, request.propertiesToGroupBy) = (["title"], nil)
        request.returnsDistinctResults = true
        #expect(try titles() == ["b", "a", "c"])
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        #expect(try titles() == ["c", "b", "a"] && context.count(for: request) == 3)
    }

    @Test func aDescriptionWithoutLocationIsTheNullDevice() {
        #expect(NSPersistentStoreDescription().url == URL(fileURLWithPath: "/dev/null"))
    }

    @Test func aBatchOfAChildHasTheAuthorOfItsRoot() throws {
        let folder = try Folder()
        let container = try Library.container(in: folder) {
            $0.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        }
        let root = container.viewContext
        (root.transactionAuthor, root.name) = ("parent", "root")
        for author in [nil, "own"] {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            (child.parent, child.transactionAuthor) = (root, author)
            try child.performAndWait {
                _ = try child.execute(NSBatchInsertRequest(entityName: "Author", objects: [["name": "x"]]))
                let update = NSBatchUpdateRequest(entityName: "Author")
                update.propertiesToUpdate = ["name": "y"]
                _ = try child.execute(update)
                _ = try child.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest<Author>(entityName: "Author")))
            }
        }
        let history = try root.execute(
            NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
        let transactions = (history as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
        #expect(
            transactions.count == 6 && transactions.allSatisfy { $0.author == "parent" && $0.contextName == "root" })
    }

    @Test func aDestroyedStoreIsEmptyAndMadeAnew() throws {
        let folder = try Folder()
        let container = try Library.container(in: folder), coordinator = container.persistentStoreCoordinator
        let url = try #require(container.persistentStoreDescriptions[0].url)
        _ = Book(context: container.viewContext)
        try container.viewContext.save()
        for _ in 1...2 {
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
            for suffix in ["", "-shm", "-wal"] {
                #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + suffix)).isEmpty, "\(suffix)")
            }
            #expect(coordinator.persistentStores.isEmpty)
        }
        try Library.load(container)
        #expect(try container.viewContext.count(for: NSFetchRequest<Book>(entityName: "Book")) == 0)
        _ = Book(context: container.viewContext)
        try container.viewContext.save()
        let none = folder.url.appendingPathComponent("none.sqlite")
        try coordinator.destroyPersistentStore(at: none, type: .sqlite)
        for suffix in ["", "-shm", "-wal"] { try FileManager.default.removeItem(atPath: none.path + suffix) }
        #expect(throws: CocoaError.self) {
            try coordinator.destroyPersistentStore(
                at: folder.url.appendingPathComponent("none/none.sqlite"), type: .sqlite)
        }
        #expect(throws: CocoaError.self) {
            try coordinator.destroyPersistentStore(at: folder.url.appendingPathComponent("none.xml"), type: .xml)
        }
    }

    @Test func primitiveAccessorsReadAndSetTheProperty() throws {
        let context = try Self.notes().viewContext
        let note = Note(context: context)
        #expect(note.text == "new" && note.primitiveText == "new" && note.day == nil)
        note.primitiveDay = Date(timeIntervalSinceReferenceDate: 3)
        #expect(note.day == Date(timeIntervalSinceReferenceDate: 3))
        #expect(note.value(forKey: "primitiveText") as? String == "new" && note.primitiveLinks?.isEmpty == true)
        let other = Note(context: context)
        note.links.insert(other)
        #expect(note.primitiveLinks == [other])
        try context.save()
        #expect(!note.hasChanges)
        note.text = "changed"
        #expect(note.primitiveText == "changed" && note.hasChanges)
    }

    @Test func keyPathsOfFoundationsClassesHaveNames() {
        #expect(NSStringFromKeyPath(\Note.price) == "price" && NSStringFromKeyPath(\Note.number) == "number")
        #expect(NSStringFromKeyPath(\Note.label) == "label" && NSStringFromKeyPath(\Note.url) == "url")
        #expect(NSStringFromKeyPath(\Note.group) == "group" && NSStringFromKeyPath(\Note.list) == "list")
        #expect(
            NSStringFromKeyPath(\Note.kind) == "kind" && NSStringFromKeyPath(\Note.primitiveText) == "primitiveText")
        #expect(NSStringFromKeyPath(\Note.stamp) == "stamp" && NSStringFromKeyPath(\Note.bytes) == "bytes")
        #expect(NSSortDescriptor(keyPath: \Note.doubled, ascending: true).key == nil)
    }

    static func notes() throws -> NSPersistentContainer {
        let entity = NSEntityDescription(), model = NSManagedObjectModel(), links = NSRelationshipDescription()
        (entity.name, entity.managedObjectClassName) = ("Note", NSStringFromClass(Note.self))
        (links.name, links.destinationEntity) = ("links", entity)
        entity.properties = [
            Library.attribute("text", .stringAttributeType), Library.attribute("day", .dateAttributeType), links,
        ]
        model.entities = [entity]
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try Library.load(container)
        return container
    }
}

enum NoteKind: String, CaseIterable {
    case plain, rich
}

final class Note: NSManagedObject {
    @Managed var text: String
    @Managed var primitiveText: String
    @Managed var day: Date?
    @Managed var primitiveDay: Date?
    @Managed var links: Set<Note>
    @Managed var primitiveLinks: Set<Note>?

    // Of no entity: their names are asked for alone.
    @Managed var price: NSDecimalNumber
    @Managed var number: NSNumber
    @Managed var label: NSString
    @Managed var url: URL
    @Managed var group: NSSet
    @Managed var list: NSOrderedSet
    @Managed var kind: NoteKind
    @Managed var stamp: NSDate
    @Managed var bytes: NSData

    var doubled: NSDecimalNumber { price.adding(price) }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        primitiveText = "new"
    }
}
