import CoreData
import Testing

private final class Tagged: NSManagedObject {
    @Managed var tags: [String]
}

struct KeyPathStringTests {
    private func string<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> String? { keyPath._kvcKeyPathString }

    @Test func keyPathsOfManagedObjectsHaveAString() {
        #expect((\Book.title as AnyKeyPath)._kvcKeyPathString == "title")
        #expect((\Book.price as PartialKeyPath<Book>)._kvcKeyPathString == "price")
        #expect(string(\Book.author?.name) == "author.name" && string(\Author.books) == "books")
        #expect(string(\Double.self) == "self")
        // Elements have no names; looking for one does not trap.
        #expect(string(\LedgerAccount.labels![0]) == nil && string(\Tagged.tags[0].isEmpty) == nil)
        #expect(string(\Tagged.tags) == "tags")
        #expect(string(\String.count) == nil && string(\Book.objectID) == nil)
    }

    @Test func descriptorsOfClosuresSortArraysAndAreRefusedByStores() throws {
        let context = try Library.container().viewContext
        let books = ["bb", "a", "ccc"].map { title in
            let book = Book(context: context)
            book.title = title
            return book
        }
        let byLength = NSSortDescriptor(key: "title", ascending: false) { left, right in
            NSNumber(value: (left as? String ?? "").count).compare(NSNumber(value: (right as? String ?? "").count))
        }
        #expect(byLength.key == "title" && byLength.comparator("bb", "a") == .orderedDescending)
        #expect(byLength.compare(books[0], to: books[1]) == .orderedAscending)
        let reversed = try #require(byLength.reversedSortDescriptor as? NSSortDescriptor)
        #expect(reversed.compare(books[0], to: books[1]) == .orderedDescending)
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [byLength]
        #expect(throws: (any Error).self) { try context.fetch(request) }
    }

    @Test func predicatesOfLibrariesAreThoseOfTheFormat() {
        func predicate(_ value: Any?) -> NSPredicate {
            NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "isRead"),
                rightExpression: NSExpression(forConstantValue: value),
                modifier: .direct, type: .equalTo)
        }
        #expect(predicate(0) == NSPredicate(format: "isRead == NO") && predicate(1) != predicate(false))
        #expect(predicate(0).hash == predicate(false).hash)
        #expect(predicate(false).description == "isRead == 0")
        // A nil of a type, as generic code passes it.
        #expect(predicate(String?.none as Any) == NSPredicate(format: "isRead == nil"))
    }
}
