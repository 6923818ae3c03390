import Foundation
import ObjectGraph
import Query
import Schema
import Testing

private final class Book: ManagedObject {
    var title: String {
        get { self["title"] as? String ?? "" }
        set { self["title"] = newValue }
    }
    var subtitle: String? {
        get { self["subtitle"] as? String }
        set { self["subtitle"] = newValue }
    }
    var year: Int {
        get { self["year"] as? Int ?? 0 }
        set { self["year"] = newValue }
    }
    var rating: Double? {
        get { self["rating"] as? Double }
        set { self["rating"] = newValue }
    }
    var isBorrowed: Bool {
        get { self["isLent"] as? Bool ?? false }
        set { self["isLent"] = newValue }
    }
    var author: Writer? {
        get { self["author"] as? Writer }
        set { self["author"] = newValue }
    }
    var tags: Set<Tag> {
        get { self["tags"] as? Set<Tag> ?? [] }
        set { self["tags"] = newValue }
    }
    var secret: Int { 0 }

    override class var namesByKeyPath: [AnyKeyPath: String] {
        [
            \Book.title: "title", \Book.subtitle: "subtitle", \Book.year: "year", \Book.rating: "rating",
            \Book.isBorrowed: "isLent", \Book.author: "author",
            \Book.tags: "tags",
        ]
    }
}

private final class Writer: ManagedObject {
    var name: String {
        get { self["name"] as? String ?? "" }
        set { self["name"] = newValue }
    }
    var books: Set<Book> { self["books"] as? Set<Book> ?? [] }
    override class var namesByKeyPath: [AnyKeyPath: String] { [\Writer.name: "name", \Writer.books: "books"] }
}

private final class Tag: ManagedObject {
    var word: String {
        get { self["word"] as? String ?? "" }
        set { self["word"] = newValue }
    }
    override class var namesByKeyPath: [AnyKeyPath: String] { [\Tag.word: "word"] }
}

/// Foundation's predicates and sort descriptors, and conditions on key paths, as queries.
struct TypedPredicateTests {
    private let library: Library

    init() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Book", managedObjectClassName: "Book",
                attributes: [
                    .init("title", .string), .init("subtitle", .string), .init("year", .integer32),
                    .init("rating", .double), .init("isLent", .boolean),
                ],
                relationships: [
                    .init("author", to: "Author", inverse: "books"),
                    .init("tags", to: "Tag", inverse: "books", maxCount: 0),
                ]),
            EntityDefinition(
                "Author", managedObjectClassName: "Writer", attributes: [.init("name", .string)],
                relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
            EntityDefinition(
                "Tag", managedObjectClassName: "Tag", attributes: [.init("word", .string)],
                relationships: [.init("books", to: "Book", inverse: "tags", maxCount: 0)]),
        ])
        library = try Library(classes: ["Book": Book.self, "Writer": Writer.self, "Tag": Tag.self], model: model)
        let context = library.context
        func insert<Object: ManagedObject>(_ entity: String, _ type: Object.Type) throws -> Object {
            try #require(try context.insert(entity) as? Object)
        }
        let authors = try ["Herbert", "Lem"].map { name in
            let author = try insert("Author", Writer.self)
            author.name = name
            return author
        }
        let tags = try ["sf", "desert", "sea"].map { word in
            let tag = try insert("Tag", Tag.self)
            tag.word = word
            return tag
        }
        let books: [(String, String?, Int, Double?, Bool, Int?, [Int])] = [
            ("Dune", "A novel", 1965, 4.5, true, 0, [0, 1]), ("Solaris", nil, 1961, 4.0, false, 1, [0, 2]),
            ("Fiasco", "novel", 1986, nil, false, 1, [0]),
            ("Beowulf", nil, 1000, 3, true, nil, []),
        ]
        for (title, subtitle, year, rating, isLent, author, own) in books {
            let book = try insert("Book", Book.self)
            (book.title, book.subtitle, book.year, book.rating, book.isBorrowed) = (
                title, subtitle, year, rating, isLent
            )
            book.author = author.map { authors[$0] }
            book.tags = Set(own.map { tags[$0] })
        }
        try context.save()
    }

    private func titles(_ request: FetchRequest<Book>) throws -> [String] {
        try library.context.fetch(request).map(\.title).sorted()
    }

    private func titles(_ predicate: Predicate<Book>) throws -> [String] {
        try titles(FetchRequest<Book>(entityName: "Book", where: predicate))
    }
    private func titles(_ condition: EntityCondition<Book>) throws -> [String] {
        try titles(FetchRequest<Book>(entityName: "Book", where: condition))
    }

    private func format(_ predicate: Predicate<Book>) throws -> String { try FetchPredicate(predicate).predicateFormat }
}

