import Query
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import Testing

/// How SQLite runs the statements: with the indexes that the model asks for.
struct QueryPlanTests {
    let data: LibraryData

    init() throws {
        var random = SeededGenerator(seed: 1)
        data = try LibraryData(&random, size: 10)
    }

    private func plan(_ text: String?, entity name: String = "Item", order: [SortKey] = [], limit: Int? = nil) throws
        -> [String]
    {
        let entity = try #require(data.model.entity(named: name))
        let predicate = try text.map {
            try FetchPredicate(format: $0).validated(against: entity, in: data.model, store: data.identity)
        }
        let request = RowRequest(
            entityIndex: entity.index, selection: .matching(predicate), sortKeys: order, limit: limit)
        let select = try SQLTranslation.translate(request, layout: data.layout, identity: data.identity).statement
            .selecting(["t0.*"])
        return try data.connection.rows("EXPLAIN QUERY PLAN " + select.text, select.arguments).map { $0[3].text ?? "" }
    }

    @Test func anIndexedAttributeIsSearched() throws {
        for text in [
            "title == 'a'", "title IN {'a', 'b'}", "title BEGINSWITH 'a'", "title LIKE 'a*b'", "title > 'a'",
            "title BETWEEN {'a', 'b'}", "title == nil",
            "rank == 3 AND title == 'a'",
        ] {
            let plan = try plan(text)
            #expect(plan.first?.hasPrefix("SEARCH t0 USING INDEX Z_Item_title") == true, "\(text): \(plan)")
        }
        #expect(
            try plan("title IN {'a','b','c','d','e','f','g','h','i','j','k','l','m','n','o','p','q'}").first?.contains(
                "Z_Item_title") == true)
        #expect(try plan("noindex(title) == 'a'").first?.hasPrefix("SCAN") == true)
    }

    @Test func anIndexedAttributeIsSearchedForSubentitiesToo() throws {
        #expect(try plan("title == 'a'", entity: "Book") == ["SEARCH t0 USING INDEX Z_Item_title (ZTITLE=?)"])
        #expect(try plan(nil, entity: "Book") == ["SEARCH t0 USING INDEX ZITEM_Z_ENT_INDEX (Z_ENT=?)"])
    }

    @Test func referencesAndPathsAreSearched() throws {
        #expect(try plan("author == 'Person/p3'").first?.contains("ZITEM_ZAUTHOR_INDEX") == true)
        #expect(try plan("SELF == 'Item/p3'").first?.contains("INTEGER PRIMARY KEY") == true)
        // From the author to the items, not the other way round.
        let path = try plan("author.name == 'a'")
        #expect(
            path.first?.contains("Z_Person_name") == true && path.last?.contains("ZITEM_ZAUTHOR_INDEX") == true,
            "\(path)")
    }

    @Test func anOrderOfAnIndexNeedsNoSorting() throws {
        let plan = try plan("rank > 3", order: [SortKey("year")], limit: 10)
        #expect(plan.count == 1 && plan[0].hasPrefix("SCAN t0 USING INDEX Z_Item_year"), "\(plan)")
        let books = try self.plan(nil, entity: "Book", order: [SortKey("year")], limit: 10)
        #expect(books.count == 1 && books[0].hasPrefix("SCAN t0 USING INDEX Z_Item_year"), "\(books)")
    }

    @Test func toManyQuestionsSearchTheMembers() throws {
        #expect(try plan("ANY children.year > 3").contains { $0.contains("ZITEM_ZPARENT_INDEX") })
        #expect(try plan("tags.@count > 3").contains { $0.hasPrefix("SEARCH t1") })
    }
}
