import ObjectGraph
import Query
import Schema
import Testing

/// Fetches of all objects, which are not run again while nothing was written.
@Suite("Fetching all objects again")
struct WholeFetchTests {
    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).map { $0["title"] as? String ?? "" }
    }

    private func library() throws -> Library {
        let library = try Library()
        for title in ["Emma", "Persuasion", "Sanditon"] { try library.book(title) }
        try library.context.save()
        return library
    }

    @Test func theSameObjectsComeAgainInTheSameOrder() throws {
        let library = try library(), other = library.anotherContext()
        let request = FetchRequest<ManagedObject>(entityName: "Book")
        let first = try other.fetch(request)
        let again = try other.fetch(request), thrice = try other.fetch(request)
        #expect(first.count == 3 && first.elementsEqual(again, by: ===) && again.elementsEqual(thrice, by: ===))
    }

    @Test func whatOthersSaveIsSeen() throws {
        let library = try library(), other = library.anotherContext()
        for _ in 0..<2 { #expect(try titles(other) == ["Emma", "Persuasion", "Sanditon"]) }
        try library.book("Lady Susan")
        try library.context.save()
        #expect(try titles(other) == ["Emma", "Persuasion", "Sanditon", "Lady Susan"])
        #expect(try titles(other).count == 4)
        let books = try library.context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        library.context.delete(books[1])
        try library.context.save()
        #expect(try titles(other).count == 3)
    }

    @Test func ownChangesAreSeenSavedOrNot() throws {
        let library = try library(), context = library.context
        #expect(try titles(context).count == 3)
        #expect(try titles(context).count == 3)
        let book = try library.book("Lady Susan")
        #expect(try titles(context).count == 4)
        context.delete(book)
        #expect(try titles(context).count == 3)
        try library.book("Mansfield Park")
        try context.save()
        #expect(try titles(context).sorted() == ["Emma", "Mansfield Park", "Persuasion", "Sanditon"])
        context.rollback()
        #expect(try titles(context).count == 4)
    }

    @Test func objectsThatWereForgottenAreReadAgain() throws {
        let library = try library(), other = library.anotherContext()
        let request = FetchRequest<ManagedObject>(entityName: "Book")
        var books = try other.fetch(request)
        books.removeLast()
        #expect(try titles(other) == ["Emma", "Persuasion", "Sanditon"])
        books = try other.fetch(request)
        other.refresh(books[0], mergeChanges: false)
        #expect(books[0].isFault)
        #expect(try titles(other) == ["Emma", "Persuasion", "Sanditon"])
        other.reset()
        #expect(try titles(other) == ["Emma", "Persuasion", "Sanditon"])
    }

    @Test func whatSelectsLessIsAskedOfTheStore() throws {
        let library = try library(), other = library.anotherContext()
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        let all = try other.fetch(request)
        #expect(try other.fetch(request).count == 3)
        request.fetchLimit = 2
        #expect(try other.fetch(request).count == 2)
        request.fetchLimit = 0
        request.fetchOffset = 1
        #expect(try other.fetch(request).count == 2)
        request.fetchOffset = 0
        request.sortDescriptors = [SortKey("title", ascending: false)]
        #expect(try other.fetch(request).map { $0["title"] as? String } == ["Sanditon", "Persuasion", "Emma"])
        request.predicate = try FetchPredicate(format: "title BEGINSWITH 'E'")
        #expect(try other.fetch(request) == [all[0]])
    }
}
