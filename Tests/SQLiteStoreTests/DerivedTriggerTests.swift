import Foundation
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// The triggers that keep derived attributes in a SQLite store (CoreDataFiles, Derived attributes).
struct DerivedTriggerTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Book",
                attributes: [
                    .init("title", .string), .init("pagesCount", .integer64, derivationExpression: "pages.@count"),
                ],
                relationships: [.init("pages", to: "Page", inverse: "book", maxCount: 0)]),
            EntityDefinition(
                "Page", attributes: [.init("words", .integer32)],
                relationships: [.init("book", to: "Book", inverse: "pages")]),
        ])
    }

    private func triggers(at url: URL) throws -> [String: String] {
        try Connection.reading(url.path) { connection in
            Dictionary(
                uniqueKeysWithValues: try connection.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
                    .map { ($0[0].text ?? "", $0[1].text ?? "") })
        }
    }

    private func write(_ sql: String, at url: URL) throws {
        let connection = try Connection(url.path, OpenOptions(.readWrite))
        try connection.execute(sql)
        try connection.close()
    }

    @discardableResult
    private func insert(
        _ store: SQLitePersistentStore, _ entity: String, _ fill: (Row, EntityDescription) -> Void = { _, _ in }
    )
        throws -> SaveReceipt
    {
        let entity = try #require(store.identity.model.entity(named: entity))
        var batch = RowBatch()
        fill(batch.appendRow(store.layouts[entity.index], key: -1, version: 0), entity)
        var changes = ChangeSet()
        changes.insertions = [ChangeSet.Insertions(entityIndex: entity.index, rows: batch)]
        return try store.apply(changes)
    }

    private func insertPage(_ store: SQLitePersistentStore, book: Int64) throws -> SaveReceipt {
        let owner = try #require(store.identity.model.entity(named: "Book")).index
        return try insert(store, "Page") { row, page in
            guard let index = page.property(named: "book")?.index else { return }
            row.setReference(ObjectReference(key: book, entityIndex: owner), row.layout.slots[index])
        }
    }

    private func count(_ store: SQLitePersistentStore, _ receipt: SaveReceipt) throws -> PropertyValue {
        try #require(receipt.derived.count == 1)
        let row = receipt.derived[0]
        return row.value(
            row.layout.slots[
                try #require(store.identity.model.entity(named: "Book")?.property(named: "pagesCount")).index])
    }

    @Test func aCountIsKeptByTriggersNamedAndSpelledLikeApples() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: Self.model())
            let found = try triggers(at: url)
            #expect(
                Set(found.keys.filter { $0.contains("pagesCount") }) == [
                    "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_INSERT",
                    "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_INCREMENT",
                    "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_DECREMENT",
                    "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE", "Z_DA_ZBOOK_Book_pagesCount_SOURCE_INSERT",
                ])
            #expect(
                found["Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE"]
                    == "CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE AFTER DELETE ON ZPAGE FOR EACH ROW WHEN (OLD.ZBOOK NOT NULL) BEGIN "
                    + "UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT - 1 WHERE Z_PK = OLD.ZBOOK; "
                    + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = OLD.ZBOOK; END"
            )
            let book = try insert(store, "Book").keys[0][0]
            #expect(try count(store, try insertPage(store, book: book)) == .int(1))
            #expect(try count(store, try insertPage(store, book: book)) == .int(2))
            try store.close()
        }
    }
}

extension DerivedTriggerTests {
    @Test func aDocumentsStoreMayHaveTheTriggersOfItsModelAndNoOthers() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            var description = PersistentStoreDescription(url: url)
            description.journal = .heldByDocument
            var store = try SQLitePersistentStore.open(description, model: Self.model())
            try store.close()
            store = try SQLitePersistentStore.open(description)
            #expect(try store.schemaFindings() == [])
            let book = try insert(store, "Book").keys[0][0]
            #expect(try count(store, try insertPage(store, book: book)) == .int(1))
            try store.close()

