import Foundation
import Query
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Full-text indexes and R-trees: what they find, and that they follow whatever writes rows.
struct SearchIndexTests {
    static func model() throws -> ManagedObjectModel {
        var title = AttributeDescription("title", .string), body = AttributeDescription("body", .string),
            extra = AttributeDescription("extra", .string)
        for keyPath in [\AttributeDescription.isFullTextIndexed] {
            title[keyPath: keyPath] = true
            body[keyPath: keyPath] = true
            extra[keyPath: keyPath] = true
        }
        let place = FetchIndexDescription(
            "byPlace", elements: [.init(propertyName: "x", kind: .rTree), .init(propertyName: "y", kind: .rTree)])
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [title, body, .init("other", .string), .init("x", .double), .init("y", .integer64)],
                relationships: [
                    .init("parts", to: "Note", inverse: "whole", maxCount: 0),
                    .init("whole", to: "Note", inverse: "parts"),
                ], indexes: [place]),
            EntityDefinition("Letter", superentityName: "Note", attributes: [extra]),
            EntityDefinition("Plain", attributes: [.init("text", .string)]),
        ])
    }

    /// A store of the model with a few lines to write with.
    final class Fixture {
        let url: URL
        let model: ManagedObjectModel
        var store: SQLitePersistentStore

        init(_ folder: URL, journal: WALPolicy = .asFound) throws {
            url = folder.appendingPathComponent("Notes.sqlite")
            model = try SearchIndexTests.model()
            var description = PersistentStoreDescription(url: url)
            description.journal = journal
            store = try SQLitePersistentStore.open(description, model: model)
        }

        func entity(_ name: String) -> EntityDescription { model.entity(named: name)! }

        @discardableResult
        func insert(_ name: String, _ values: [String: PropertyValue]) throws -> Int64 {
            var batch = RowBatch()
            let entity = entity(name)
            let row = batch.appendRow(store.layouts[entity.index], key: -1, version: 0)
            for (key, value) in values {
                precondition(row.setValue(value, row.layout.slots[entity.property(named: key)!.index]))
            }
            var changes = ChangeSet()
            changes.insertions = [ChangeSet.Insertions(entityIndex: entity.index, rows: batch)]
            return try store.apply(changes).keys[0][0]
        }

        func update(_ name: String, _ key: Int64, _ values: [String: PropertyValue]) throws {
            let entity = entity(name)
            let stored = try store.rows(RowRequest(entityIndex: entity.index, selection: .keys([key])))
            var batch = RowBatch()
            let row = batch.append(copyOf: stored[0])
            var changed = PropertySet()
            for (key, value) in values {
                let index = entity.property(named: key)!.index
                if value == .null {
                    row.clear(row.layout.slots[index])
                } else {
                    precondition(row.setValue(value, row.layout.slots[index]))
                }
                changed.insert(index)
            }
            var changes = ChangeSet()
            changes.updates = [ChangeSet.Updates(entityIndex: entity.index, rows: batch, changed: [changed])]
            _ = try store.apply(changes)
        }

        func request(_ text: String, _ name: String = "Note", order: [SortKey] = []) throws -> RowRequest {
            let entity = entity(name)
            let predicate = try FetchPredicate(format: text).validated(
                against: entity, in: model, store: store.identity)
            return RowRequest(entityIndex: entity.index, selection: .matching(predicate), sortKeys: order)
        }

        func keys(_ text: String, _ name: String = "Note", order: [SortKey] = []) throws -> [Int64] {
            let rows = try store.rows(request(text, name, order: order))
            let keys = (0..<rows.count).map { rows[$0].key }
            return order.isEmpty ? keys.sorted() : keys
        }

        func plan(_ text: String, _ name: String = "Note") throws -> String {
            try store.explanation(of: request(text, name)).plan.joined(separator: "\n")
        }

        func reopen(readOnly: Bool = false) throws {
            try store.close()
            var description = store.description
            description.isReadOnly = readOnly
            store = try SQLitePersistentStore.open(description)
        }
    }
}

