import Folio
import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

enum Genre: String, AttributeValue {
    case novel, poetry
}

struct Dimensions: Codable, Equatable {
    var width = 0.0
    var height = 0.0
}

@Model class Publication: ManagedObject {
    @Attribute(.unique, originalName: "name") var title: String
    var published: Date?
    @Transient var isSelected: Bool = false
    @Relationship(deleteRule: .nullify, inverse: \Writer.publications) var author: Writer?
}

@Model final class Book: Publication {
    #Index<Book>([\.pages], [\.genre, \.pages])
    @Attribute(minimum: .int(1), maximum: .int(5000)) var pages: Int = 1
    var genre: Genre = .novel
    var size: Dimensions = Dimensions()
    var keywords: [String]?
    @Relationship(deleteRule: .cascade, isOrdered: true) var chapters: [Chapter]
    var label: String { "\(title), \(pages) pages" }

    override func awakeFromInsert() { genre = .poetry }

    convenience init(title: String, in context: ManagedObjectContext) {
        self.init(context: context)
        self.title = title
    }
}

@Model final class Chapter: ManagedObject {
    var number: Int16 = 0
    var book: Book?
}

@Model(originalName: "Author") final class Writer: ManagedObject {
    #Unique<Writer>([\.first, \.last])
    var first: String?
    var last: String?
    var publications: Set<Publication>
}

@Suite("Classes that declare their entities")
struct TypedModelTests {
    private func container(_ folder: URL) throws -> PersistentContainer {
        let model = try ManagedObjectModel(schema: [Book.self], versionIdentifier: "1")
        let container = PersistentContainer(
            name: "Library", managedObjectModel: model, classes: ManagedObject.classesByName([Book.self]))
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(url: folder.appendingPathComponent("Library.sqlite"))
        ]
        try container.loadPersistentStores()
        return container
    }

    @Test func makeTheModelThatModelFilesWouldSay() throws {
        let model = try ManagedObjectModel(schema: [Book.self], versionIdentifier: "1")
        #expect(model.entities.map(\.name) == ["Chapter", "Publication", "Book", "Writer"])
        let written = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Publication", managedObjectClassName: "Publication",
                    attributes: [
                        .init("title", .string, isOptional: false, renamingIdentifier: "name"),
                        .init("published", .date),
                        .init("isSelected", .boolean, isOptional: false, isTransient: true, defaultValue: .bool(false)),
                    ],
                    relationships: [.init("author", to: "Writer", inverse: "publications")],
                    uniquenessConstraints: [["title"]]),
                EntityDefinition(
                    "Book", managedObjectClassName: "Book", superentityName: "Publication",
                    attributes: [
                        .init(
                            "pages", .integer64, isOptional: false, defaultValue: .int(1), minimumValue: .int(1),
                            maximumValue: .int(5000)),
                        .init("genre", .string, isOptional: false, defaultValue: .string("novel")),
                        .init(
                            "size", .transformable, isOptional: false,
                            defaultValue: .data(Data(#"{"height":0,"width":0}"#.utf8)),
                            valueTransformerName: "FolioJSON",
                            attributeValueClassName: "Dimensions"),
                        .init(
                            "keywords", .transformable, valueTransformerName: "FolioJSON",
                            attributeValueClassName: "Array<String>"),
                    ],
                    relationships: [
                        .init(
                            "chapters", to: "Chapter", inverse: "book", maxCount: 0, isOrdered: true,
                            deleteRule: .cascade)
                    ],
                    indexes: [
                        FetchIndexDescription("byPages", elements: [.init(propertyName: "pages")]),
                        FetchIndexDescription(
                            "byGenrePages", elements: [.init(propertyName: "genre"), .init(propertyName: "pages")]),
                    ]),
                EntityDefinition(
                    "Chapter", managedObjectClassName: "Chapter",
                    attributes: [.init("number", .integer16, isOptional: false, defaultValue: .int(0))],
                    relationships: [.init("book", to: "Book", inverse: "chapters")]),
                EntityDefinition(
                    "Writer", managedObjectClassName: "Writer",
                    attributes: [.init("first", .string), .init("last", .string)],
                    relationships: [.init("publications", to: "Publication", inverse: "author", maxCount: 0)],
                    uniquenessConstraints: [["first", "last"]],
                    renamingIdentifier: "Author"),
            ], versionIdentifiers: ["1"])
        #expect(model == written)
        #expect(model.versionHashesByEntityName == written.versionHashesByEntityName)
    }
}

