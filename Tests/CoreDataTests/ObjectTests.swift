import CoreData
import Testing

/// Objects as Core Data's callers use them.
struct ObjectTests {
    @Test func classesOfAModelAreFoundWithoutRegistration() throws {
        let context = try Library.container().viewContext
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        #expect(book is Book)
        #expect(Book(context: context).title == "Untitled")
        #expect(Book(entity: Book.entity(), insertInto: context).managedObjectContext === context)
        #expect(context.insertedObjects.count == 3)
        try context.save()
        #expect(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).count == 3)
    }

    @Test func valuesByKeyCastToEveryTypeThatTheyFit() throws {
        let context = try Library.container().viewContext
        let book = Book(context: context)
        book.setValue(1965, forKey: "year")
        book.setValue(NSNumber(value: true), forKey: "isRead")
        book.setValue(["a", "b"], forKey: "tags")
        book.price = NSDecimalNumber(string: "10.50")
        #expect(book.value(forKey: "year") as? Int == 1965)
        #expect(book.value(forKey: "year") as? Int16 == 1965)
        #expect(book.value(forKey: "year") as? NSNumber == 1965)
        #expect(book.value(forKey: "isRead") as? Bool == true)
        #expect(book.value(forKey: "tags") as? [String] == ["a", "b"])
        #expect(book.value(forKey: "price") as? NSDecimalNumber == 10.5)
        #expect(book.value(forKey: "author") == nil)
        #expect(book.year == 1965 && book.isRead && book.tags == ["a", "b"])
        #expect(book.changedValues()["year"] as? Int == 1965)
        #expect(book.entity.name == "Book")
        #expect(book.entity.attributesByName["year"]?.attributeType == .integer16AttributeType)
    }

    @Test func anObjectThatMovesToAnotherContextLeavesSavedObjectsWhereTheyAre() throws {
        let folder = try Folder(), container = try Library.container(in: folder)
        let first = container.viewContext, second = container.newBackgroundContext()
        let author = Author(context: first), old = Book(context: first)
        author.name = "Herbert"
        old.author = author
        try first.save()
        let new = Book(context: first)
        new.author = author
        second.performAndWait { second.insert(new) }
        #expect(!first.hasChanges || first.deletedObjects.isEmpty)
        try first.save()
        try second.performAndWait {
            #expect(new.managedObjectContext === second && new.author?.name == "Herbert")
            try second.save()
        }
        first.reset()
        #expect(try first.count(for: NSFetchRequest<Author>(entityName: "Author")) == 1)
        #expect(try first.count(for: NSFetchRequest<Book>(entityName: "Book")) == 2)
    }

    @Test func relationshipsFollowTheirInverses() throws {
        let context = try Library.container().viewContext
        let author = Author(context: context)
        author.name = "Herbert"
        let first = Book(context: context), second = Book(context: context)
        first.author = author
        author.addToBooks(second)
        #expect(author.books == [first, second])
        #expect((author.value(forKey: "books") as? Set<Book>)?.count == 2)
        #expect((author.value(forKey: "books") as? NSSet)?.count == 2)
        author.mutableSetValue(forKey: "books").remove(first)
        #expect(first.author == nil)
        #expect(author.mutableSetValue(forKey: "books").contains(second))
        author.removeFromBooks(second)
        #expect(author.books.isEmpty)
        #expect(second.value(forKeyPath: "author.name") == nil)
    }
}

extension ObjectTests {
    @Test func anObjectCanBeMadeBeforeItHasAContext() throws {
        let context = try Library.container().viewContext
        func entity(_ name: String) throws -> NSEntityDescription {
            try #require(NSEntityDescription.entity(forEntityName: name, in: context))
        }
        let author = Author(entity: try entity("Author"), insertInto: nil)
        let book = Book(entity: try entity("Book"), insertInto: nil)
        author.name = "Le Guin"
        book.title = "The Dispossessed"
        book.author = author
        #expect(book.managedObjectContext == nil && !context.hasChanges)
        context.insert(author)
        #expect(author.managedObjectContext === context && book.managedObjectContext === context)
        try context.save()
        #expect(author.books == [book] && !author.objectID.isTemporaryID)
    }

    @Test func primitiveValuesBetweenWillAndDidAreChanges() throws {
        let context = try Library.container().viewContext
        let book = Book(context: context)
        try context.save()
        book.willChangeValue(forKey: "title")
        book.setPrimitiveValue("Dune", forKey: "title")
        book.didChangeValue(forKey: "title")
        #expect(book.hasChanges && book.changedValues()["title"] as? String == "Dune")
        try context.save()
        context.reset()
        #expect(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).first?.title == "Dune")
    }

