import CoreData

// A library whose model is made in code, with a migration of its own from one version to the next.
// A comment with "Linux:" marks a line that is another on Apple's platforms.

// MARK: Versions

enum BookshelfModel {
    /// The first version: a book has the name of its author, and pages as a text.
    static func first() -> NSManagedObjectModel {
        let book = entity("Book", "BookshelfBook")
        book.properties = [
            attribute("title", .stringAttributeType, optional: false), attribute("authorName", .stringAttributeType),
            attribute("pages", .stringAttributeType), attribute("isbn", .stringAttributeType),
        ]
        let shelf = entity("Shelf", nil)
        shelf.properties = [attribute("label", .stringAttributeType)]
        relate(shelf, "books", many: true, ordered: true, book, "shelf")
        let model = NSManagedObjectModel()
        model.entities = [book, shelf]
        model.versionIdentifiers = ["1"]
        return model
    }

    /// The second version: authors are objects, pages a number, and books have a slug.
    static func second() -> NSManagedObjectModel {
        let item = entity("Item", nil)
        item.isAbstract = true
        item.properties = [attribute("title", .stringAttributeType, optional: false)]
        let book = entity("Book", "BookshelfBook")
        book.properties = [
            attribute("pages", .integer32AttributeType, default: 0), attribute("slug", .stringAttributeType),
            attribute("isbn", .stringAttributeType),
        ]
        item.subentities = [book]
        let author = entity("Author", "BookshelfAuthor")
        let count = NSDerivedAttributeDescription()
        count.name = "bookCount"
        count.attributeType = .integer64AttributeType
        count.derivationExpression = NSExpression(format: "books.@count")
        author.properties = [attribute("name", .stringAttributeType, optional: false), count]
        author.uniquenessConstraints = [["name"]]
        let shelf = entity("Shelf", nil)
        shelf.properties = [attribute("label", .stringAttributeType)]
        relate(author, "books", many: true, ordered: false, book, "author")
        relate(shelf, "books", many: true, ordered: true, book, "shelf")
        let cheap = NSFetchedPropertyDescription()
        cheap.name = "shortBooks"
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "author == $FETCH_SOURCE AND pages < 300")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        cheap.fetchRequest = request
        author.properties.append(cheap)
        let model = NSManagedObjectModel()
        model.entities = [item, book, author, shelf]
        model.versionIdentifiers = ["2"]
        return model
    }

    /// The mapping between them.
    static func mapping(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> NSMappingModel {
        let book = NSEntityMapping()
        book.name = "BookToBook"
        book.mappingType = .customEntityMappingType
        book.sourceEntityName = "Book"
        book.destinationEntityName = "Book"
        book.sourceEntityVersionHash = old.entityVersionHashesByName["Book"]
        book.destinationEntityVersionHash = new.entityVersionHashesByName["Book"]
        book.entityMigrationPolicyClassName = NSStringFromClass(BookMigrationPolicy.self)
        book.attributeMappings = [
            property("title", NSExpression(format: "$source.title")),
            property("isbn", NSExpression(format: "$source.isbn")),
            property(
                "slug", NSExpression(format: "FUNCTION($entityPolicy, 'slugFor:inMapping:', $source, $entityMapping)")),
        ]
        let shelf = NSEntityMapping()
        shelf.name = "ShelfToShelf"
        shelf.mappingType = .transformEntityMappingType
        shelf.sourceEntityName = "Shelf"
        shelf.destinationEntityName = "Shelf"
        shelf.attributeMappings = [property("label", NSExpression(format: "$source.label"))]
        shelf.relationshipMappings = [
            property(
                "books",
                NSExpression(
                    format:
                        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'BookToBook', $source.books)"
                ))
        ]
        let mapping = NSMappingModel()
        mapping.entityMappings = [book, shelf]
        return mapping
    }

    private static func property(_ name: String, _ expression: NSExpression) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = expression
        return mapping
    }

    private static func entity(_ name: String, _ type: String?) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        if let type { entity.managedObjectClassName = "CoreDataTests." + type }
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, optional)
        attribute.defaultValue = value
        return attribute
    }

    private static func relate(
        _ one: NSEntityDescription, _ name: String, many: Bool, ordered: Bool, _ other: NSEntityDescription,
        _ back: String
    ) {
        let there = NSRelationshipDescription(), home = NSRelationshipDescription()
        there.name = name
        there.destinationEntity = other
        there.maxCount = many ? 0 : 1
        there.isOrdered = ordered
        there.deleteRule = .nullifyDeleteRule
        home.name = back
        home.destinationEntity = one
        home.maxCount = 1
        there.inverseRelationship = home
        home.inverseRelationship = there
        one.properties.append(there)
        other.properties.append(home)
    }
}

// MARK: Classes of the second version

final class BookshelfBook: NSManagedObject {
    @Managed var title: String  // Linux: @NSManaged
    @Managed var pages: Int32  // Linux: @NSManaged
    @Managed var slug: String?  // Linux: @NSManaged
    @Managed var author: BookshelfAuthor?  // Linux: @NSManaged
}

final class BookshelfAuthor: NSManagedObject {
    @Managed var name: String  // Linux: @NSManaged
    @Managed var bookCount: Int64  // Linux: @NSManaged
    @Managed var books: Set<BookshelfBook>  // Linux: @NSManaged
}

// MARK: Policy

