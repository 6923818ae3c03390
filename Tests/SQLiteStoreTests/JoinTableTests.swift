import Foundation
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Join tables whose names are not those that Folio would choose.
struct JoinTableTests {
    /// Artworks in albums, at locations and in shows, which all call them artworks.
    private func gallery(wing: String? = nil) throws -> ManagedObjectModel {
        func many(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
            RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 0)
        }
        return try ManagedObjectModel(entities: [
            EntityDefinition("Album", relationships: [many("artworks", "Artwork", "collections")]),
            EntityDefinition(
                "Artwork", attributes: [.init("title", .string)],
                relationships: [
                    many("collections", "Album", "artworks"), many("locations", "Location", "artworks"),
                    many("shows", "Show", "artworks"),
                ]),
            EntityDefinition("Location", relationships: [many("artworks", "Artwork", "locations")]),
            EntityDefinition("Show", relationships: [many("artworks", "Artwork", "shows")]),
        ])
    }

    private func catalog(_ model: ManagedObjectModel, _ joins: [StoreCatalog.Table]) -> StoreCatalog {
        let roots = model.entities.map { entity in
            StoreCatalog.Table(
                name: "Z" + entity.name.uppercased(),
                columns: ["Z_PK", "Z_ENT", "Z_OPT"] + entity.attributes.map { "Z" + $0.name.uppercased() })
        }
        return StoreCatalog(
            tables: roots + joins,
            entities: model.entities.map { .init(number: Int64($0.index + 1), name: $0.name, parent: 0) })
    }

    private func join(_ layout: StoreLayout, _ entity: String, _ property: String) throws -> [String] {
        let entity = try #require(layout.model.entity(named: entity))
        let index = try #require(entity.property(named: property)).index
        guard case .manyToMany(let join) = try layout.storage(of: entity.index).properties[index] else { return [] }
        return [join.table, join.ownerColumn, join.memberColumn]
            + [join.memberOrder, join.ownerOrder].compactMap { $0 }
    }

    @Test func theNumberOfAColumnSaysNothing() throws {
        let model = try gallery()
        for (shows, locations) in [("1", "2"), ("2", "1"), ("", "1"), ("7", "")] {
            let layout = try StoreLayout.reading(
                model,
                from: catalog(
                    model,
                    [
                        .init(name: "Z_1ARTWORKS", columns: ["Z_1COLLECTIONS", "Z_2ARTWORKS"]),
                        .init(name: "Z_2LOCATIONS", columns: ["Z_2ARTWORKS\(locations)", "Z_3LOCATIONS"]),
                        .init(name: "Z_2SHOWS", columns: ["Z_4SHOWS", "Z_2ARTWORKS\(shows)"]),
                    ]))
            #expect(layout.missing == [])
            #expect(
                try join(layout, "Artwork", "shows") == ["Z_2SHOWS", "Z_2ARTWORKS\(shows)", "Z_4SHOWS"])
            #expect(
                try join(layout, "Location", "artworks") == ["Z_2LOCATIONS", "Z_3LOCATIONS", "Z_2ARTWORKS\(locations)"])
            #expect(try join(layout, "Artwork", "collections") == ["Z_1ARTWORKS", "Z_2ARTWORKS", "Z_1COLLECTIONS"])
        }
    }

    @Test func oneEndsColumnIsTheOneThatIsLeft() throws {
        let model = try gallery()
        let layout = try StoreLayout.reading(
            model,
            from: catalog(
                model,
                [
                    .init(name: "Z_1ARTWORKS", columns: ["Z_2ARTWORKS3", "Z_1COLLECTIONS4"]),
                    .init(name: "Z_2LOCATIONS", columns: ["Z_2PICTURES", "Z_3LOCATIONS"]),
                    .init(name: "Z_2SHOWS", columns: ["Z_2ARTWORKS", "Z_4EXHIBITIONS"]),
                ]))
        #expect(layout.missing == [])
        #expect(try join(layout, "Artwork", "locations") == ["Z_2LOCATIONS", "Z_2PICTURES", "Z_3LOCATIONS"])
        #expect(try join(layout, "Artwork", "shows") == ["Z_2SHOWS", "Z_2ARTWORKS", "Z_4EXHIBITIONS"])
        #expect(try join(layout, "Album", "artworks") == ["Z_1ARTWORKS", "Z_1COLLECTIONS4", "Z_2ARTWORKS3"])
    }

    @Test func aTableOfFormerEntityNumbersIsKnownByItsColumns() throws {
        let model = try gallery()
        let layout = try StoreLayout.reading(
            model,
            from: catalog(
                model,
                [
                    .init(name: "Z_1ARTWORKS", columns: ["Z_1COLLECTIONS", "Z_2ARTWORKS"]),
                    .init(name: "Z_5LOCATIONS", columns: ["Z_5ARTWORKS1", "Z_6LOCATIONS"]),
                    .init(name: "Z_2SHOWS", columns: ["Z_2ARTWORKS2", "Z_4SHOWS"]),
                ]))
        #expect(layout.missing == [])
        #expect(try join(layout, "Artwork", "locations") == ["Z_5LOCATIONS", "Z_5ARTWORKS1", "Z_6LOCATIONS"])
    }

    @Test func aMissingTableCostsItsRelationshipOnly() throws {
        let model = try gallery()
        let layout = try StoreLayout.reading(
            model,
            from: catalog(
                model,
                [
                    .init(name: "Z_1ARTWORKS", columns: ["Z_1COLLECTIONS", "Z_2ARTWORKS"]),
                    .init(name: "Z_2SHOWS", columns: ["Z_2ARTWORKS2", "Z_4SHOWS"]),
                ]))
        #expect(try join(layout, "Artwork", "locations") == [])
        #expect(try join(layout, "Location", "artworks") == [])
        #expect(try join(layout, "Artwork", "shows") == ["Z_2SHOWS", "Z_2ARTWORKS2", "Z_4SHOWS"])
        #expect(
            layout.missing.map(\.message).filter { !$0.isEmpty } == [
                "the table Z_2LOCATIONS of Artwork.locations is missing"
            ])
    }

    @Test func aPairWithinAnEntityIsNamedAfterEither() throws {
        func many(_ name: String, _ inverse: String, isOrdered: Bool = false) -> RelationshipDescription {
            RelationshipDescription(name, to: "Person", inverse: inverse, maxCount: 0, isOrdered: isOrdered)
        }
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person",
                relationships: [
                    many("fans", "idols", isOrdered: true), many("idols", "fans"), many("friends", "friends"),
                ])
        ])
        for (table, suffix) in [("Z_1IDOLS", ""), ("Z_1FANS", ""), ("Z_1FANS", "1")] {
            let layout = try StoreLayout.reading(
                model,
                from: catalog(
                    model,
                    [
                        .init(name: table, columns: ["Z_1FANS\(suffix)", "Z_1IDOLS", "Z_FOK_1FANS\(suffix)"]),
                        .init(name: "Z_1FRIENDS", columns: ["REFLEXIVE", "Z_1FRIENDS"]),
                    ]))
            #expect(layout.missing == [])
            #expect(
                try join(layout, "Person", "fans") == [table, "Z_1IDOLS", "Z_1FANS\(suffix)", "Z_FOK_1FANS\(suffix)"])
            #expect(try join(layout, "Person", "friends") == ["Z_1FRIENDS", "Z_1FRIENDS", "REFLEXIVE"])
        }
    }

    @Test func formerNamesFindATable() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Post",
                relationships: [.init("tags", to: "Tag", inverse: "posts", maxCount: 0, renamingIdentifier: "labels")]),
            EntityDefinition(
                "Tag",
                relationships: [.init("posts", to: "Post", inverse: "tags", maxCount: 0, renamingIdentifier: "notes")]),
        ])
        let layout = try StoreLayout.reading(
            model, from: catalog(model, [.init(name: "Z_1LABELS", columns: ["Z_1NOTES", "Z_2LABELS"])]))
        #expect(try join(layout, "Post", "tags") == ["Z_1LABELS", "Z_1NOTES", "Z_2LABELS"])
    }

    /// Models whose names clash in every way: case, digits at the end, several inverses of one
    /// name.
    private func clashes() throws -> ManagedObjectModel {
        func many(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
            RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 0)
        }
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "A",
                relationships: [
                    many("a", "B", "x"), many("x1", "A", "x"), many("x", "A", "x1"), many("tags", "B", "as"),
                    many("TAGS", "B", "AS"),
                ]),
            EntityDefinition(
                "B",
                relationships: [
                    many("x", "A", "a"), many("as", "A", "tags"), many("AS", "A", "TAGS"), many("y", "B", "Y"),
                    many("Y", "B", "y"),
                ]),
        ])
    }

    @Test func aNewStoreIsReadAsItWasMade() throws {
        for model in [try gallery(), try clashes()] {
            try withTemporaryDirectory { folder in
                let url = folder.appendingPathComponent("Store.sqlite")
                let made = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: model)
                let layout = made.layout
                try made.close()
                let read = try SQLitePersistentStore.open(PersistentStoreDescription(url: url))
                defer { try? read.close() }
                #expect(read.layout.missing == [])
                #expect(read.layout.storedEntities == layout.storedEntities)
                var tables: Set<String> = []
                for storage in layout.storedEntities {
                    for case .manyToMany(let join) in storage.properties { tables.insert(join.table) }
                }
                #expect(tables.count == (model.entity(named: "A") == nil ? 3 : 5))
            }
        }
    }
}

