import Folio
import Foundation
import Testing
import TestSupport

/// Queries in Swift's own terms about classes with `@Model`.
struct TypedQueryTests {
    private func withWriters(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let model = try ManagedObjectModel(schema: [Book.self], versionIdentifier: "1")
            let container = PersistentContainer(
                name: "Library", managedObjectModel: model, classes: ManagedObject.classesByName([Book.self]))
            container.persistentStoreDescriptions = [
                PersistentStoreDescription(url: folder.appendingPathComponent("Library.sqlite"))
            ]
            try container.loadPersistentStores()
            let context = container.viewContext
            for (first, last, titles) in [
                ("Frank", "Herbert", ["Dune", "Destination: Void"]), ("Stanisław", "Lem", ["Solaris"]),
            ] {
                let writer = Writer(context: context)
                (writer.first, writer.last) = (first, last)
                for title in titles {
                    let book = Book(title: title, in: context)
                    book.author = writer
                    book.pages = title.count * 100
                    book.genre = title == "Dune" ? .novel : .poetry
                }
            }
            try context.save()
            try body(context)
        }
    }

    @Test func macrosNameTheProperties() throws {
        try withWriters { context throws in
            let books = try FetchRequest<Book>(
                entityName: "Book", where: #Predicate { $0.pages > 400 && $0.pages < 1000 },
                sortBy: [SortDescriptor(\.pages)])
            #expect(try context.fetch(books).map(\.title) == ["Solaris"])
            let writers = try FetchRequest<Writer>(
                entityName: "Writer",
                where: #Predicate { writer in writer.publications.contains { $0.title.starts(with: "D") } })
            #expect(try context.fetch(writers).map(\.last) == ["Herbert"])
        }
    }

    @Test func keyPathsMakeConditions() throws {
        try withWriters { context throws in
            #expect(
                try context.count(
                    for: FetchRequest<Book>(entityName: "Book", where: \Book.pages >= 700 && \Book.genre != .novel))
                    == 2)
            #expect(try context.count(for: FetchRequest<Book>(entityName: "Book", where: \Book.genre == .novel)) == 1)
            let publications = FetchRequest<Publication>(
                entityName: "Publication",
                where: (\Publication.author).to(\Writer.last) == "Herbert"
                    && (\Publication.title).contains("void", .caseInsensitive))
            #expect(try context.fetch(publications).map(\.title) == ["Destination: Void"])
        }
    }

    @Test func aggregatesOfTypedObjects() throws {
        try withWriters { context throws in
            var request = FetchRequest<[String: PropertyValue]>(entityName: "Book")
            request.propertiesToFetch = [
                "author.last", .expression(try ExpressionDescription("pages", format: "sum:(pages)")),
            ]
            request.propertiesToGroupBy = ["author"]
            request.sortDescriptors = [SortKey("pages")]
            #expect(
                try context.fetch(request) == [
                    ["author.last": .string("Lem"), "pages": .int(700)],
                    ["author.last": .string("Herbert"), "pages": .int(2100)],
                ])
        }
    }
}