extension SearchIndexTests {
    private func withStore(journal: WALPolicy = .asFound, _ body: (Fixture) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(folder, journal: journal)
            try body(fixture)
            #expect(try fixture.store.integrityFindings(isThorough: true) == [])
            try fixture.store.close()
        }
    }

    /// A table that is emptied at once would tell nobody of its rows.
    @Test(arguments: [0, 1]) func theIndexesFollowTheDeletionOfNearlyAllRows(kept: Int) throws {
        try withStore { fixture in
            let keys = try (0..<200).map {
                try fixture.insert("Note", ["title": .string("dune \($0)"), "x": .double(1), "y": .int(Int64($0))])
            }
            var changes = ChangeSet()
            changes.deletions = keys.dropLast(kept).map {
                .init(entityIndex: fixture.entity("Note").index, key: $0, version: 1)
            }
            _ = try fixture.store.apply(changes)
            let found = try fixture.keys("title SEARCH 'dune'")
            #expect(found == keys.suffix(kept))
            let placed = try fixture.keys("x >= 0 AND x <= 2")
            #expect(placed == keys.suffix(kept))
        }
    }

    @Test func searchesUseTheIndexAndFollowEverySave() throws {
        try withStore { fixture in
            let dune = try fixture.insert("Note", ["title": .string("Dune"), "body": .string("The Désert planet")])
            let letter = try fixture.insert("Letter", ["title": .string("Dear reader"), "extra": .string("P.S. dune")])
            try fixture.insert("Note", ["other": .string("dune")])
            #expect(try fixture.keys("title SEARCH 'dune'") == [dune])
            #expect(try fixture.keys("SELF SEARCH 'desert dun*'") == [dune])
            #expect(try fixture.keys("SELF SEARCH 'dune'") == [dune])
            #expect(try fixture.keys("SELF SEARCH 'dune'", "Letter") == [letter])
            #expect(try fixture.plan("SELF SEARCH 'dune'").contains("FOLIO_SEARCH_ZNOTE VIRTUAL TABLE INDEX"))
            #expect(!(try fixture.plan("other SEARCH 'dune'").contains("FOLIO_SEARCH_ZNOTE")))

            try fixture.update("Note", dune, ["title": .string("Arrakis"), "x": .double(1)])
            #expect(try fixture.keys("title SEARCH 'dune'") == [])
            #expect(try fixture.keys("title SEARCH 'arrakis'") == [dune])
            try fixture.update("Letter", letter, ["extra": .null])
            #expect(try fixture.keys("SELF SEARCH 'dune'", "Letter") == [])
            #expect(try fixture.store.integrityFindings(isThorough: true) == [])
            try fixture.reopen(readOnly: true)
            #expect(try fixture.keys("NOT SELF SEARCH 'arrakis'") == [2, 3])
            try fixture.reopen()
            var changes = ChangeSet()
            changes.deletions = [ChangeSet.Deletion(entityIndex: fixture.entity("Note").index, key: dune, version: 2)]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.keys("SELF SEARCH 'arrakis'") == [])
        }
    }

    @Test func batchesAndFailedSavesAreFollowedToo() throws {
        try withStore { fixture in
            for number in 0..<20 {
                try fixture.insert(
                    "Note", ["title": .string("old \(number)"), "x": .double(Double(number)), "y": .int(0)])
            }
            let property = fixture.entity("Note").property(named: "title")!.index
            let update = BatchUpdate(
                try fixture.request("x < 5"),
                assignments: [.init(propertyIndex: property, value: .constant(.string("new")))])
            _ = try fixture.store.update(update, origin: ChangeOrigin())
            #expect(try fixture.keys("title SEARCH 'new'").count == 5 && fixture.keys("title SEARCH 'old'").count == 15)
            _ = try fixture.store.delete(try fixture.request("title SEARCH 'old' AND x < 10"), origin: ChangeOrigin())
            #expect(try fixture.keys("title SEARCH 'old'").count == 10)
            #expect(try fixture.keys("x BETWEEN {8, 11} AND y == 0") == [11, 12])
            // A save that fails leaves the index as it was.
            var changes = ChangeSet()
            changes.deletions = [ChangeSet.Deletion(entityIndex: fixture.entity("Note").index, key: 1, version: 99)]
            #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(try fixture.keys("title SEARCH 'new'").count == 5)
        }
    }
}

