import Foundation
import ObjectGraph
import Query
import Schema
import Testing

@Suite("Inserting, fetching, saving")
struct BasicsTests {
    @Test func aNewObjectHasDefaultsAndATemporaryID() throws {
        let library = try Library()
        let author = try library.context.insert("Author")
        #expect(author["rating"] as? Double == 2.5)
        #expect(author.isInserted && !author.isUpdated && !author.isDeleted && !author.isFault)
        #expect(author.objectID.isTemporaryID)
        #expect(library.context.insertedObjects == [author])
        #expect(library.context.registeredObjects.contains(author))
    }

    @Test func aSaveMakesIDsPermanentAndObjectsClean() throws {
        let library = try Library()
        let book = try library.book("Emma")
        try library.context.save()
        #expect(!book.objectID.isTemporaryID && !book.hasChanges && !library.context.hasChanges)
        #expect(book.changedValues().isEmpty)
        book["pages"] = 474
        #expect(book.isUpdated && !book.isInserted)
        #expect(book.changedValues().keys.sorted() == ["pages"])
        let fetched = try library.context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        #expect(fetched.count == 1 && fetched[0] === book)
    }

    @Test func aDecimalBecomesAWholeNumberOnlyWhereNothingIsLost() throws {
        let library = try Library()
        let shelf = try library.context.insert("Shelf")
        for text in ["9007199254740993", "-9223372036854775808", "7", "12e3"] {
            let decimal = try #require(Decimal(string: text))
            try shelf.setPropertyValue(.decimal(decimal), forKey: "number")
            #expect((shelf["number"] as? Int).map { Decimal($0) } == decimal, "\(text)")
        }
        for text in ["3.00000000000000000001", "9223372036854775808", "0.5"] {
            #expect(throws: GraphError.self) {
                try shelf.setPropertyValue(.decimal(try #require(Decimal(string: text))), forKey: "number")
            }
        }
        #expect(throws: GraphError.self) { try shelf.setPropertyValue(.decimal(.nan), forKey: "number") }
    }

    @Test func anIntegerBecomesAFractionOnlyWhereNothingIsLost() throws {
        let library = try Library()
        let author = try library.context.insert("Author")
        try author.setPropertyValue(.int(9_007_199_254_740_992), forKey: "rating")
        #expect(author["rating"] as? Double == 9_007_199_254_740_992)
        let error = #expect(throws: GraphError.self) {
            try author.setPropertyValue(.int(9_007_199_254_740_993), forKey: "rating")
        }
        #expect(error?.code == .wrongType && error?.message.contains("9007199254740993") == true)
        let single = AttributeDescription("number", .float)
        #expect(PropertyValue.int(1 << 24).converted(to: single) == .float(16_777_216))
        #expect(PropertyValue.int(1 << 24 + 1).converted(to: single) == nil)
        #expect(PropertyValue.double(0.1).converted(to: single) == .float(0.1))
        #expect(PropertyValue.double(1e300).converted(to: single) == nil)
        #expect(PropertyValue.double(.infinity).converted(to: single) == .float(.infinity))
    }

    @Test func aWindowMayReachBeyondAllNumbers() throws {
        let library = try Library()
        for title in ["A", "B", "C"] { try library.book(title) }
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.sortDescriptors = [SortKey("title")]
        (request.fetchOffset, request.fetchLimit) = (1, .max)
        #expect(try library.context.fetch(request).compactMap { $0["title"] as? String } == ["B", "C"])
        #expect(try library.context.count(for: request) == 2)
    }

    @Test func anIDOfAnotherEntityOfTheHierarchyNamesNoObject_F3_L30() throws {
        let library = try Library()
        let book = try library.book("Essays")
        try library.context.save()
        let id = book.objectID
        let novel = try #require(library.model.entity(named: "Novel")),
            base = try #require(library.model.entity(named: "Book"))
        let wrong = ManagedObjectID(store: id.store, entityIndex: novel.index, key: id.key),
            right = ManagedObjectID(store: id.store, entityIndex: base.index, key: id.key)
        for context in [library.context, library.anotherContext()] {
            #expect(throws: GraphError.self) { try context.existingObject(with: wrong) }
            #expect(try context.existingObject(with: right)["title"] as? String == "Essays")
        }
    }

