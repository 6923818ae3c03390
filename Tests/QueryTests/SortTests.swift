import Foundation
import Query
import Schema
import Testing

@Suite("Sorting in memory (Q16–Q18)")
struct SortTests {
    private let library: Library

    init() throws {
        library = try Library()
    }

    private func sorted(_ keys: [SortKey], _ objects: [TestObject]) throws -> [Int64] {
        let entity = try library.entity("Book")
        return try CompiledSort(keys, entity: entity, model: library.model).sorted(objects).map(\.queryID.key)
    }

    @Test("Q17: nil is smallest, first ascending and last descending; ties keep their order; later keys decide")
    func nils() throws {
        let objects = try [
            library.object("Book", 1, ["title": .string("b"), "year": .int(2)]),
            library.object("Book", 2, ["year": .int(1)]),
            library.object("Book", 3, ["title": .string("a"), "year": .int(2)]), library.object("Book", 4),
            library.object("Book", 5, ["title": .string("b"), "year": .int(1)]),
        ]
        #expect(try sorted([SortKey("title")], objects) == [2, 4, 3, 1, 5])
        #expect(try sorted([SortKey("title", ascending: false)], objects) == [1, 5, 3, 2, 4])
        #expect(try sorted([SortKey("title"), SortKey("year")], objects) == [4, 2, 3, 5, 1])
        #expect(try sorted([SortKey("year", ascending: false), SortKey("title")], objects) == [3, 1, 2, 5, 4])
        #expect(try sorted([], objects) == [1, 2, 3, 4, 5])
    }

    @Test("A path through a nil to-one sorts as nil")
    func paths() throws {
        let author = try library.object("Author", 1, ["name": .string("x")])
        let with = try library.object("Book", 1)
        with.set("author", author)
        #expect(try sorted([SortKey("author.name")], [with, library.object("Book", 2)]) == [2, 1])
    }

    @Test("Q18: each collation by its rule")
    func collations() throws {
        let texts = ["b", "B", "a", "A", "é", "file10", "file9", "z"]
        let objects = try texts.enumerated().map {
            try library.object("Book", Int64($0.offset), ["title": .string($0.element)])
        }
        func order(_ collation: SortKey.Collation) throws -> [String] {
            try sorted([SortKey("title", collation: collation)], objects).map { texts[Int($0)] }
        }
        #expect(try order(.binary) == ["A", "B", "a", "b", "file10", "file9", "z", "é"])
        #expect(try order(.caseInsensitive) == ["a", "A", "b", "B", "file10", "file9", "z", "é"])
        let standard = try order(.localizedStandard)
        #expect(standard.firstIndex(of: "file9")! < standard.firstIndex(of: "file10")!)
        for collation in [SortKey.Collation.localized, .localizedCaseInsensitive] {
            let result = try order(collation)
            for (a, b) in zip(result, result.dropFirst()) { #expect(collation.compare(a, b) <= 0) }
        }
    }

    @Test("Numbers, booleans, dates and NaN")
    func kinds() throws {
        let values: [PropertyValue] = [
            .double(2), .double(.nan), .double(-1), .null, .double(.infinity), .double(-.infinity),
        ]
        let objects = try values.enumerated().map {
            try library.object("Book", Int64($0.offset), ["rating": $0.element])
        }
        #expect(try sorted([SortKey("rating")], objects) == [1, 3, 5, 2, 0, 4])
        #expect(CompiledSort.compare(.bool(false), .bool(true), .binary) < 0)
        #expect(CompiledSort.compare(.decimal(2), .decimal(10), .binary) < 0)
    }

    @Test("Sort lists as a command line gives them")
    func lists() throws {
        #expect(try SortKey.list("name") == [SortKey("name")])
        #expect(
            try SortKey.list("author.name, -year ,+title") == [
                SortKey("author.name"), SortKey("year", ascending: false), SortKey("title"),
            ])
        for (text, offset) in [("", 0), ("a,,b", 2), ("a,-", 2), ("--a", 0), ("a b", 0), ("a..b", 0), ("a,", 2)] {
            #expect { try SortKey.list(text) } throws: {
                ($0 as? QueryError)?.code == .syntax && ($0 as? QueryError)?.offset == offset
            }
        }
    }

    @Test func aListOfKeysTakesCollationsInBrackets() throws {
        let keys = try SortKey.list("-name[cl], place.title[n],year")
        #expect(
            keys == [
                SortKey("name", ascending: false, collation: .localizedCaseInsensitive),
                SortKey("place.title", collation: .localizedStandard), SortKey("year"),
            ])
        #expect(throws: QueryError.self) { try SortKey.list("name[x]") }
        #expect(throws: QueryError.self) { try SortKey.list("[c]") }
    }
}