extension SearchIndexTests {
    @Test func pathsAndNegationsFindWhatReadingThroughFinds() throws {
        try withStore { fixture in
            let whole = try fixture.insert("Note", ["title": .string("whole dune")])
            try fixture.insert("Note", ["title": .string("part"), "body": .string("sand")])
            var changes = ChangeSet()
            changes.links = []
            let entity = fixture.entity("Note")
            let stored = try fixture.store.rows(RowRequest(entityIndex: entity.index, selection: .keys([2])))
            var batch = RowBatch()
            let row = batch.append(copyOf: stored[0])
            row.setReference(
                ObjectReference(key: whole, entityIndex: entity.index),
                row.layout.slots[entity.property(named: "whole")!.index])
            var changed = PropertySet()
            changed.insert(entity.property(named: "whole")!.index)
            changes.updates = [ChangeSet.Updates(entityIndex: entity.index, rows: batch, changed: [changed])]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.keys("whole SEARCH 'dune'") == [2])
            #expect(try fixture.keys("NOT whole SEARCH 'dune'") == [1])
            #expect(try fixture.keys("ANY parts.body SEARCH 'sand'") == [1])
            #expect(try fixture.keys("NONE parts.body SEARCH 'sand'") == [2])
            #expect(try fixture.keys("ALL parts.body SEARCH 'sand'") == [1, 2])
            #expect(try fixture.keys("SUBQUERY(parts, $p, $p SEARCH 'part sand').@count == 1") == [1])
            #expect(try fixture.keys("{title, other} SEARCH 'dune'") == [1])
            #expect(try fixture.keys("SELF SEARCH ''") == [])
        }
    }

    /// Texts of odd words, and signs that mean something to FTS5.
    struct Words {
        var random = SeededGenerator(seed: 41)
        private let words = [
            "dune", "Dünen", "planet", "a", "b-c", "東京", "e\u{301}t", "\"", "*", "ΣΑΣ", "x1", "it's", "OR", "\u{1F600}",
            "NOT", "AND", "col:x", "^a", "+", "(z)",
        ]

        mutating func text(_ most: Int) -> String {
            let count = Int.random(in: 0...most, using: &random)
            var text: [String] = []
            for _ in 0..<count { text.append(words[Int.random(in: 0..<words.count, using: &random)]) }
            return text.joined(separator: " ")
        }

        mutating func query(_ number: Int) -> String {
            var query = text(3)
            if number % 3 == 0 { query = "\"" + query + "\"" + (number % 2 == 0 ? "*" : "") }
            if number % 5 == 0 { query += " -" + text(1) }
            return query
        }
    }

    private func found(_ query: String, _ fixture: Fixture) throws -> [Int64] {
        let request = FetchPredicate.comparison(
            ComparisonPredicate(.evaluatedObject, .search, .constant(.string(query))))
        let valid = try request.validated(against: fixture.entity("Note"), in: fixture.model)
        let rows = try fixture.store.rows(
            RowRequest(entityIndex: fixture.entity("Note").index, selection: .matching(valid)))
        return (0..<rows.count).map { rows[$0].key }.sorted()
    }

    private func compareRandomTexts(_ fixture: Fixture) throws {
        var words = Words()
        var texts: [[String?]] = []
        for _ in 0..<60 {
            let title = words.text(5), body = words.text(9)
            texts.append([title, body])
            try fixture.insert("Note", ["title": .string(title), "body": .string(body)])
        }
        for number in 0..<400 {
            let query = words.query(number)
            let search = SearchQuery(query)
            let expected = texts.indices.filter { search.matches(texts[$0]) }.map { Int64($0 + 1) }
            #expect(try found(query, fixture) == expected, "\(query)")
        }
    }
}

extension SearchIndexTests {
    @Test func randomTextsAreFoundByTheIndexAsInMemory() throws {
        try withStore { try compareRandomTexts($0) }
    }

    @Test func theBestFitComesFirst() throws {
        try withStore { fixture in
            for text in ["sand and dune and more", "dune", "dune dune", "sand"] {
                try fixture.insert("Note", ["title": .string(text)])
            }
            #expect(try fixture.keys("SELF SEARCH 'dune'", order: [.relevance(to: "dune")]) == [3, 2, 1])
            #expect(
                try fixture.keys("SELF SEARCH 'dune'", order: [.relevance(to: "dune", in: "title", ascending: true)])
                    == [1, 2, 3])
            #expect(try fixture.keys("relevance:to:(title, 'dune') > 0") == [1, 2, 3])
        }
    }

    // MARK: R-trees

    private func points() -> [(x: Double?, y: Int64?)] {
        var random = SeededGenerator(seed: 7)
        let odd: [Double] = [1e300, -1e300, 0.1, -0.0, 16_777_217, 3e38, -.infinity, .infinity]
        return (0..<200).map { number in
            let x =
                number % 9 == 0
                ? nil : number % 7 == 0 ? odd[number % odd.count] : Double.random(in: -50...50, using: &random)
            let y: Int64? =
                number % 11 == 0
                ? nil : number % 13 == 0 ? Int64.max - Int64(number) : Int64.random(in: -50...50, using: &random)
            return (x, y)
        }
    }

    private func check(
        _ text: String, _ points: [(x: Double?, y: Int64?)], _ fixture: Fixture, _ test: (Double, Int64) -> Bool
    ) throws {
        var expected: [Int64] = []
        for (index, point) in points.enumerated() {
            if let x = point.x, let y = point.y, test(x, y) { expected.append(Int64(index + 1)) }
        }
        #expect(try fixture.plan(text).contains("FOLIO_PLACES_NOTE_BYPLACE VIRTUAL TABLE INDEX"), "\(text)")
        #expect(try fixture.keys(text) == expected, "\(text)")
    }

    private func checkPlaces(_ fixture: Fixture) throws {
        let points = points()
        for (number, point) in points.enumerated() {
            var values: [String: PropertyValue] = [:]
            if let x = point.x { values["x"] = .double(x) }
            if let y = point.y { values["y"] = .int(y) }
            try fixture.insert(number % 2 == 0 ? "Note" : "Letter", values)
        }
        for text in ["x BETWEEN {-10, 10}", "x > 3 OR y > 3", "x > 3 AND y != 3", "NOT (x > 3 AND y > 3)"] {
            #expect(try !fixture.plan(text).contains("FOLIO_PLACES"), "\(text)")
        }
        try check("x BETWEEN {-10, 10} AND y >= -20 AND 20 > y", points, fixture) { x, y in
            x >= -10 && x <= 10 && y >= -20 && y < 20
        }
        try check("x == 0.1 AND y > -1000", points, fixture) { x, y in x == 0.1 && y > -1000 }
        try check("x > 1e200 AND y < 1000", points, fixture) { x, y in x > 1e200 && y < 1000 }
        try check("x < -1e39 AND y <= 9223372036854775807", points, fixture) { x, _ in x < -1e39 }
        try check("x > -1e9 AND y >= 9223372036854775700", points, fixture) { x, y in
            x > -1e9 && y >= 9_223_372_036_854_775_700
        }
        try check("x == 16777217 AND y != 3 AND y > -51", points, fixture) { x, y in
            x == 16_777_217 && y != 3 && y > -51
        }
    }

    @Test func placesAreFoundByTheTree() throws {
        try withStore { try checkPlaces($0) }
    }
}

