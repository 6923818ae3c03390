import Foundation
import Migration
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Migrations in place of stores that have names already which the new version needs, or other
/// names than a new store has.
struct NameClashTests {
    private func many(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
        RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 0)
    }

    /// Migrates a store of `old` that was changed by statements, and compares all objects.
    private func migrate(
        _ old: [EntityDefinition], _ new: [EntityDefinition], after statements: String, checksLayout: Bool = true,
        _ look: (Connection) throws -> Void = { _ in }
    ) throws {
        let old = try ManagedObjectModel(entities: old), new = try ManagedObjectModel(entities: new)
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 5)
            let connection = try Connection(store.url.path, .readWrite)
            try connection.execute(statements)
            try connection.close()
            let before = try store.snapshot()
            try store.migrate(from: old, to: new)
            #expect(
                try ExpectedMigration(old: old, new: new, before: before).differences(from: try store.snapshot(new))
                    == [])
            if checksLayout { try store.checkLayout(new, "") }
            try Connection.reading(store.url.path) { connection in
                #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
                try look(connection)
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func tablesThatAreNoneOfTheModelsKeepTheirRowsUnderAnotherName() throws {
        let old = [EntityDefinition("A", attributes: [.init("name", .string)])]
        let new = [
            EntityDefinition("A", attributes: [.init("name", .string)], relationships: [many("bs", "B", "as")]),
            EntityDefinition("B", relationships: [many("as", "A", "bs")]),
        ]
        try migrate(
            old, new,
            after: """
                CREATE TABLE ZB (note); INSERT INTO ZB VALUES ('kept'); CREATE TABLE ZB_OLD (x);
                CREATE TABLE Z_1BS (y); CREATE INDEX Z_1BS_Z_2BS_INDEX ON ZB (note)
                """, checksLayout: false
        ) { (connection: Connection) throws in
            #expect(try connection.rows("SELECT note FROM ZB_OLD1") == [[.text("kept")]])
            #expect(try connection.rows("SELECT * FROM Z_1BS_OLD") == [])
            #expect(try connection.rows("SELECT count(*) FROM ZB") == [[.integer(0)]])
        }
    }

    @Test func indexesOfOtherTablesKeepTheirNames() throws {
        let name = AttributeDescription("name", .string)
        try migrate(
            [EntityDefinition("A", attributes: [name])],
            [
                EntityDefinition(
                    "A", attributes: [name], uniquenessConstraints: [["name"]],
                    indexes: [.init("byName", elements: [.init(propertyName: "name")])])
            ],
            after:
                "CREATE TABLE other (x); CREATE INDEX z_a_byname ON other (x); CREATE INDEX Z_A_UNIQUE_name ON other (x)",
            checksLayout: false
        ) { (connection: Connection) throws in
            let indexes = try connection.rows(
                "SELECT tbl_name, name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'Z_A%' ORDER BY 1, 2")
            #expect(
                indexes.map { $0.compactMap(\.text) } == [
                    ["ZA", "Z_A_UNIQUE_name1"], ["ZA", "Z_A_byName1"], ["other", "Z_A_UNIQUE_name"],
                    ["other", "z_a_byname"],
                ])
        }
    }

    @Test func aViewInTheWayIsNamed() throws {
        let error = #expect(throws: StorageError.self) {
            try migrate(
                [EntityDefinition("A")], [EntityDefinition("A"), EntityDefinition("B")],
                after: "CREATE VIEW ZB AS SELECT 1")
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("view ZB") == true)
    }

    /// Artworks in albums, at locations and in shows. `first` is an entity that moves all numbers.
    private func gallery(first: String?) -> [EntityDefinition] {
        (first.map { [EntityDefinition($0, attributes: [.init("name", .string)])] } ?? []) + [
            EntityDefinition("Album", relationships: [many("artworks", "Artwork", "collections")]),
            EntityDefinition(
                "Artwork", attributes: [.init("title", .string)],
                relationships: [
                    many("collections", "Album", "artworks"), many("locations", "Location", "artworks"),
                    many("shows", "Show", "artworks"),
                ]),
            EntityDefinition("Location", relationships: [many("artworks", "Artwork", "locations")]),
            EntityDefinition("Show", relationships: [many("artworks", "Artwork", "shows")]),
        ]
    }

    @Test func joinTablesOfOtherColumnNamesAreMigrated() throws {
        let swap = """
            ALTER TABLE Z_2SHOWS RENAME COLUMN Z_2ARTWORKS2 TO Z_2ARTWORKS1;
            ALTER TABLE Z_2LOCATIONS RENAME COLUMN Z_2ARTWORKS1 TO Z_2ARTWORKS2;
            """
        try migrate(gallery(first: nil), gallery(first: "Aardvark"), after: swap)
        try migrate(
            gallery(first: nil), gallery(first: "Aardvark"),
            after: swap + "ALTER TABLE Z_2SHOWS ADD COLUMN Z_3ARTWORKS2")
        try migrate(gallery(first: "Aardvark"), gallery(first: nil), after: "")
    }

    /// A hierarchy in which each sub-entity has the names of all others.
    private func notes(_ names: [String], was: [String: String] = [:]) -> [EntityDefinition] {
        let attributes = (0..<12).flatMap { number in
            [
                AttributeDescription("name\(number)", .string), AttributeDescription("date\(number)", .date),
                AttributeDescription("count\(number)", .integer64),
            ]
        }
        return [EntityDefinition("Item", attributes: [.init("name", .string)])]
            + names.map { name in
                EntityDefinition(
                    name, superentityName: "Item", attributes: attributes,
                    relationships: [
                        RelationshipDescription("account", to: names[0]), RelationshipDescription("parent", to: "Item"),
                        many("links", names[0], "links\(name)"),
                    ] + (name == names[0] ? names.map { many("links\($0)", $0, "links") } : []),
                    indexes: [.init("byName", elements: [.init(propertyName: "name0")])],
                    renamingIdentifier: was[name])
            }
    }

    @Test func siblingsWithTheSameNamesChangePlaces() throws {
        try migrate(
            notes(["Folder", "Note", "Tag", "Token"]), notes(["Folder", "Alias", "Note", "Token", "Zone"]), after: "")
        try migrate(
            notes(["Folder", "Note", "Tag"]),
            notes(["Folder", "Paper", "Label"], was: ["Paper": "Tag", "Label": "Note"]),
            after: "")
    }

    @Test func aTableWithoutEntityNumbersOfItsReferencesGetsThem() throws {
        let names = ["Folder", "Note"]
        try migrate(
            notes(names), notes(["Folder", "Alias", "Note"]),
            after: """
                DROP INDEX IF EXISTS Z1; ALTER TABLE ZITEM DROP COLUMN Z1_PARENT; ALTER TABLE ZITEM DROP COLUMN Z1_PARENT1;
                """)
    }
}
