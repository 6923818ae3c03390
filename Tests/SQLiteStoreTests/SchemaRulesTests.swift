import Foundation
import Schema
import SQLiteKit
import SQLiteStore
import Storage
import TestSupport
import Testing

/// What the schema of a document's store may hold.
struct SchemaRulesTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Note", attributes: [.init("title", .string), .init("check", .string, isIndexed: true)],
                    relationships: [
                        .init("parent", to: "Note", inverse: "children"),
                        .init("children", to: "Note", inverse: "parent", maxCount: 0),
                    ],
                    uniquenessConstraints: [["title"]])
            ], versionIdentifiers: ["1"])
    }

    /// What opening a store as a document's is refused with after `sql` was run on it; as a bare
    /// store it opens.
    private func refusal(_ sql: String) throws -> String? {
        try withTemporaryDirectory { folder -> String? in
            var description = PersistentStoreDescription(url: folder.appendingPathComponent("a.sqlite"))
            try SQLitePersistentStore.create(description, model: Self.model()).close()
            let connection = try Connection(description.url.path, .readWrite)
            try connection.execute(sql)
            try connection.close()
            description.isReadOnly = true
            try SQLitePersistentStore.open(description).close()
            description.journal = .heldByDocument
            do {
                try SQLitePersistentStore.open(description).close()
                return nil
            } catch let error as StorageError {
                #expect(error.code == .damaged)
                return error.message
            }
        }
    }

    @Test func whatFolioMakesAndMigratesIsPlain() throws {
        #expect(try refusal("SELECT 1") == nil)
        #expect(
            try refusal(
                "ALTER TABLE ZNOTE ADD COLUMN ZSIZE INTEGER DEFAULT -1; ALTER TABLE ZNOTE ADD COLUMN ZNAME VARCHAR DEFAULT 'it''s (a) CHECK'"
            ) == nil)
        #expect(try refusal("CREATE INDEX a ON ZNOTE (ZTITLE COLLATE BINARY DESC, Z_PK)") == nil)
        #expect(try refusal("CREATE TABLE \"odd, (name\" (a VARCHAR(255), b BLOB NOT NULL, PRIMARY KEY (a, b))") == nil)
        #expect(try refusal("ANALYZE") == nil)
    }

    @Test(arguments: [
        "CREATE VIEW a AS SELECT 1", "CREATE TRIGGER a AFTER INSERT ON ZNOTE BEGIN SELECT 1; END",
        "CREATE TABLE a (b CHECK (b > 1))",
        "CREATE TABLE a (b, c AS (b + 1))", "CREATE TABLE a (b DEFAULT (random()))",
        "CREATE TABLE a (b COLLATE NOCASE)",
        "CREATE TABLE a (b REFERENCES ZNOTE (Z_PK))", "CREATE TABLE a (b INTEGER PRIMARY KEY) WITHOUT ROWID",
        "CREATE INDEX a ON ZNOTE (abs(Z_PK))",
        "CREATE INDEX a ON ZNOTE (Z_PK) WHERE Z_OPT > 1", "CREATE INDEX a ON ZNOTE (ZTITLE COLLATE NOCASE)",
        "CREATE INDEX a ON ZNOTE (Z_PK + 1)",
        "CREATE TABLE a (b /* CHECK */)",
    ])
    func whatWouldRunCodeIsRefused(_ sql: String) throws {
        #expect(try refusal(sql)?.contains(" a: ") == true)
    }
}
