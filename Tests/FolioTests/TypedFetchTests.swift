import Folio
import Foundation
import TestSupport
import Testing

/// Everything said in types: what is fetched, in which order, by which identity, and the members of
/// a relationship.
struct TypedFetchTests {
    private func withLibrary(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let container = try PersistentContainer(name: "Library", schema: [Book.self, Shelf.self])
            container.persistentStoreDescriptions = [
                PersistentStoreDescription(url: folder.appendingPathComponent("Library.sqlite"))
            ]
            try container.loadPersistentStores()
            let context = container.viewContext
            for (name, titles) in [("Herbert", ["Dune", "Destination: Void"]), ("Lem", ["Solaris", "Éden"])] {
                let writer = Writer(context: context)
                writer.last = name
                for title in titles {
                    let book = Book(title: title, in: context)
                    book.author = writer
                    book.pages = title.count * 100
                }
            }
            try context.save()
            try body(context)
        }
    }

    @Test func classesConditionsAndOrdersAreTyped() throws {
        try withLibrary { context throws in
            #expect(try context.fetch(Book.self).count == 4)
            #expect(
                try context.fetch(Book.self, where: \.pages > 400, sort: [.descending(\.pages)]).map(\.title) == [
                    "Destination: Void", "Solaris",
                ])
            #expect(
                try context.fetch(Book.self, sort: [.ascending(\.title, .localized)], offset: 1, limit: 2).map(\.title)
                    == ["Dune", "Éden"])
            #expect(
                try context.fetch(Book.self, sort: [.ascending((\Book.author).to(\Writer.last)), .descending(\.title)])
                    .first?.title == "Dune")
            #expect(try context.first(Writer.self, where: \.last == "Lem")?.publications.count == 2)
            #expect(try context.count(Book.self, where: \.genre == .poetry && !(\Book.pages == 400)) == 2)
            #expect(try context.deleteAll(Book.self, where: (\Book.author).to(\Writer.last) == "Lem") == 2)
            #expect(try context.count(Publication.self) == 2)
        }
    }

    @Test func everyClassMakesRequestsForItsEntity() throws {
        try withLibrary { context throws in
            var request = Book.fetchRequest()
            request.sortDescriptors = [SortKey("title")]
            let books: [Book] = try context.fetch(request)
            #expect(books.map(\.title) == ["Destination: Void", "Dune", "Solaris", "Éden"])
            #expect(try context.count(for: Publication.fetchRequest()) == 4)
            #expect(Pamphlet.fetchRequest().entityName == "Pamphlet" && Writer.fetchRequest().entityName == "Writer")
        }
    }

    @Test func inheritedPropertiesAreAskedOfTheSubclass() throws {
        try withLibrary { context throws in
            #expect(try context.fetch(Book.self, where: \.title == "Dune").count == 1)
            #expect(
                try context.fetch(
                    Book.self, where: #Predicate { $0.title.starts(with: "D") && $0.pages > 400 },
                    sortBy: [SortDescriptor(\.title)]
                ).count == 1)
            #expect(try SortKey(SortDescriptor(\Book.title, comparator: .lexical)) == SortKey("title"))
            #expect(
                Book.namesByKeyPath[\Book.title] == "title" && Book.namesByKeyPath[\Book.pages] == "pages"
                    && Publication.namesByKeyPath[\Publication.title] == "title")
            #expect(Book.namesByKeyPath.count == 9 && Publication.namesByKeyPath.count == 4)
            // A class without properties of its own knows those that it inherits.
            #expect(
                Pamphlet.namesByKeyPath[\Pamphlet.title] == "title"
                    && Pamphlet.namesByKeyPath[\Pamphlet.pages] == "pages")
        }
    }
}

extension TypedFetchTests {
    @Test func anObjectIsFoundOrCreated() throws {
        try withLibrary { context throws in
            let lem = try context.findOrCreate(Writer.self, where: \.last, is: "Lem")
            #expect(lem.publications.count == 2 && !lem.isInserted)
            let new = try context.findOrCreate(Writer.self, where: \.last, is: "Woolf")
            #expect(new.isInserted && new.last == "Woolf" && new.first == nil)
            #expect(try context.findOrCreate(Writer.self, where: \.last, is: "Woolf") === new)
            // An inherited property, asked of the subclass, and none.
            #expect(try context.findOrCreate(Book.self, where: \.title, is: "Dune").pages == 400)
            #expect(try context.findOrCreate(Writer.self, where: \.first, is: nil).first == nil)
            #expect(try context.count(Writer.self) == 3)
        }
    }

