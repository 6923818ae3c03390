import Foundation
import Query
import Schema
import Testing

@Suite("Predicates checked against a model (P60–P65, P75)")
struct ValidationTests {
    private let library: Library

    init() throws {
        library = try Library()
    }

    private func validated(_ text: String, _ arguments: (any PredicateArgument)?..., on entity: String = "Book") throws
        -> FetchPredicate
    {
        try FetchPredicate(format: text, arguments: arguments).validated(
            against: library.entity(entity), in: library.model, store: library.store)
    }

    private func expect(
        _ code: QueryError.Code, _ texts: [String], on entity: String = "Book",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for text in texts {
            #expect(sourceLocation: sourceLocation) { try validated(text, on: entity) } throws: { error in
                let error = error as? QueryError
                if error?.code != code {
                    Issue.record("\(text): \(String(describing: error))", sourceLocation: sourceLocation)
                }
                return error?.code == code
            }
        }
    }

    @Test("P60: an unknown key is named with its entity and the nearest keys")
    func unknownKeys() {
        for (text, entity, key, near) in [
            ("titel == 'x'", "Book", "titel", "title"), ("author.nmae == 'x'", "Author", "nmae", "name"),
            ("ANY chapters.page > 3", "Chapter", "page", "pages"),
            ("place.citty == 'x'", "Place", "citty", "city"),
            ("SUBQUERY(tags, $t, $t.nam == 'x').@count > 0", "Tag", "nam", "name"),
            ("genre == 'x'", "Book", "genre", nil),
        ] as [(String, String, String, String?)] {
            #expect { try validated(text) } throws: { error in
                let error = error as? QueryError
                return error?.code == .unknownKey && error?.entity == entity && error?.key == key
                    && error?.suggestions.first == near
            }
        }
        #expect(throws: Never.self) { try validated("genre == 'x' AND title == 'y'", on: "Novel") }
        expect(.unknownKey, ["title.foo == 1"])
    }

    @Test("P60: transient and fetched properties, and what stores can't call, are refused")
    func unsupported() {
        expect(
            .unsupported,
            [
                "note == 'x'", "ANY similar.title == 'x'", "FUNCTION(title, 'foo') == 1", "tags.@foo == 1",
                "CAST(title, 'Foo') == 1", "ANY tags.name.length > 2",
            ])
        expect(.unboundVariable, ["title == $x"])
    }

    @Test("P61: a to-many needs ANY, ALL or an operator")
    func toMany() throws {
        expect(
            .type,
            [
                "tags.name == 'x'", "tags == nil", "title == tags.name", "year + tags.name > 1", "chapters == 'x'",
                "tags[0].name == 'x'", "title.@count == 1", "tags.@sum.name == 1",
            ])
        _ = try validated(
            "tags.@count == 0 AND ANY tags.name == 'x' AND ALL tags.name != 'x' AND chapters[0].title == 'x'")
    }

    @Test func aPathGoesThroughSixToManyRelationshipsAtMost() throws {
        let three = Array(repeating: "tags.books", count: 3).joined(separator: ".")
        _ = try validated(
            "ANY \(three).title == 'x' AND \(three).@count > 0 AND SUBQUERY(\(three), $b, ANY $b.tags.name == 'x').@count > 0"
        )
        expect(
            .limit,
            [
                "ANY \(three).tags.name == 'x'", "\(three).tags.@count > 1",
                "SUBQUERY(\(three).tags, $t, $t.name == 'x').@count > 0", "sum:(\(three).chapters.pages) > 3",
            ])
    }
}

extension ValidationTests {
    @Test("P64: transformable, composite and external values compare with nil only")
    func opaque() throws {
        _ = try validated("meta == nil AND cover != nil AND place == nil AND digest == %@", Data([1]))
        expect(.unsupported, ["meta == 'x'", "cover == 'AQ=='"])
        #expect(throws: QueryError.self) { try validated("cover == %@", Data([1])) }
        expect(.unknownKey, ["meta.x == 1"])
    }