    @Test func anotherContextReadsWhatWasSaved() throws {
        let library = try Library()
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        book["price"] = Decimal(string: "7.50")
        book["isbn"] = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        book["printed"] = Date(timeIntervalSinceReferenceDate: 42)
        try library.context.save()
        let other = library.anotherContext()
        let books = try other.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        let read = try #require(books.first)
        #expect(read !== book && read.isFault)
        #expect(read["title"] as? String == "Emma" && !read.isFault)
        #expect(read["price"] as? Decimal == Decimal(string: "7.50"))
        #expect(read["isbn"] as? UUID == book["isbn"] as? UUID)
        #expect(read["printed"] as? Date == Date(timeIntervalSinceReferenceDate: 42))
        #expect((read["author"] as? ManagedObject)?["name"] as? String == "Austen")
        #expect(read.objectID == book.objectID)
    }
}

extension BasicsTests {
    @Test func typedHandlesReadAndWrite() throws {
        let library = try Library()
        let entity = try #require(library.model.entity(named: "Book"))
        let title = try entity.attribute("title", as: String.self)
        let pages = try entity.attribute("pages", as: Int.self)
        let printed = try entity.attribute("printed", as: Date.self)
        let novel = try library.context.insert("Novel")
        #expect(novel[title] == nil)
        novel[title] = "Middlemarch"
        novel[pages] = 880
        novel[printed] = Date(timeIntervalSinceReferenceDate: 1)
        try library.context.save()
        novel[title] = "Romola"
        #expect(
            novel[title] == "Romola" && novel[pages] == 880 && novel[printed] == Date(timeIntervalSinceReferenceDate: 1)
        )
        novel[pages] = nil
        #expect(novel["pages"] == nil)
        #expect(novel.committedValues(forKeys: ["title", "pages"])["title"] as? String == "Middlemarch")
        #expect(throws: GraphError.self) { try entity.attribute("titel", as: String.self) }
        #expect(throws: GraphError.self) { try entity.attribute("title", as: Int.self) }
    }

    @Test func unknownKeysAndWrongTypesAreThrownWithASuggestion() throws {
        let library = try Library()
        let book = try library.book("Emma")
        let error = #expect(throws: GraphError.self) { try book.propertyValue(forKey: "titel") }
        #expect(error?.code == .unknownKey && error?.message.contains("\"title\"") == true)
        #expect(throws: GraphError.self) { try book.setPropertyValue(.bool(true), forKey: "title") }
        #expect(throws: GraphError.self) { try library.context.insert("Bock") }
    }

    @Test func fetchesSeeUnsavedChanges() throws {
        let library = try Library()
        for title in ["Emma", "Persuasion", "Sanditon"] { try library.book(title) }
        try library.context.save()
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.sortDescriptors = [SortKey("title")]
        request.predicate = try FetchPredicate(format: "title > 'F'")
        let found = try library.context.fetch(request)
        #expect(found.map { $0["title"] as? String } == ["Persuasion", "Sanditon"])
        found[1]["title"] = "A Fragment"
        try library.book("Middlemarch")
        #expect(try library.context.fetch(request).map { $0["title"] as? String } == ["Middlemarch", "Persuasion"])
        #expect(try library.context.count(for: request) == 2)
        library.context.delete(found[0])
        request.predicate = nil
        request.fetchOffset = 1
        request.fetchLimit = 1
        #expect(try library.context.fetch(request).map { $0["title"] as? String } == ["Emma"])
        request.includesPendingChanges = false
        #expect(try library.context.fetch(request).map { $0["title"] as? String } == ["Persuasion"])
    }

    @Test func conditionsOnOtherObjectsSeeTheirUnsavedChanges() throws {
        let library = try Library()
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        try library.book("Romola", by: try library.author("Eliot"))
        try library.context.save()
        author["name"] = "Jane Austen"
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.predicate = try FetchPredicate(format: "author.name BEGINSWITH 'Jane'")
        #expect(try library.context.fetch(request) == [book])
        request.predicate = try FetchPredicate(format: "author.name == 'Austen'")
        #expect(try library.context.fetch(request).isEmpty)
    }
}

extension BasicsTests {
    @Test func anObjectNobodyUsesIsForgotten() throws {
        let library = try Library()
        var book: ManagedObject? = try library.book("Emma")
        let id = { book!.objectID }
        #expect(library.context.registeredObject(for: id()) != nil)
        try library.context.save()
        let permanent = id()
        book = nil
        #expect(library.context.registeredObject(for: permanent) == nil && library.context.registeredObjects.isEmpty)
        #expect(try library.context.existingObject(with: permanent)["title"] as? String == "Emma")
    }
}
