import ObjectGraph
import Query
import Schema
import Testing

/// Results that are filled a batch at a time (Q29), and objects whose rows are not read at all.
struct BatchTests {
    private func library(_ count: Int) throws -> Library {
        let library = try Library()
        for number in 0..<count { try library.book("Book \(100 + number)") }
        try library.context.save()
        return library
    }

    private func request(batch: Int) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.sortDescriptors = [SortKey("title")]
        request.fetchBatchSize = batch
        return request
    }

    @Test func aBatchIsReadWhenOneOfItsObjectsIsLookedAt() throws {
        let library = try library(50)
        let context = library.anotherContext()
        let books = try context.fetchInBatches(request(batch: 10))
        #expect(books.count == 50)
        library.store.clearLog()
        #expect(books[23]["title"] as? String == "Book 123")
        #expect(books[20]["title"] as? String == "Book 120")
        #expect(books[29]["title"] as? String == "Book 129")
        #expect(library.store.log.count == 1, "\(library.store.log)")
        #expect(books[30]["title"] as? String == "Book 130")
        #expect(library.store.log.count == 2, "\(library.store.log)")
        #expect(books.map { $0["title"] as? String ?? "" } == (0..<50).map { "Book \(100 + $0)" })
    }

    @Test func onlyAFewBatchesAreHeld() throws {
        let library = try library(100)
        let context = library.anotherContext()
        let books = try context.fetchInBatches(request(batch: 5))
        for book in books { _ = book["title"] }
        #expect(context.registeredObjects.count <= 20)
    }

    @Test func theWindowAndUnsavedObjectsCount() throws {
        let library = try library(20)
        let new = try library.book("Book 105a")
        var request = request(batch: 4)
        request.fetchOffset = 5
        request.fetchLimit = 3
        let books = try library.context.fetchInBatches(request)
        #expect(books.map { $0["title"] as? String } == ["Book 105", "Book 105a", "Book 106"])
        #expect(books[1] === new)
        try library.context.save()
        #expect(books[1] === new && !books[1].objectID.isTemporaryID)
    }

    @Test func anObjectThatIsDeletedLaterIsAFaultThatCanNotBeFilled() throws {
        let library = try library(10)
        let context = library.anotherContext()
        let books = try context.fetchInBatches(request(batch: 5))
        let gone = try #require(try library.context.fetch(request(batch: 0)).last)
        library.context.delete(gone)
        try library.context.save()
        #expect(books.count == 10)
        #expect(books[9]["title"] == nil && books[9].isDeleted)
        #expect(books[8]["title"] as? String == "Book 108")
    }

    @Test func withoutPropertyValuesObjectsAreFaultsThatAreReadWhenTheyAreUsed() throws {
        let library = try library(3)
        let context = library.anotherContext()
        var request = request(batch: 0)
        request.includesPropertyValues = false
        let books = try context.fetch(request)
        library.store.clearLog()
        #expect(!books.contains { !$0.isFault })
        #expect(books[1]["title"] as? String == "Book 101")
        #expect(library.store.log.count == 1)
    }
}