    @Test("P75: constants become values of what they are compared with")
    func coercion() throws {
        func constant(_ text: String, _ argument: (any PredicateArgument)? = nil) throws -> PropertyValue? {
            let predicate = try argument.map { try validated(text, $0) } ?? validated(text)
            guard case .comparison(let comparison) = predicate else { return nil }
            if case .constant(let value) = comparison.right { return value }
            if case .constant(let value) = comparison.left { return value }
            return nil
        }
        let date = Date(timeIntervalSince1970: -139_276_800)
        #expect(try constant("published > '1965-08-03'") == .date(date))
        #expect(try constant("published > '1965-08-03T00:00:00Z'") == .date(date))
        #expect(try constant("published > 12") == .date(Date(timeIntervalSinceReferenceDate: 12)))
        #expect(try constant("year == 1965.0") == .int(1965))
        #expect(try constant("year < 1965.5") == .double(1965.5))
        #expect(try constant("rating > 4") == .double(4))
        #expect(try constant("weight == 0.1") == .float(0.1))
        #expect(try constant("price == 10.1") == .decimal(Decimal(string: "10.1")!))
        #expect(try constant("price == '10.10'") == .decimal(Decimal(string: "10.1")!))
        #expect(try constant("1 == isRead") == .bool(true))
        #expect(try constant("isRead == 'yes'") == .bool(true))
        #expect(try constant("isRead < 2") == .int(2))
        let uuid = UUID()
        #expect(try constant("isbn == %@", uuid.uuidString) == .uuid(uuid))
        #expect(try constant("link == 'https://a.example/b'") == .uri(URL(string: "https://a.example/b")!))
        #expect(try constant("link BEGINSWITH 'https'") == .string("https"))
        #expect(try constant("digest == 'AQI='") == .data(Data([1, 2])))
        #expect(try constant("title == nil") == .null)
        #expect(try constant("year IN {1, 2.0, nil}") == .list([.int(1), .int(2), .null]))
        #expect(
            try constant("published BETWEEN {'2001-01-01', 86400}")
                == .list([
                    .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 86400)),
                ]))
        #expect(try constant("ANY chapters.pages == 3.0") == .int(3))
        let author = ManagedObjectID(store: library.store, entityIndex: try library.entity("Author").index, key: 7)
        #expect(try constant("author == 'Author/p7'") == .object(author))
        #expect(try constant("author == %@", author.description) == .object(author))
        #expect(try constant("SELF.author IN {'Author/p7'}") == .list([.object(author)]))
    }

    @Test("A constant that is no value of the type is refused")
    func mismatches() {
        expect(
            .type,
            [
                "year == 'abc'", "year > '5'", "rating == 'x'", "title == 5", "title < 5", "published > 'soon'",
                "published == '2001-02-30'", "isbn == 'x'", "price == '1,5'",
                "isRead == 'maybe'", "author == 5", "author == 'Nobody/p1'", "author > 'Author/p1'",
                "year CONTAINS 'x'", "title CONTAINS 5", "year IN {1, 'x'}",
                "year BETWEEN {1, 'x'}", "year BETWEEN 5", "year BETWEEN {1, 2, 3}", "title == year",
                "published == year", "author == SELF", "digest < 'x'", "year IN 'abc'",
                "title + 1 == 2", "lowercase:(year) == 'x'", "TERNARY(year > 1, title, year) == 1",
                "TERNARY(year > 1, 'a', year) == 1", "year LIKE '19*'", "title IN {tags.name}", "sqrt:(title) == 1",
            ])
    }
}

extension ValidationTests {
    @Test("Paths and aggregates come in one form, however they were written")
    func canonicalForm() throws {
        func left(_ text: String) throws -> QueryExpression? {
            guard case .comparison(let comparison) = try validated(text) else { return nil }
            return comparison.left
        }
        let sum = QueryExpression.keyPath(base: nil, components: ["chapters", "@sum", "pages"])
        for text in [
            "chapters.@sum.pages == 1", "chapters.pages.@sum == 1", "sum:(chapters.pages) == 1",
            "SELF.chapters.@sum.pages == 1", "(chapters).pages.@sum == 1",
        ] {
            #expect(try left(text) == sum, "\(text)")
        }
        for text in ["chapters[SIZE] == 1", "count:(chapters) == 1", "chapters.@count == 1"] {
            #expect(try left(text) == .keyPath("chapters.@count"), "\(text)")
        }
        #expect(try left("author.books.tags.@count == 1") == .keyPath("author.books.tags.@count"))
        #expect(try left("objectID == nil") == .evaluatedObject)
        #expect(try left("author.objectID == nil") == .keyPath("author"))
        #expect(try left("title.length == 1") == .function("length:", [.keyPath("title")]))
        #expect(try left("FUNCTION(title, 'uppercaseString') == 'x'") == .function("uppercase:", [.keyPath("title")]))
        guard case .comparison(let any) = try validated("ANY author.name ==[c] 'x'"),
            case .comparison(let number) = try validated("year ==[c] 5")
        else {
            Issue.record("no comparison")
            return
        }
        #expect(any.modifier == .direct && any.options == .caseInsensitive)
        #expect(number.options == [])
    }

    @Test("Validating takes linear time and changes nothing when repeated")
    func repetition() throws {
        let deep =
            String(repeating: "TERNARY(year > 1, ", count: 60) + "1" + String(repeating: ", 2)", count: 60) + " == 1"
        let nested =
            "year IN {" + String(repeating: "TERNARY(year IN {", count: 25) + "year + 1"
            + String(repeating: "}, year, 1)", count: 25) + "}"
        for text in [deep, nested, "sum:(chapters.pages) + title.length > 4 AND chapters[0].title ==[c] 'x'"] {
            let once = try validated(text)
            #expect(try once.validated(against: library.entity("Book"), in: library.model) == once)
        }
    }

    @Test("Sort keys lead through to-one relationships to something with an order")
    func sortKeys() throws {
        func check(_ text: String) throws {
            for key in try SortKey.list(text) {
                _ = try key.validated(against: library.entity("Book"), in: library.model)
            }
        }
        try check("title,-author.name,+year,place.city")
        for (text, code) in [
            ("titel", .unknownKey), ("tags.name", .type), ("author", .type), ("tags.@count", .unsupported),
            ("note", .unsupported), ("meta", .type), ("title.length", .type),
        ] as [(String, QueryError.Code)] {
            #expect { try check(text) } throws: { ($0 as? QueryError)?.code == code }
        }
    }
}