/// Stores that lack a part of what their model names.
struct MissingPartTests {
    private func damage(_ fixture: StoreFixture, _ statements: String) throws {
        try fixture.store.close()
        let connection = try Connection(fixture.url.path, .readWrite)
        try connection.execute(statements)
        try connection.close()
        fixture.store = try SQLitePersistentStore.open(PersistentStoreDescription(url: fixture.url))
    }

    @Test func aMissingColumnCostsItsAttribute() throws {
        try StoreFixture.run { fixture in
            let key = try fixture.insert("Person", ["name": .string("Ada")])
            let book = try fixture.insert("Disc", ["title": .string("Notes"), "code": .string("c")])
            try damage(fixture, "DROP INDEX Z_Item_byTitle; ALTER TABLE ZITEM DROP COLUMN ZTITLE")
            #expect(fixture.store.missingParts == ["the column ZITEM.ZTITLE of Item.title is missing"])
            #expect(try fixture.value("Person", key, "name") == .string("Ada"))
            #expect(try fixture.value("Disc", book, "title") == .null)
            #expect(try fixture.value("Disc", book, "code") == .string("c"))
            // What has a place is written, what has none is refused.
            var changes = ChangeSet()
            changes.updates = [try fixture.update("Disc", book, ["code": .string("d")])]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.value("Disc", book, "code") == .string("d"))
            changes.updates = [try fixture.update("Disc", book, ["title": .string("Lost")])]
            let error = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("Disc.title") == true)
        }
    }

    @Test func aMissingJoinTableCostsItsLinks() throws {
        try StoreFixture.run { fixture in
            let item = try fixture.insert("Disc"), tag = try fixture.insert("Tag")
            try damage(fixture, "DROP TABLE Z_2TAGS")
            #expect(fixture.store.missingParts == ["the table Z_2TAGS of Item.tags is missing"])
            #expect(try fixture.members("Disc", item, "tags") == [])
            var changes = ChangeSet()
            changes.links = [fixture.link("Disc", "tags", item, fixture.reference("Tag", tag))]
            let error = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(error?.code == .unsupported)
            changes.links = []
            changes.deletions = [
                ChangeSet.Deletion(entityIndex: fixture.entity("Tag").index, key: tag, version: 1)
            ]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.rows("Tag").count == 0)
        }
    }

    @Test func aMissingTableCostsItsEntity() throws {
        try StoreFixture.run { fixture in
            let key = try fixture.insert("Person", ["name": .string("Ada")])
            try damage(fixture, "DROP TABLE ZITEM")
            #expect(fixture.store.missingParts == ["the table ZITEM of Item is missing"])
            #expect(try fixture.value("Person", key, "name") == .string("Ada"))
            #expect(try fixture.rows("Book").count == 0)
            #expect(try fixture.store.count(RowRequest(entityIndex: fixture.entity("Item").index)) == 0)
            var changes = ChangeSet()
            changes.insertions = [fixture.insertion("Book", -1, ["title": .string("Lost")])]
            let error = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(error?.code == .unsupported)
        }
    }

    @Test func aStoreWithoutAnyTableOfItsModelIsDamaged() throws {
        try StoreFixture.run { fixture in
            let tables = ["BADGE", "ITEM", "PERSON", "SHELF", "TAG"].map { "DROP TABLE Z\($0);" }.joined()
            let error = #expect(throws: StorageError.self) { try damage(fixture, tables) }
            #expect(error?.code == .damaged)
            fixture.store = try SQLitePersistentStore.open(
                PersistentStoreDescription(url: URL(fileURLWithPath: fixture.url.path + "2")), model: fixture.model)
        }
    }

    @Test func indexesAndColumnsThatNoModelNamesAreNoObstacle() throws {
        try StoreFixture.run { fixture in
            let key = try fixture.insert("Person", ["name": .string("Ada")])
            try damage(
                fixture,
                "ALTER TABLE ZPERSON ADD COLUMN ZOLD; CREATE TABLE ZGONE (Z_PK INTEGER PRIMARY KEY); DROP INDEX ZITEM_Z_ENT_INDEX"
            )
            #expect(fixture.store.missingParts == [])
            #expect(try fixture.value("Person", key, "name") == .string("Ada"))
        }
    }
}