/// Makes authors of names, numbers of texts.
final class BookMigrationPolicy: NSEntityMigrationPolicy {
    private var skipped = 0

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        manager.userInfo = ["authors": NSMutableDictionary()]
        print("begin \(mapping.name!)")
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard
            let book = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
                .first
        else { return }
        let pages = sInstance.value(forKey: "pages") as? String ?? ""
        if let number = Int32(pages.prefix { $0.isNumber }) {
            book.setValue(number, forKey: "pages")
        } else {
            skipped += 1
        }
        guard let name = sInstance.value(forKey: "authorName") as? String,
            let authors = manager.userInfo?["authors"] as? NSMutableDictionary
        else { return }
        let author: NSManagedObject
        if let known = authors[name] as? NSManagedObject {
            author = known
        } else {
            author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: manager.destinationContext)
            author.setValue(name, forKey: "name")
            authors[name] = author
        }
        book.setValue(author, forKey: "author")
    }

    // Linux: the method that FUNCTION names is called by its selector on Apple's platforms.
    override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        switch selector {
        case "slugFor:inMapping:":
            guard let source = arguments[0] as? NSManagedObject, let mapping = arguments[1] as? NSEntityMapping else {
                return nil
            }
            return slug(for: source, in: mapping)
        default: return try super.value(forFunction: selector, arguments: arguments)
        }
    }

    private func slug(for source: NSManagedObject, in mapping: NSEntityMapping) -> String {
        let title = source.value(forKey: "title") as? String ?? ""
        return title.lowercased().replacingOccurrences(of: " ", with: "-")
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        print("\(skipped) without pages")
    }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        print("end \(mapping.name!)")
    }
}

// MARK: Program

enum BookshelfProgram {
    private static func stack(_ model: NSManagedObjectModel, _ url: URL, _ options: [AnyHashable: Any]? = nil) throws
        -> NSManagedObjectContext
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func fill(_ url: URL) throws {
        let context = try stack(BookshelfModel.first(), url, [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
        shelf.setValue("Science fiction", forKey: "label")
        let books = [
            ("The Left Hand of Darkness", "Le Guin", "286 pp."), ("Solaris", "Lem", "204"),
            ("The Dispossessed", "Le Guin", "341"), ("Roadside Picnic", nil, "unknown"),
        ]
        for (title, author, pages) in books {
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(title, forKey: "title")
            book.setValue(author, forKey: "authorName")
            book.setValue(pages, forKey: "pages")
            shelf.mutableOrderedSetValue(forKey: "books").add(book)
        }
        try context.save()
        let store = context.persistentStoreCoordinator!.persistentStores[0]
        var metadata: [String: Any] = context.persistentStoreCoordinator!.metadata(for: store)
        metadata["origin"] = "first"
        context.persistentStoreCoordinator!.setMetadata(metadata, for: store)
        shelf.setValue("SF", forKey: "label")
        try context.save()
        try context.persistentStoreCoordinator!.remove(store)
    }

    static func run(_ folder: URL) throws {
        let old = folder.appendingPathComponent("Old.sqlite"), new = folder.appendingPathComponent("New.sqlite")
        try fill(old)
        let first = BookshelfModel.first(), second = BookshelfModel.second()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: old, options: nil)
        print(
            first.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata),
            second.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata),
            metadata["origin"] as? String ?? "none")
        do {
            _ = try stack(second, old)
        } catch let error as NSError {
            print(error.code == NSPersistentStoreIncompatibleVersionHashError)
        }
        do {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
            print("inferred")
        } catch let error as NSError {
            print(error.code == NSInferredMappingModelError)
        }

        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        try manager.migrateStore(
            from: old, sourceType: NSSQLiteStoreType, options: nil, with: BookshelfModel.mapping(first, second),
            toDestinationURL: new, destinationType: NSSQLiteStoreType, destinationOptions: nil)
        let context = try stack(second, new)
        let authors = NSFetchRequest<BookshelfAuthor>(entityName: "Author")
        authors.sortDescriptors = [NSSortDescriptor(keyPath: \BookshelfAuthor.name, ascending: true)]
        for author in try context.fetch(authors) {
            let titles = author.books.map { "\($0.title) \($0.pages)" }.sorted()
            print(author.name, author.bookCount, titles)
        }
        let guin = try context.fetch(authors)[0]
        let short = guin.value(forKey: "shortBooks") as? [BookshelfBook] ?? []
        print(short.compactMap(\.slug))
        let shelves = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
        let shelf = try context.fetch(shelves)[0]
        let ordered = shelf.value(forKey: "books") as! NSOrderedSet
        print(shelf.value(forKey: "label")!, ordered.array.map { ($0 as! BookshelfBook).title })
        shelf.mutableOrderedSetValue(forKey: "books").removeObject(at: 0)
        try context.save()
        context.reset()
        print((try context.fetch(shelves)[0].value(forKey: "books") as! NSOrderedSet).count)

        let items = NSFetchRequest<NSManagedObject>(entityName: "Book")
        items.predicate = NSPredicate(format: "SUBQUERY(shelf.books, $b, $b.pages > 300).@count > 0")
        print(try context.count(for: items))
        let uncancelled = NSMigrationManager(sourceModel: first, destinationModel: second)
        uncancelled.cancelMigrationWithError(NSError(domain: "Bookshelf", code: 7))
        do {
            try uncancelled.migrateStore(
                from: old, sourceType: NSSQLiteStoreType, options: nil, with: BookshelfModel.mapping(first, second),
                toDestinationURL: folder.appendingPathComponent("Third.sqlite"), destinationType: NSSQLiteStoreType,
                destinationOptions: nil)
        } catch let error as NSError {
            print("cancelled", error.domain, error.code)
        }
    }
}
