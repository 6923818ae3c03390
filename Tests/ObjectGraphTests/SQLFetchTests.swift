import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Fetches over a SQLite store: what SQL answers, and what is left to memory.
struct SQLFetchTests {
    private func withBooks(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let model = try Library.model()
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: [:], factories: [])
            coordinator.add(
                try SQLitePersistentStore.create(
                    PersistentStoreDescription(url: directory.appendingPathComponent("s.sqlite")), model: model))
            let context = ManagedObjectContext(coordinator)
            for (number, title) in ["Émile", "Emma", "Ulysses", "Walden"].enumerated() {
                let book = try context.insert(number == 1 ? "Novel" : "Book")
                book["title"] = title
                book["pages"] = number + 1
                let author = try context.insert("Author")
                author["name"] = "Author \(number)"
                author["born"] = 1900 - number
                book["author"] = author
                var chapters: [ManagedObject] = []
                for chapter in 0...number {
                    let object = try context.insert("Chapter")
                    object["title"] = "\(title) \(chapter)"
                    chapters.append(object)
                }
                book["chapters"] = chapters
            }
            try context.save()
            try body(context)
        }
    }

    private func titles(
        _ predicate: String, _ context: ManagedObjectContext, offset: Int = 0, limit: Int = 0,
        order: [SortKey] = [SortKey("title")]
    ) throws -> [String] {
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.predicate = try FetchPredicate(format: predicate)
        request.sortDescriptors = order
        request.fetchOffset = offset
        request.fetchLimit = limit
        let titles = try context.fetch(request).compactMap { $0["title"] as? String }
        #expect(try context.count(for: request) == titles.count)
        return titles
    }

    @Test func conditionsRunInSQL() throws {
        try withBooks { context throws in
            #expect(try titles("title BEGINSWITH[cd] 'em'", context) == ["Emma", "Émile"])
            #expect(try titles("author.name == 'Author 2'", context) == ["Ulysses"])
            #expect(try titles("chapters.@count > 2", context) == ["Ulysses", "Walden"])
            #expect(try titles("ANY chapters.title ENDSWITH ' 1'", context) == ["Emma", "Ulysses", "Walden"])
            #expect(try titles("chapters[LAST].title == 'Emma 1'", context) == ["Emma"])
            #expect(
                try titles("pages > 0", context, offset: 1, limit: 2, order: [SortKey("author.born")]) == [
                    "Ulysses", "Emma",
                ])
        }
    }

    @Test func whatSQLCanNotTestIsTestedOnItsRowsBeforeTheWindow() throws {
        try withBooks { context throws in
            let computed =
                "pages > 1 AND chapters[pages - 1].title ENDSWITH 'a 1' OR chapters[pages - 1].title CONTAINS 'en'"
            #expect(try titles(computed, context) == ["Emma", "Walden"])
            #expect(try titles(computed, context, offset: 1, limit: 1) == ["Walden"])
            #expect(try titles("pages > 1 AND chapters[pages - 1] != nil", context, offset: 1, limit: 1) == ["Ulysses"])
        }
    }

    @Test func unsavedChangesTakePartInBoth() throws {
        try withBooks { context throws in
            var request = FetchRequest<ManagedObject>(entityName: "Book")
            request.predicate = try FetchPredicate(format: "title == 'Walden'")
            try #require(context.fetch(request).first)["title"] = "Aida"
            #expect(try titles("pages > 2", context) == ["Aida", "Ulysses"])
            #expect(try titles("chapters[pages - 1] != nil", context, limit: 2) == ["Aida", "Emma"])
            #expect(try titles("title == 'Walden'", context).isEmpty)
        }
    }
}