extension TypedPredicateTests {
    // MARK: #Predicate

    @Test func comparisonsAndConnectives() throws {
        let limit = 1961
        #expect(try titles(#Predicate { $0.title == "Dune" }) == ["Dune"])
        #expect(try titles(#Predicate { $0.title != "Dune" && $0.year > limit }) == ["Fiasco"])
        #expect(try titles(#Predicate { $0.year <= limit || $0.title == "Dune" }) == ["Beowulf", "Dune", "Solaris"])
        #expect(try titles(#Predicate { !($0.year >= 1965) }) == ["Beowulf", "Solaris"])
        #expect(try titles(#Predicate { $0.isBorrowed }) == ["Beowulf", "Dune"])
        #expect(try titles(#Predicate { !$0.isBorrowed }) == ["Fiasco", "Solaris"])
        #expect(try titles(#Predicate { _ in true }).count == 4)
        #expect(try format(#Predicate { $0.year > limit && $0.title == "x" }) == "year > 1961 AND title == \"x\"")
    }

    @Test func nilsAndUnwrapping() throws {
        #expect(try titles(#Predicate { $0.subtitle == nil }) == ["Beowulf", "Solaris"])
        #expect(try titles(#Predicate { $0.rating != nil && $0.author != nil }) == ["Dune", "Solaris"])
        #expect(try titles(#Predicate { $0.author?.name == "Lem" }) == ["Fiasco", "Solaris"])
        #expect(try titles(#Predicate { ($0.rating ?? 5) > 4.2 }) == ["Dune", "Fiasco"])
        #expect(try titles(#Predicate { $0.rating! < 4 }) == ["Beowulf"])
        #expect(try titles(#Predicate { $0.subtitle?.contains("novel") ?? false }) == ["Dune", "Fiasco"])
        #expect(try titles(#Predicate { $0.subtitle?.contains("A") ?? true }) == ["Beowulf", "Dune", "Solaris"])
        #expect(try titles(#Predicate { $0.subtitle?.starts(with: "n") == true }) == ["Fiasco"])
        #expect(try titles(#Predicate { $0.subtitle?.isEmpty == nil }) == ["Beowulf", "Solaris"])
        #expect(try titles(#Predicate { $0.author?.books.count == 2 }) == ["Fiasco", "Solaris"])
    }

    @Test func textsRangesAndArithmetic() throws {
        let years = 1960...1970
        #expect(
            try titles(#Predicate { $0.title.contains("ol") || $0.title.starts(with: "Beo") }) == [
                "Beowulf", "Solaris",
            ])
        #expect(try titles(#Predicate { years.contains($0.year) }) == ["Dune", "Solaris"])
        #expect(try titles(#Predicate { (1961..<1965).contains($0.year) }) == ["Solaris"])
        #expect(try titles(#Predicate { $0.year % 2 == 0 && $0.year / 2 > 500 }) == ["Fiasco"])
        #expect(try titles(#Predicate { $0.year + 1 == 1966 && -$0.year < 0 }) == ["Dune"])
        #expect(try titles(#Predicate { ($0.isBorrowed ? 1 : 2) == 1 }) == ["Beowulf", "Dune"])
        #expect(try titles(#Predicate { $0.isBorrowed ? $0.year > 1500 : $0.title == "Fiasco" }) == ["Dune", "Fiasco"])
    }

    @Test func collections() throws {
        let wanted = ["Dune", "Fiasco", "Ubik"]
        let herbert = try #require(
            try library.context.fetch(FetchRequest<Writer>(entityName: "Author")).first { $0.name == "Herbert" })
        let id = herbert.objectID
        #expect(try titles(#Predicate { wanted.contains($0.title) }) == ["Dune", "Fiasco"])
        #expect(try titles(#Predicate { book in book.tags.contains { $0.word == "sea" } }) == ["Solaris"])
        #expect(
            try titles(#Predicate { book in book.tags.allSatisfy { $0.word != "desert" } }) == [
                "Beowulf", "Fiasco", "Solaris",
            ])
        #expect(try titles(#Predicate { $0.tags.count == 2 }) == ["Dune", "Solaris"])
        #expect(try titles(#Predicate { $0.tags.isEmpty }) == ["Beowulf"])
        #expect(
            try titles(#Predicate { book in book.tags.filter { $0.word.starts(with: "s") }.count == 2 }) == ["Solaris"])
        #expect(try titles(#Predicate { book in wanted.contains { $0 == book.title } }) == ["Dune", "Fiasco"])
        // The closure sees the object around it.
        #expect(
            try titles(#Predicate { book in book.tags.contains { tag in tag.word == "sf" && book.year > 1970 } }) == [
                "Fiasco"
            ])
        var request = FetchRequest<Book>(entityName: "Book")
        request.predicate = try FetchPredicate(format: "author == %@", id)
        #expect(try titles(request) == ["Dune"])
    }
}