extension TypedModelTests {
    @Test func readAndWriteWhatDynamicAccessDoes() throws {
        try withTemporaryDirectory { folder in
            let context = try container(folder).viewContext
            let book = Book(title: "Middlemarch", in: context)
            #expect(
                book["title"] as? String == "Middlemarch" && book.pages == 1 && book.genre == .poetry
                    && book["genre"] as? String == "poetry")
            book["pages"] = 880
            #expect(book.pages == 880 && book.label == "Middlemarch, 880 pages")
            book.published = Date(timeIntervalSinceReferenceDate: 1)
            #expect(book["published"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
            book.published = nil
            #expect(book["published"] == nil)
            #expect(book.size == Dimensions() && book.keywords == nil)
            book.size.width = 12.5
            book.keywords = ["a", "b"]
            #expect(
                book["size"] as? Data == Data(#"{"height":0,"width":12.5}"#.utf8) && book.size.width == 12.5
                    && book.keywords == ["a", "b"])
        }
    }

    @Test func keepInversesAndOrder() throws {
        try withTemporaryDirectory { folder in
            do {
                let context = try container(folder).viewContext
                let book = Book(title: "Middlemarch", in: context), writer = Writer(context: context)
                writer.last = "Eliot"
                writer.publications.insert(book)
                #expect(book.author === writer)
                for number in 1...3 {
                    let chapter = Chapter(context: context)
                    chapter.number = Int16(number)
                    book.chapters.insert(chapter, at: 0)
                }
                #expect(book.chapters.map(\.number) == [3, 2, 1] && book.chapters.allSatisfy { $0.book === book })
                book.remove(book.chapters[1], from: Book.chaptersProperty)
                try context.save()
            }
            let context = try container(folder).viewContext
            let book = try #require(context.fetch(FetchRequest<Book>(entityName: "Book")).first)
            #expect(
                book.title == "Middlemarch" && book.author?.last == "Eliot" && book.chapters.map(\.number) == [3, 1]
                    && !book.isSelected)
            context.delete(book)
            try context.save()
            #expect(try context.count(for: FetchRequest<Chapter>(entityName: "Chapter")) == 1)
        }
    }

    @Test func areObservedInEveryKindOfProperty() throws {
        try withTemporaryDirectory { folder in
            let context = try container(folder).viewContext
            context.isObservable = true
            let book = Book(title: "Emma", in: context), writer = Writer(context: context),
                chapter = Chapter(context: context)
            #expect((book as Any) is any Observable)
            final class Flag: Sendable { let isSet = Atomic<Bool>(false) }
            func isTold(of read: () -> Void, when change: () -> Void) -> Bool {
                let flag = Flag()
                withObservationTracking(read) { flag.isSet.store(true, ordering: .relaxed) }
                change()
                return flag.isSet.load(ordering: .relaxed)
            }
            for _ in 0..<2 {
                #expect(isTold(of: { _ = book.title }) { book.title += "!" })
                #expect(isTold(of: { _ = book.label }) { book.pages += 1 })
                #expect(isTold(of: { _ = book.published }) { book.published = Date() })
                #expect(isTold(of: { _ = book.published }) { book.published = nil })
                #expect(isTold(of: { _ = book.genre }) { book.genre = .novel })
                #expect(isTold(of: { _ = book.size.width }) { book.size.width += 1 })
                #expect(isTold(of: { _ = book.keywords }) { book.keywords = ["a"] })
                #expect(isTold(of: { _ = book.isSelected }) { book.isSelected.toggle() })
                #expect(isTold(of: { _ = book.author }) { writer.publications.insert(book) })
                #expect(isTold(of: { _ = writer.publications.count }) { book.author = nil })
                #expect(isTold(of: { _ = book.chapters.count }) { chapter.book = book })
                #expect(isTold(of: { _ = chapter.book }) { book.chapters = [] })
                #expect(!isTold(of: { _ = book.title }) { book.pages += 1 })
                try context.save()
            }
        }
    }
}

extension TypedModelTests {
    @Test func followUndoAndRollback() throws {
        try withTemporaryDirectory { folder in
            let context = try container(folder).viewContext
            context.undoManager = UndoManager()
            let book = Book(title: "One", in: context)
            try context.save()
            book.title = "Two"
            context.undoManager?.undo()
            #expect(book.title == "One" && !book.hasChanges)
            book.title = "Three"
            context.rollback()
            #expect(book.title == "One")
        }
    }

    @Test func showWhatAMandatoryAttributeHasBeforeItIsFilledIn() throws {
        try withTemporaryDirectory { folder in
            let context = try container(folder).viewContext
            let book = Book(context: context)
            #expect(book.title == "" && book["title"] == nil)
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test func serveTwoModelsAtOnce() throws {
        try withTemporaryDirectory { folder in
            // The same property stands in another place in the other model.
            var description = try ManagedObjectModel(schema: [Book.self]).definition
            for index in description.entities.indices where description.entities[index].name == "Publication" {
                description.entities[index].attributes.insert(.init("aaa", .double), at: 0)
            }
            let other = PersistentContainer(
                name: "Other", managedObjectModel: try ManagedObjectModel(description),
                classes: ManagedObject.classesByName([Book.self]))
            other.persistentStoreDescriptions = [
                PersistentStoreDescription(url: folder.appendingPathComponent("Other.sqlite"))
            ]
            try other.loadPersistentStores()
            let context = try container(folder).viewContext
            let one = Book(title: "One", in: context), two = Book(title: "Two", in: other.viewContext)
            #expect(
                one.title == "One" && two.title == "Two" && two["title"] as? String == "Two" && one.pages == 1
                    && two.pages == 1)
        }
    }
}
