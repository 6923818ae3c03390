import Foundation
import Query
import Schema
import Testing

@Suite("Full-text search in memory")
struct SearchTests {
    @Test("words are runs of letters, digits and marks, folded by case and diacritics")
    func words() {
        let cases: [(String, String)] = [
            ("The Désert-Planet, 1965!", "the desert planet 1965"), ("", ""), ("…—!", ""), ("it's", "it s"),
            ("e\u{301}tude", "etude"), ("ΣΑΣ ς", "σασ σ"),
            ("Straße", "strasse"), ("東京2020", "東京2020"), ("a_b", "a b"), ("x\u{0}y", "x y"), ("½ Ⅳ", "½ ⅳ"),
            ("ﬁn", "fin"), ("कि नमः", "कि नमः"),
        ]
        for (text, words) in cases { #expect(SearchQuery.words(of: text) == words, "\(text)") }
        #expect(SearchQuery.words(of: String(repeating: "x", count: 1000)).count == 256)
        #expect(SearchQuery.words(of: String(repeating: "é", count: 1000)).count == 256)
    }

    @Test("words, phrases, beginnings, unwanted words and alternatives")
    func queries() {
        let texts = ["Dune: the desert planet", "by Frank Herbert"]
        let cases: [(String, Bool)] = [
            ("dune", true), ("DÜNE", true), ("dun", false), ("dun*", true), ("herbert dune", true),
            ("dune asimov", false), ("\"desert planet\"", true),
            ("\"planet desert\"", false), ("\"planet by\"", false), ("\"the des\"*", true), ("\"des planet\"*", false),
            ("dune -film", true), ("dune -herbert", false),
            ("asimov OR herbert", true), ("asimov OR clarke", false), ("asimov OR dune -frank", false),
            ("-film", false), ("", false), ("*", false), ("\"", false),
            ("\"desert planet", true), ("desert-planet", true), ("planet-desert", false), ("or dune", false),
            ("- dune", true), ("dune OR", true), ("-\"desert planet\" dune", false),
            ("OR OR dune", true),
        ]
        for (query, found) in cases { #expect(SearchQuery(query).matches(texts) == found, "\(query)") }
        #expect(!SearchQuery("dune").matches([nil]))
        #expect(SearchQuery(String(repeating: "dune ", count: 10_000)).matches(texts))
        // However hostile, a search is done in time: phrases and texts that nearly match
        // everywhere.
        let phrase = SearchQuery("\"" + String(repeating: "a ", count: 100_000) + "b\"")
        #expect(phrase.matches([String(repeating: "a ", count: 20_000)]))
    }

    @Test("relevance grows with what is found and shrinks with the length of the text")
    func relevance() {
        let query = SearchQuery("dune desert")
        let filler = String(repeating: "sand ", count: 200)
        let ordered = ["dune desert", "dune dune", "dune", "dune desert " + filler, "dune " + filler].map {
            query.relevance(of: $0)
        }
        #expect(ordered == ordered.sorted(by: >) && Set(ordered).count == ordered.count)
        #expect(
            query.relevance(of: "sand") == 0 && query.relevance(of: nil) == 0
                && SearchQuery("").relevance(of: "dune") == 0)
        #expect(SearchQuery("dune dune dune").relevance(of: "dune") == SearchQuery("dune").relevance(of: "dune"))
    }

    @Test("SEARCH is read behind an operand and is a key elsewhere")
    func grammar() throws {
        for text in [
            "title SEARCH \"a b\"", "{title, note} SEARCH \"x\"", "SELF SEARCH \"x\"",
            "ANY chapters.title SEARCH \"x\"", "NOT author SEARCH \"-a b*\"", "search SEARCH \"search\"",
        ] {
            #expect(try FetchPredicate(format: text).predicateFormat == text)
        }
        #expect(
            try FetchPredicate(format: "search == 1 AND a search 'b'")
                == .and([
                    .comparison(ComparisonPredicate(.keyPath("search"), .equal, .constant(.int(1)))),
                    .comparison(ComparisonPredicate(.keyPath("a"), .search, .constant(.string("b")))),
                ]))
        #expect(throws: QueryError.self) { try FetchPredicate(format: "search") }
        #expect(throws: QueryError.self) { try FetchPredicate(format: "SEARCH 'a'") }
        let expression = try QueryExpression(format: "relevance:to:(title, 'a b')")
        #expect(try QueryExpression(format: expression.expressionFormat) == expression)
    }
}

extension SearchTests {
    private func library() throws -> (ManagedObjectModel, StoreIdentity) {
        var title = AttributeDescription("title", .string), body = AttributeDescription("body", .string)
        title.isFullTextIndexed = true
        body.userInfo[AttributeDescription.fullTextUserInfoKey] = "YES"
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note", attributes: [title, body, .init("pages", .integer16), .init("other", .string)],
                relationships: [
                    .init("parts", to: "Note", inverse: "whole", maxCount: 0),
                    .init("whole", to: "Note", inverse: "parts"),
                ]),
            EntityDefinition("Plain", attributes: [.init("text", .string)]),
        ])
        return (model, StoreIdentity(uuid: "6F0C0000-0000-4000-8000-000000000002", model: model))
    }

    @Test("an object on the left stands for the attributes that the model chooses")
    func chosenAttributes() throws {
        let (model, _) = try library()
        let note = try #require(model.entity(named: "Note"))
        #expect(note.fullTextAttributes.map(\.name) == ["body", "title"])
        func valid(_ text: String) throws -> String {
            try FetchPredicate(format: text).validated(against: note, in: model).predicateFormat
        }
        #expect(try valid("SELF SEARCH 'a'") == "{body, title} SEARCH \"a\"")
        #expect(try valid("whole SEARCH 'a'") == "{whole.body, whole.title} SEARCH \"a\"")
        #expect(try valid("other SEARCH[cd] 'a'") == "other SEARCH \"a\"")
        #expect(try valid("ANY parts.title SEARCH 'a'") == "ANY parts.title SEARCH \"a\"")
        for (text, code) in [
            ("pages SEARCH 'a'", QueryError.Code.type), ("title SEARCH 3", .type), ("title SEARCH other", .type),
            ("parts.title SEARCH 'a'", .type), ("ANY parts SEARCH 'a'", .unsupported),
        ] {
            let error = #expect(throws: QueryError.self) {
                try FetchPredicate(format: text).validated(against: note, in: model)
            }
            #expect(error?.code == code, "\(text)")
        }
        let plain = try #require(model.entity(named: "Plain"))
        #expect(
            #expect(throws: QueryError.self) {
                try FetchPredicate(format: "SELF SEARCH 'a'").validated(against: plain, in: model)
            }?.code == .unsupported)
    }

    @Test("indexed:by: names an index of the model, and is its first argument")
    func indexHints() throws {
        let index = FetchIndexDescription(
            "byPlace", elements: [.init(propertyName: "x", kind: .rTree), .init(propertyName: "y", kind: .rTree)])
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Spot", attributes: [.init("x", .double), .init("y", .double)], indexes: [index])
        ])
        let spot = try #require(model.entity(named: "Spot"))
        #expect(
            try FetchPredicate(format: "indexed:by:(x, 'byPlace') > 3").validated(against: spot, in: model)
                .predicateFormat == "x > 3.0")
        #expect(
            #expect(throws: QueryError.self) {
                try FetchPredicate(format: "indexed:by:(x, 'byPlac') > 3").validated(against: spot, in: model)
            }?.suggestions == ["byPlace"])
    }
}