    @Test func idsLeadBackToObjects() throws {
        let container = try Library.container()
        let book = Book(context: container.viewContext)
        try container.viewContext.obtainPermanentIDs(for: [book])
        let uri = book.objectID.uriRepresentation()
        #expect(uri.scheme == "x-coredata")
        let id = try #require(container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri))
        #expect(id == book.objectID && id.entity.name == "Book")
        #expect(id.persistentStore === container.persistentStoreCoordinator.persistentStores[0])
        #expect(container.viewContext.object(with: id) === book)
        #expect(throws: CocoaError.self) { try container.newBackgroundContext().existingObject(with: id) }
    }

    @Test func validationFailuresHaveCoreDatasCodesAndKeys() throws {
        let context = try Library.container().viewContext
        _ = Author(context: context)
        let error = try #require(#expect(throws: CocoaError.self) { try context.save() })
        #expect(error.code == .validationMissingMandatoryProperty)
        #expect((error as NSError).code == NSValidationMissingMandatoryPropertyError)
        #expect((error as NSError).domain == NSCocoaErrorDomain)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
        _ = Author(context: context)
        let several = try #require(#expect(throws: CocoaError.self) { try context.save() })
        #expect(several.code == .validationMultipleErrors)
        #expect((several.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
    }

    @Test func aValueThatNoTransformerTakesIsReportedByTheSave() throws {
        let container = try Library.container(), context = container.viewContext
        let book = Book(context: context)
        book.tags = ["a"]
        try context.save()
        for set in [book.setValue(_:forKey:), book.setPrimitiveValue(_:forKey:)] {
            set(Point(x: 1, y: 2), "tags")
            #expect(book.tags == ["a"])
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code == .managedObjectValidation)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "tags")
            #expect(error?.userInfo[NSUnderlyingErrorKey] != nil)
            try context.save()
        }
        let request = NSBatchInsertRequest(entityName: "Book", objects: [["tags": Point(x: 1, y: 2)]])
        #expect(throws: (any Error).self) { try context.execute(request) }
        context.reset()
        let books = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
        #expect(books.map(\.tags) == [["a"]])
    }
}

extension ObjectTests {
    @Test func collectionsOfWhatNoPropertyTakesAreNoEmptyOnes() async {
        await #expect(processExitsWith: .failure) {
            let author = Author(context: try Library.container().viewContext)
            author.setValue([Point(x: 1, y: 2)], forKey: "books")
        }
        await #expect(processExitsWith: .failure) {
            let model = Library.model(), group = NSCompositeAttributeDescription()
            group.name = "place"
            group.elements = [Library.attribute("name", .stringAttributeType)]
            model.entitiesByName["Book"]?.properties.append(group)
            let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
            container.persistentStoreDescriptions[0].type = NSInMemoryStoreType
            try Library.load(container)
            let book = Book(context: container.viewContext)
            book.setValue(["name": "here"], forKey: "place")
            book.setValue(["name": Point(x: 1, y: 2)], forKey: "place")
        }
    }

    @Test func transformersAreFoundByTheirNames() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.properties += [
            Library.attribute("point", .transformableAttributeType) { $0.valueTransformerName = "PointTransformer" },
            Library.attribute("range", .transformableAttributeType) {
                $0.valueTransformerName = NSStringFromClass(RangeTransformer.self)
            },
        ]
        ValueTransformer.setValueTransformer(PointTransformer(), forName: NSValueTransformerName("PointTransformer"))
        defer { ValueTransformer.setValueTransformer(nil, forName: NSValueTransformerName("PointTransformer")) }
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions[0].type = NSInMemoryStoreType
        try Library.load(container)
        let book = Book(context: container.viewContext)
        book.setValue(Point(x: 1, y: 2), forKey: "point")
        book.setValue(3...5, forKey: "range")
        try container.viewContext.save()
        container.viewContext.refreshAllObjects()
        #expect(book.value(forKey: "point") as? Point == Point(x: 1, y: 2))
        #expect(book.value(forKey: "range") as? ClosedRange<Int> == 3...5)
        #expect(book.committedValues(forKeys: ["point"])["point"] as? Point == Point(x: 1, y: 2))
    }
}

struct Point: Codable, Equatable {
    let x: Int
    let y: Int
}

final class PointTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Point).flatMap { try? JSONEncoder().encode($0) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { try? JSONDecoder().decode(Point.self, from: $0) }
    }
}

final class RangeTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
        (super.transformedValue(value) as? [Int]).map { $0[0]...$0[1] }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? ClosedRange<Int>).flatMap { super.reverseTransformedValue([$0.lowerBound, $0.upperBound]) }
    }
}