extension TypedPredicateTests {
    @Test func aNodeThatAQueryCanNotSayIsNamed() throws {  // P50
        let count = #expect(throws: QueryError.self) { try FetchPredicate(#Predicate<Book> { $0.title.count > 3 }) }
        #expect(count?.code == .unsupported && count?.message.contains("count") == true)
        let numbers = [1, 2, 3]
        let range = #expect(throws: QueryError.self) {
            try FetchPredicate(#Predicate<Book> { numbers[0..<2].contains($0.year) })
        }
        #expect(
            range?.code == .unsupported && range?.message.contains("CollectionRangeSubscript") == true,
            "\(String(describing: range))")
        let key = #expect(throws: QueryError.self) { try FetchPredicate(#Predicate<Book> { $0.secret == 1 }) }
        #expect(key?.code == .unknownKey)
    }

    // MARK: SortDescriptor

    @Test func sortDescriptorsAreSortKeys() throws {
        let request = try FetchRequest<Book>(
            entityName: "Book", where: nil, sortBy: [SortDescriptor(\.rating), SortDescriptor(\.year, order: .reverse)])
        #expect(try library.context.fetch(request).map(\.title) == ["Fiasco", "Beowulf", "Solaris", "Dune"])
        #expect(
            try SortKey(SortDescriptor(\Book.title, comparator: .lexical, order: .reverse))
                == SortKey("title", ascending: false))
        #expect(throws: QueryError.self) { try SortKey(SortDescriptor(\Book.secret)) }
    }
}

extension TypedPredicateTests {
    // MARK: Key paths

    @Test func conditionsOnKeyPaths() throws {
        #expect(try titles(\Book.title == "Dune") == ["Dune"])
        #expect(try titles(\Book.year > 1961 && !(\Book.title == "Dune")) == ["Fiasco"])
        #expect(try titles(\Book.subtitle == nil || \Book.rating >= 4.5) == ["Beowulf", "Dune", "Solaris"])
        #expect(try titles((\Book.title).isIn(["Dune", "Fiasco"])) == ["Dune", "Fiasco"])
        #expect(try titles((\Book.year).isBetween(1961, 1965)) == ["Dune", "Solaris"])
        #expect(try titles((\Book.title).beginsWith("du", .caseInsensitive)) == ["Dune"])
        #expect(try titles((\Book.subtitle).contains("novel")) == ["Dune", "Fiasco"])
        #expect(try titles((\Book.title).isLike("*o*") && (\Book.title).matches("[A-G].*")) == ["Beowulf", "Fiasco"])
        #expect(
            try titles((\Book.title).searches("beow*") || (\Book.title).searches("fiasco")) == ["Beowulf", "Fiasco"])
        #expect(try titles((\Book.author).to(\Writer.name) == "Lem") == ["Fiasco", "Solaris"])
        #expect(try titles((\Book.tags).any(\Tag.word == "desert")) == ["Dune"])
        #expect(try titles((\Book.tags).all((\Tag.word).endsWith("f"))) == ["Beowulf", "Fiasco"])
        #expect(try titles((\Book.tags).count > 1) == ["Dune", "Solaris"])
    }
}