extension SearchIndexTests {
    // MARK: Files

    @Test func documentsMayHaveTheIndexesAndNothingLikeThem() throws {
        try withStore(journal: .heldByDocument) { fixture in
            let key = try fixture.insert("Note", ["title": .string("dune"), "x": .double(1), "y": .int(1)])
            try fixture.reopen()
            #expect(try fixture.keys("title SEARCH 'dune'") == [key])
            #expect(try fixture.store.schemaFindings() == [])
        }
        for statement in [
            "CREATE VIRTUAL TABLE FOLIO_SEARCH_X USING fts5(a, content='ZNOTE')",
            "CREATE VIRTUAL TABLE FOLIO_PLACES_X USING rtree(id, a0, b0, +c)",
            "CREATE VIRTUAL TABLE other USING fts5(a)",
            "CREATE TABLE 'FOLIO_SEARCH_X_data'(id INTEGER PRIMARY KEY, block BLOB CHECK (1))",
        ] {
            try withTemporaryDirectory { folder in
                let fixture = try Fixture(folder, journal: .heldByDocument)
                _ = try fixture.store.checkpoint()
                try fixture.store.close()
                let connection = try Connection(fixture.url.path, .readWrite)
                try connection.execute(statement)
                try connection.close()
                let error = #expect(throws: StorageError.self, "\(statement)") {
                    try SQLitePersistentStore.open(fixture.store.description)
                }
                #expect(error?.code == .damaged, "\(statement)")
            }
        }
    }

    @Test func storesWithoutTheIndexesAreReadThrough() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(folder)
            try fixture.insert("Note", ["title": .string("dune"), "x": .double(1), "y": .int(1)])
            try fixture.store.close()
            let connection = try Connection(fixture.url.path, .readWrite)
            try connection.execute("DROP TABLE FOLIO_SEARCH_ZNOTE; DROP TABLE FOLIO_PLACES_NOTE_BYPLACE")
            try connection.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            let second = try fixture.insert("Note", ["title": .string("dune too"), "x": .double(2), "y": .int(2)])
            #expect(
                try fixture.keys("SELF SEARCH 'dune'") == [1, second] && fixture.keys("x > 1 AND y > 1") == [second])
            #expect(try fixture.plan("SELF SEARCH 'dune'").contains("SCAN t0"))
            #expect(try fixture.sql("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'FOLIO%'") == 0)
            try fixture.store.close()
        }
    }

    @Test func whatAnotherProgramWroteIsNoticed() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(folder)
            try fixture.insert("Note", ["title": .string("dune"), "x": .double(1), "y": .int(1)])
            try fixture.store.close()
            let connection = try Connection(fixture.url.path, .readWrite)
            try connection.execute("UPDATE ZNOTE SET ZTITLE = 'sand', ZX = 99")
            try connection.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            #expect(
                try fixture.store.integrityFindings(isThorough: true) == [
                    "the full-text index of ZNOTE differs from 1 of its rows",
                    "the R-tree FOLIO_PLACES_NOTE_BYPLACE differs from 1 rows of ZNOTE",
                ])
            try fixture.store.close()
        }
    }
}

extension SearchIndexTests.Fixture {
    func sql(_ statement: String) throws -> Int64? {
        try Connection.reading(url.path) { try $0.value(statement)?.integer }
    }
}