            let name = "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE",
                statement = try #require(try triggers(at: url)[name])
            try write("DROP TRIGGER \(name)", at: url)
            store = try SQLitePersistentStore.open(description)
            #expect(try store.schemaFindings() == ["the trigger \(name) is missing"])
            try store.close()
            // The same but for one number.
            try write(statement.replacingOccurrences(of: "ZPAGESCOUNT - 1", with: "ZPAGESCOUNT - 2"), at: url)
            let error = #expect(throws: StorageError.self) { try SQLitePersistentStore.open(description) }
            #expect(error?.code == .damaged && error?.message.contains(name) == true)
        }
    }

    @Test func aTriggerThatCallsWhatOnlyAppleHasRefusesTheChangeAndLeavesTheStore() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            var store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: Self.model())
            try store.close()
            try write(
                "CREATE TRIGGER Z_DA_x AFTER INSERT ON ZBOOK BEGIN SELECT NSCoreDataSomethingElse(NEW.Z_PK); END",
                at: url)
            store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url))
            let error = #expect(throws: StorageError.self) { try insert(store, "Book") }
            #expect(error?.code == .unsupported && error?.message.contains("NSCoreDataSomethingElse") == true)
            try store.close()
            #expect(try Connection.reading(url.path) { try $0.value("SELECT count(*) FROM ZBOOK")?.integer } == 0)
        }
    }

    /// What Folio left before it knew derived attributes: the column, without triggers and values.
    private func makeOlder(_ url: URL) throws {
        for name in try triggers(at: url).keys { try write("DROP TRIGGER \(name)", at: url) }
        try write("UPDATE ZBOOK SET ZPAGESCOUNT = NULL", at: url)
    }

    @Test(arguments: [WALPolicy.asFound, .heldByDocument])
    func anOlderStoreGetsItsTriggersAndValuesWithTheFirstSave(journal: WALPolicy) throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            var description = PersistentStoreDescription(url: url)
            description.journal = journal
            var store = try SQLitePersistentStore.open(description, model: Self.model())
            let books = try (0..<3).map { _ in try insert(store, "Book").keys[0][0] }
            for _ in 0..<4 { _ = try insertPage(store, book: books[1]) }
            try store.close()
            let original = try triggers(at: url)
            try makeOlder(url)

            func counts(_ store: SQLitePersistentStore) throws -> [PropertyValue] {
                let book = try #require(store.identity.model.entity(named: "Book"))
                let rows = try store.rows(RowRequest(entityIndex: book.index))
                return (0..<rows.count).map {
                    rows[$0].value(rows[$0].layout.slots[book.propertyIndex(named: "pagesCount") ?? 0])
                }
            }
            var reading = description
            reading.isReadOnly = true
            reading.journal = .asFound
            store = try SQLitePersistentStore.open(reading)
            #expect(try counts(store) == [.null, .null, .null])
            try store.close()
            #expect(try triggers(at: url).isEmpty)

            store = try SQLitePersistentStore.open(description)
            // A save that fails leaves the store as it was.
            var conflict = ChangeSet()
            conflict.deletions = [ChangeSet.Deletion(entityIndex: 0, key: books[0], version: 99)]
            #expect(throws: StorageError.self) { try store.apply(conflict) }
            #expect(try triggers(at: url).isEmpty)
            #expect(try count(store, try insertPage(store, book: books[0])) == .int(1))
            #expect(try counts(store) == [.int(1), .int(4), .int(0)])
            #expect(try triggers(at: url) == original && store.schemaFindings() == [])
            #expect(try count(store, try insertPage(store, book: books[1])) == .int(5))
            try store.close()
        }
    }
}

extension DerivedTriggerTests {
    @Test func twoSessionsOnAnOlderStoreMakeTheTriggersOnce() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: Self.model()).close()
            try makeOlder(url)
            let first = try SQLitePersistentStore.open(PersistentStoreDescription(url: url)),
                second = try SQLitePersistentStore.open(PersistentStoreDescription(url: url))
            let book = try insert(first, "Book").keys[0][0]
            #expect(try count(second, try insertPage(second, book: book)) == .int(1))
            #expect(try count(first, try insertPage(first, book: book)) == .int(2))
            try first.close()
            try second.close()
        }
    }

    @Test func anAttributeWithTriggersOfSomebodyElsesSpellingStaysAsItIs() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            var store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: Self.model())
            try store.close()
            try makeOlder(url)
            try write(
                "CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_INSERT AFTER INSERT ON ZPAGE BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = 77 WHERE Z_PK = NEW.ZBOOK; END",
                at: url)
            let before = try triggers(at: url)
            store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url))
            let book = try insert(store, "Book").keys[0][0]
            _ = try insertPage(store, book: book)
            try store.close()
            #expect(try triggers(at: url) == before)
            #expect(try Connection.reading(url.path) { try $0.value("SELECT ZPAGESCOUNT FROM ZBOOK")?.integer } == 77)
        }
    }
}
