import CoreData
import Testing

/// That the declarations in `Shapes` do what they say.
struct ShapeBehaviorTests {
    private static func articles() throws -> NSPersistentContainer {
        let article = NSEntityDescription(for: Article.self, name: "Article")
        article.properties = [
            AttributeBuilder.attribute("title", .stringAttributeType, optional: true),
            AttributeBuilder.attribute("words", .integer32AttributeType, defaultValue: 0),
        ]
        article.uniquenessConstraints = [["title"]]
        let base = NSEntityDescription(for: Base.self, name: "Base")
        base.properties = [AttributeBuilder.attribute("createdAt", .dateAttributeType)]
        let derived = NSEntityDescription(for: Derived.self, name: "Derived")
        derived.properties = [AttributeBuilder.attribute("note", .stringAttributeType, optional: true)]
        base.subentities = [derived]
        let container = NSPersistentContainer.inMemory(NSManagedObjectModel([article, base, derived]))
        try Library.load(container)
        return container
    }

    @Test func objectsHaveInitializersOfTheirOwn() throws {
        let context = try Self.articles().viewContext, decoder = JSONDecoder()
        decoder.userInfo[try #require(CodingUserInfoKey.managedObjectContext)] = context
        let read = try decoder.decode([Article].self, from: Data(#"[{"title": "a", "words": 3}]"#.utf8))
        #expect(read.map(\.words) == [3])
        #expect(Article(title: "b", context: context).title == "b")
        #expect(Article(title: "c", insertInto: context).title == "c" && Article(["title": 3], context) == nil)
        try context.save()
        #expect(try Article.objects(in: context).count == 3 && Article.titled("b", in: context)?.words == 0)
        #expect(try Repository<Article>(context: context).get(NSPredicate(format: "words = 3")).get().count == 1)
        try Requests.run(context)
        context.refreshAllObjects()
        #expect(try Article.objects(in: context).map(\.words).sorted() == [1, 1, 4])
    }

    @Test func hooksAndHierarchiesWork() throws {
        let context = try Self.articles().viewContext
        let derived = Derived(context: context)
        #expect(derived.createdAt == Date(timeIntervalSinceReferenceDate: 0) && derived.description == "a base")
        #expect(derived.value(forKey: "unknown") == nil)
        try context.save()
        context.reset()
        #expect(try Derived.first(in: context)?.entity.superentity?.name == "Base")
        #expect(try context.fetch(NSFetchRequest<Base>(entityName: "Base")).first is Derived)
    }

    @Test func aPolicyOfTheApplicationIsAsked() throws {
        let container = try Self.articles(), first = container.viewContext
        let article = Article(title: "a", context: first)
        article.words = 7
        try first.save()
        let second = container.newBackgroundContext()
        second.mergePolicy = KeepingPolicy()
        try second.performAndWait {
            _ = Article(title: "a", context: second)
            try second.save()
        }
        first.refreshAllObjects()
        #expect(try Article.objects(in: first).map(\.words) == [7])
    }

    @Test func mocksOverrideWhatIsReadOnly() {
        let transaction = MockTransaction()
        #expect(transaction.author == "mock" && transaction.transactionNumber == 0)
        #expect(transaction.changes?.first?.changeType == .delete)
        #expect(NSPersistentHistoryToken().isEqual(NSPersistentHistoryToken()))
        let context = MockContext(concurrencyType: .privateQueueConcurrencyType)
        context.error = CocoaError(.coreData)
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(context.hasChanges)
        #expect(
            MockContainer(name: "x", managedObjectModel: NSManagedObjectModel()).newBackgroundContext().name == "mock")
        #expect(CustomRequest().fetchBatchSize == 20 && CustomRequest(entityName: "Book").entityName == "Book")
        #expect(CustomAttribute(name: "a", note: "b").name == "a" && !CustomEntityDescription().isAbstract)
    }

    @Test func stacksAndHelpersWork() throws {
        let folder = try Folder()
        let stack = Stack(storeURL: folder.url.appendingPathComponent("stack.sqlite"))
        let author = Author(context: stack.mainContext)
        author.name = "a"
        var result: Result<Void, any Error>?
        stack.save { result = $0 }
        #expect(throws: Never.self) { try result?.get() }
        #expect(try NSManagedObject.all(Author.self, in: stack.rootContext).count == 1)
        #expect(author.inContext(stack.rootContext)?.objectID == author.objectID)
        #expect(stack.mainContext.metaData[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        try stack.mainContext.deleteAll(Author.self)
        #expect(try NSManagedObject.all(Author.self, in: stack.mainContext).isEmpty)
        let controller = PersistenceController(inMemory: true)
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let source = ResultsDataSource(request: request, context: controller.container.viewContext)
        try source.load()
        _ = Book.create(in: controller.container.viewContext)
        controller.container.viewContext.processPendingChanges()
        #expect(source.count == 1 && source.changes == [.insert])
        #expect(source[IndexPath(item: 0, section: 0)].toDictionary()["title"] as? String == "Untitled")
    }

    @Test func importersWork() async throws {
        let controller = PersistenceController(inMemory: true)
        #expect(try await controller.importBooks(["a", "b"]) == 2)
        #expect(try await controller.fetchHistory(after: nil).map(\.author) == ["importBooks"])
    }

    @Test func migratorsWork() async throws {
        let folder = try Folder(), container = try Library.container(in: folder), url = try #require(container.storeURL)
        _ = Book(context: container.viewContext)
        try container.viewContext.save()
        try container.persistentStoreCoordinator.remove(container.persistentStoreCoordinator.persistentStores[0])
        let newer = Library.model()
        newer["Book"]?.properties.append(AttributeBuilder.attribute("subtitle", .stringAttributeType, optional: true))
        newer["Book"]?.addIndex(on: "title")
        #expect(newer.entity(for: Book.self)?.managedObjectClass == Book.self)
        let migrator = Migrator(models: [Library.model(), newer])
        #expect(try migrator.requiresMigration(at: url, to: newer))
        try migrator.migrate(at: url, to: newer)
        #expect(try !migrator.requiresMigration(at: url, to: newer))
        let next = NSPersistentContainer(name: "Library", managedObjectModel: newer)
        next.persistentStoreDescriptions[0].url = url
        try await next.loadStores()
        #expect(try await next.background { try $0.count(for: Book.fetchRequest()) } == 1)
        try next.destroyAll()
        try FileManager.default.removeItem(at: url)
    }

    @Test func anEntityBuiltInCodeHasStoresOfItsOwn() throws {
        CountingStore.register()
        let model = NSManagedObjectModel()
        model.entity(Dummy.self) { entity in
            entity.properties = [NSAttributeDescription.make(name: "name", type: .string)]
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: CountingStore.type, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(try context.fetch(Dummy.fetchRequest()).isEmpty)
        let dummy = Dummy()
        context.insert(dummy)
        #expect(throws: CocoaError.self) {
            dummy.setValue("", forKey: "name")
            try context.save()
        }
        dummy.setValue("a", forKey: "name")
        try context.save()
        #expect(!dummy.objectID.isTemporaryID && dummy.isMember(of: Dummy.self))
    }
}