    @Test func relationshipsArePrefetchedByKeyPaths() throws {
        try withLibrary { context throws in
            let other = ManagedObjectContext(context.persistentStoreCoordinator)
            let writers = try other.fetch(Writer.self, sort: [.ascending(\.last)], prefetching: [\.publications])
            #expect(writers.map { $0.hasFault(forRelationshipNamed: "publications") } == [false, false])
            #expect(
                try ManagedObjectContext(context.persistentStoreCoordinator).request(
                    for: Book.self, prefetching: [\.author, \.chapters]
                ).relationshipKeyPathsForPrefetching
                    == ["author", "chapters"])
            let error = #expect(throws: GraphError.self) { try other.fetch(Book.self, prefetching: [\.label]) }
            #expect(error?.code == .unknownKey)
        }
    }

    @Test func aClassOfNoEntityIsSaid() throws {
        try withLibrary { context throws in
            let error = #expect(throws: GraphError.self) { try context.fetch(Pamphlet.self) }
            #expect(error?.code == .unknownEntity)
            #expect(throws: GraphError.self) { try context.fetch(ManagedObject.self) }
        }
    }

    @Test func identitiesAreTyped() throws {
        try withLibrary { context throws in
            let book = try #require(try context.first(Book.self, where: \.title == "Dune"))
            let id: TypedObjectID<Book> = book.typedID
            #expect(id == TypedObjectID(book) && !id.isTemporary && id.objectID == book.objectID)
            let other = ManagedObjectContext(context.persistentStoreCoordinator)
            #expect(other.registeredObject(for: id) == nil)
            #expect(
                try other.existingObject(with: id).title == "Dune" && other.object(with: id).pages == 400
                    && other[id]?.title == "Dune")
            let writer = try #require(book.author)
            #expect(try context.count(Book.self, where: \.author == writer) == 2)
            #expect(
                try context.count(Book.self, where: \Book.author == TypedObjectID(writer)) == 2
                    && context.count(Book.self, where: \Book.author != TypedObjectID(writer)) == 2)
            // An ID that says another class than the object has.
            let error = #expect(throws: GraphError.self) {
                try other.existingObject(with: TypedObjectID<Chapter>(writer.objectID))
            }
            #expect(error?.code == .wrongType)
            #expect(other[TypedObjectID<Chapter>(writer.objectID)] == nil)
            context.delete(book)
            try context.save()
            let gone = #expect(throws: GraphError.self) {
                try ManagedObjectContext(context.persistentStoreCoordinator).existingObject(with: id)
            }
            #expect(gone?.code == .objectNotFound)
        }
    }
}

extension TypedFetchTests {
    @Test func membersAreChangedAsACollection() throws {
        try withLibrary { context throws in
            let shelf = Shelf(context: context)
            let entries = (0..<5).map { number in
                let entry = ShelfEntry(context: context)
                entry.number = number
                return entry
            }
            func numbers() -> [Int] { shelf.entries.map(\.number) }
            shelf.entries.append(contentsOf: [entries[0], entries[1], entries[0]])
            shelf.entries += [entries[2]]
            #expect(numbers() == [0, 1, 2] && entries[2].shelf === shelf)
            shelf.entries.insert(entries[3], at: 1)
            shelf.entries.insert(entries[3])
            #expect(numbers() == [0, 3, 1, 2])
            shelf.entries.move(from: 3, to: 0)
            #expect(numbers() == [2, 0, 3, 1])
            shelf.entries.swapAt(0, 3)
            #expect(numbers() == [1, 0, 3, 2])
            shelf.entries.replace(at: 0, with: entries[4])
            #expect(numbers() == [4, 0, 3, 2] && entries[1].shelf == nil)
            shelf.entries.replace(at: 0, with: entries[3])
            #expect(numbers() == [4, 0, 3, 2])
            shelf.entries.sort { $0.number < $1.number }
            #expect(numbers() == [0, 2, 3, 4])
            shelf.entries -= [entries[0], entries[1]]
            shelf.entries.remove(entries[4])
            #expect(shelf.entries.remove(at: 1) === entries[3] && numbers() == [2])
            shelf.entries.formUnion(entries)
            shelf.entries.removeAll { $0.number % 2 == 0 }
            #expect(numbers() == [1, 3])
            try context.save()
            let other = ManagedObjectContext(context.persistentStoreCoordinator)
            let again = try #require(try other.first(Shelf.self))
            #expect(again.entries.map(\.number) == [1, 3])
            shelf.entries.removeAll()
            #expect(numbers().isEmpty && entries.allSatisfy { $0.shelf == nil })
        }
    }
}

@Model final class Shelf: ManagedObject {
    @Relationship(isOrdered: true) var entries: ManagedObjects<ShelfEntry>
}

@Model final class ShelfEntry: ManagedObject {
    var number: Int = 0
    var shelf: Shelf?
}

@Model class Leaflet: Publication {
    var pages: Int = 1
}

/// A class without `@Model`, of no entity of its own.
final class Pamphlet: Leaflet {}
