import Foundation
import Migration
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Derived attributes that come, go and are made of something that is called otherwise, in a store
/// that is migrated in place.
struct DerivedMigrationTests {
    private static func model(_ title: String, counts: Bool) throws -> ManagedObjectModel {
        let count = counts ? [AttributeDescription("pagesCount", .integer64, derivationExpression: "pages.@count")] : []
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Book",
                attributes: [
                    .init(title, .string, renamingIdentifier: title == "title" ? nil : "title"),
                    .init("sorted", .string, derivationExpression: "canonical:(\(title))"),
                ] + count,
                relationships: [.init("pages", to: "Page", inverse: "book", maxCount: 0)]),
            EntityDefinition(
                "Page", attributes: [.init("words", .integer32)],
                relationships: [.init("book", to: "Book", inverse: "pages")]),
        ])
    }

    private func value(_ sql: String, _ url: URL) throws -> SQLiteValue? {
        try Connection.reading(url.path) { try $0.value(sql) }
    }

    private func triggerCount(_ name: String, _ url: URL) throws -> Int64? {
        try value("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%\(name)%'", url)?.integer
    }

    /// Adds a page to the book, and returns what became of the book.
    private func addPage(_ model: ManagedObjectModel, _ url: URL) throws -> RowBatch {
        let store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: model)
        #expect(try store.schemaFindings() == [])
        let book = try #require(model.entity(named: "Book")), page = try #require(model.entity(named: "Page"))
        var batch = RowBatch()
        let row = batch.appendRow(store.layouts[page.index], key: -1, version: 0)
        row.setReference(
            ObjectReference(key: 1, entityIndex: book.index),
            row.layout.slots[try #require(page.property(named: "book")).index])
        var changes = ChangeSet()
        changes.insertions = [ChangeSet.Insertions(entityIndex: page.index, rows: batch)]
        let receipt = try store.apply(changes)
        try store.close()
        return receipt.derived
    }

    @Test func triggersComeAndGoWithTheirAttributesAndFollowRenames() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let plain = try Self.model("title", counts: false), counting = try Self.model("title", counts: true)
            let renamed = try Self.model("name", counts: true), last = try Self.model("name", counts: false)
            let store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: plain)
            let book = try #require(plain.entity(named: "Book"))
            var batch = RowBatch()
            let row = batch.appendRow(store.layouts[book.index], key: -1, version: 0)
            #expect(row.setValue(.string("Éa"), row.layout.slots[try #require(book.property(named: "title")).index]))
            var changes = ChangeSet()
            changes.insertions = [ChangeSet.Insertions(entityIndex: book.index, rows: batch)]
            #expect(try store.apply(changes).keys == [[1]])
            try store.close()
            for _ in 0..<3 { #expect(try addPage(plain, url).isEmpty) }
            let migrated = MigratedStore(url: url)

            // What is new is computed for the rows that are there.
            try migrated.migrate(from: plain, to: counting)
            #expect(try value("SELECT ZPAGESCOUNT FROM ZBOOK", url) == .integer(3))
            #expect(try addPage(counting, url).count == 1)
            #expect(try value("SELECT ZPAGESCOUNT FROM ZBOOK", url) == .integer(4))
            try migrated.checkLayout(counting, "counting")

            try migrated.migrate(from: counting, to: renamed)
            #expect(try addPage(renamed, url).count == 1)
            #expect(try value("SELECT ZPAGESCOUNT FROM ZBOOK", url) == .integer(5))
            #expect(
                try value("SELECT sql FROM sqlite_schema WHERE name = 'Z_DA_ZBOOK_Book_sorted_SOURCE_UPDATE'", url)?
                    .text?.contains("UPDATE OF ZNAME ON ZBOOK") == true)
            #expect(try value("SELECT ZSORTED FROM ZBOOK", url) == .text("ea"))

            try migrated.migrate(from: renamed, to: last)
            #expect(try triggerCount("pagesCount", url) == 0 && triggerCount("sorted", url) == 2)
            #expect(try addPage(last, url).isEmpty)
            #expect(try value("SELECT count(*) FROM ZPAGE WHERE ZBOOK = 1", url) == .integer(6))
        }
    }
}
