import Foundation
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

struct WritingTests {
    @Test func everyAttributeTypeComesBackAsItWas() throws {
        let uuid = UUID()
        let values: [String: [String: PropertyValue]] = [
            "Book": [
                "title": .string("Dune 🏜 'quoted' \"too\""),
                "created": .date(Date(timeIntervalSinceReferenceDate: 12345.678)), "code": .int(.min),
                "price": .decimal(Decimal(string: "10.11") ?? 0), "notes": .data(Data([0, 1, 255])),
                "kind": .int(-32768),
            ],
            "Disc": [
                "code": .string(""), "seconds": .double(1.0 / 3), "gain": .float(5.8), "isLive": .bool(true),
                "created": .date(Date(timeIntervalSinceReferenceDate: 7)),
            ],
            "Person": [
                "uuid": .uuid(uuid), "site": .uri(try #require(URL(string: "https://example.org/a%20b?c=d"))),
                "small": .int(Int64(Int32.max)),
            ],
            "Shelf": ["name": .string("s"), "place": .composite(["floor": .int(2), "room": .string("b")])],
        ]
        try StoreFixture.run { fixture in
            var keys: [String: Int64] = [:]
            for (name, values) in values { keys[name] = try fixture.insert(name, values) }
            try fixture.reopen(readOnly: true)
            for (name, values) in values {
                for property in fixture.entity(name).attributes where !property.isTransient {
                    let stored = try fixture.value(name, keys[name] ?? 0, property.name)
                    #expect(stored == values[property.name] ?? .null, "\(name).\(property.name)")
                }
            }
        }
    }

    @Test func valuesStandInTheFileAsCoreDataWritesThem() throws {
        try StoreFixture.run { fixture in
            let uuid = try #require(UUID(uuidString: "6F0C1B2A-0000-4000-8000-000000000001"))
            let person = try fixture.insert("Person", ["uuid": .uuid(uuid)])
            try fixture.insert(
                "Disc",
                ["isLive": .bool(true), "created": .date(Date(timeIntervalSinceReferenceDate: 7)), "gain": .float(0.5)])
            try fixture.insert("Book", ["price": .decimal(Decimal(string: "10.11") ?? 0)])
            #expect(
                try fixture.sql("SELECT Z_ENT, Z_OPT, hex(ZUUID) FROM ZPERSON") == [
                    [.integer(5), .integer(1), .text("6F0C1B2A000040008000000000000001")]
                ])
            #expect(
                try fixture.sql("SELECT typeof(ZISLIVE), typeof(ZCREATED), typeof(ZGAIN) FROM ZITEM WHERE Z_ENT = 4")
                    == [[.text("integer"), .text("integer"), .text("real")]])
            #expect(try fixture.sql("SELECT ZPRICE FROM ZITEM WHERE Z_ENT = 3") == [[.real(10.11)]])
            #expect(
                try fixture.sql(
                    "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Item', 'Book', 'Disc', 'Person') ORDER BY Z_ENT")
                    == [[.integer(2)], [.integer(0)], [.integer(0)], [.integer(person)]])
        }
    }

    @Test func subentitiesShareATableAndAreReadAsWhatTheyAre() throws {
        try StoreFixture.run { fixture in
            try fixture.insert("Book", ["title": .string("b"), "code": .int(1)])
            try fixture.insert("Disc", ["title": .string("d"), "code": .string("x")])
            let rows = try fixture.rows("Item")
            #expect((0..<rows.count).map { fixture.model.entities[rows[$0].entityIndex].name } == ["Book", "Disc"])
            #expect(try fixture.rows("Book").count == 1)
            #expect(try fixture.store.count(RowRequest(entityIndex: fixture.entity("Item").index)) == 2)
            #expect(
                try fixture.store.count(
                    RowRequest(entityIndex: fixture.entity("Item").index, includesSubentities: false)) == 0)
        }
    }
}

extension WritingTests {
    @Test func temporaryNumbersAreReplacedEverywhere() throws {
        try StoreFixture.run { fixture in
            var changes = ChangeSet()
            changes.insertions = [
                fixture.insertion("Shelf", -1, ["name": .string("s")], ["featured": fixture.reference("Disc", -3)]),
                fixture.insertion("Disc", -3, [:], ["shelf": fixture.reference("Shelf", -1)]),
                fixture.insertion("Book", -7, [:], ["shelf": fixture.reference("Shelf", -1)]),
                fixture.insertion("Tag", -9),
            ]
            changes.links = [fixture.link("Disc", "tags", -3, fixture.reference("Tag", -9))]
            changes.orders = [
                fixture.order("Shelf", "items", -1, [fixture.reference("Book", -7), fixture.reference("Disc", -3)])
            ]
            let receipt = try fixture.store.apply(changes)
            let (shelf, disc, book, tag) = (
                receipt.keys[0][0], receipt.keys[1][0], receipt.keys[2][0], receipt.keys[3][0]
            )
            try fixture.reopen(readOnly: true)
            #expect(try fixture.reference("Shelf", shelf, "featured") == fixture.reference("Disc", disc))
            #expect(
                try fixture.members("Shelf", shelf, "items") == [
                    fixture.reference("Book", book), fixture.reference("Disc", disc),
                ])
            #expect(try fixture.members("Disc", disc, "tags") == [fixture.reference("Tag", tag)])
            #expect(try fixture.members("Tag", tag, "items") == [fixture.reference("Disc", disc)])
        }
    }

    @Test func manyToManyLinksComeAndGoFromBothSides() throws {
        try StoreFixture.run { fixture in
            let people = try (0..<3).map { _ in try fixture.insert("Person") }
            let book = try fixture.insert("Book")
            func apply(_ links: ChangeSet.Link...) throws {
                var changes = ChangeSet()
                changes.links = links
                _ = try fixture.store.apply(changes)
            }
            try apply(
                fixture.link("Book", "authors", book, fixture.reference("Person", people[0])),
                fixture.link("Person", "books", people[1], fixture.reference("Book", book)),
                fixture.link("Person", "friends", people[0], fixture.reference("Person", people[1])),
                fixture.link("Person", "follows", people[2], fixture.reference("Person", people[0])))
            #expect(try fixture.members("Book", book, "authors").map(\.key) == [people[0], people[1]])
            #expect(try fixture.members("Person", people[1], "books").map(\.key) == [book])
            #expect(try fixture.members("Person", people[0], "friends").map(\.key) == [people[1]])
            #expect(try fixture.members("Person", people[1], "friends").map(\.key) == [people[0]])
            #expect(try fixture.members("Person", people[0], "followers").map(\.key) == [people[2]])
            #expect(try fixture.members("Person", people[0], "follows").isEmpty)
            // The same link named from the other side is still one.
            try apply(fixture.link("Person", "friends", people[1], fixture.reference("Person", people[0])))
            #expect(try fixture.sql("SELECT count(*) FROM Z_5FRIENDS") == [[.integer(1)]])
            try apply(
                fixture.link("Person", "friends", people[1], fixture.reference("Person", people[0]), isAdded: false),
                fixture.link("Person", "books", people[0], fixture.reference("Book", book), isAdded: false))
            #expect(try fixture.members("Person", people[0], "friends").isEmpty)
            #expect(try fixture.members("Book", book, "authors").map(\.key) == [people[1]])
        }
    }
}

extension WritingTests {
    @Test func aRelationshipWithoutAnInverseIsKept() throws {
        try StoreFixture.run { fixture in
            let (person, badge) = (try fixture.insert("Person"), try fixture.insert("Badge"))
            var changes = ChangeSet()
            changes.links = [fixture.link("Person", "badges", person, fixture.reference("Badge", badge))]
            _ = try fixture.store.apply(changes)
            try fixture.reopen()
            #expect(try fixture.members("Person", person, "badges") == [fixture.reference("Badge", badge)])
            changes.links[0].isAdded = false
            _ = try fixture.store.apply(changes)
            #expect(try fixture.members("Person", person, "badges").isEmpty)
        }
    }

    @Test func aMemberThatNoOrderPlacesComesLast() throws {
        try StoreFixture.run { fixture in
            let shelf = try fixture.insert("Shelf", ["name": .string("s")])
            let books = try (0..<3).map { _ in
                try fixture.insert("Book", [:], ["shelf": fixture.reference("Shelf", shelf)])
            }
            #expect(try fixture.members("Shelf", shelf, "items").map(\.key) == books)
            #expect(
                try fixture.sql("SELECT Z_FOK_SHELF FROM ZITEM ORDER BY Z_PK") == [
                    [.integer(2048)], [.integer(3072)], [.integer(4096)],
                ])
            let other = try fixture.insert("Shelf", ["name": .string("o")])
            var changes = ChangeSet()
            changes.updates = [try fixture.update("Book", books[0], [:], ["shelf": fixture.reference("Shelf", other)])]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.members("Shelf", shelf, "items").map(\.key) == [books[1], books[2]])
            #expect(try fixture.members("Shelf", other, "items").map(\.key) == [books[0]])
            changes.updates = [try fixture.update("Book", books[1], ["title": .string("t")], ["shelf": nil])]
            _ = try fixture.store.apply(changes)
            #expect(
                try fixture.sql("SELECT ZSHELF, Z_FOK_SHELF, Z_OPT FROM ZITEM WHERE Z_PK = \(books[1])") == [
                    [.null, .null, .integer(2)]
                ])
        }
    }

    @Test func manyUnplacedMembersAreNoMoreWorkEach() throws {
        try StoreFixture.run { fixture in
            let shelf = try fixture.insert("Shelf", ["name": .string("s")])
            var batch = RowBatch()
            for number in 1...20_000 {
                let row = batch.appendRow(
                    fixture.store.layouts[fixture.entity("Book").index], key: Int64(-number), version: 0)
                fixture.set([:], ["shelf": fixture.reference("Shelf", shelf)], in: row, "Book")
            }
            var changes = ChangeSet()
            changes.insertions = [.init(entityIndex: fixture.entity("Book").index, rows: batch)]
            let keys = try fixture.store.apply(changes).keys[0]
            #expect(try fixture.members("Shelf", shelf, "items").map(\.key) == keys)
            #expect(
                try fixture.sql("SELECT min(Z_FOK_SHELF), max(Z_FOK_SHELF) FROM ZITEM") == [
                    [.integer(2048), .integer(2048 + 1024 * 19_999)]
                ])
        }
    }

    @Test func anUpdateTouchesTheChangedColumnsAndTheVersionAlone() throws {
        try StoreFixture.run { fixture in
            let disc = try fixture.insert("Disc", ["title": .string("a"), "code": .string("c")])
            var changes = ChangeSet()
            var update = try fixture.update("Disc", disc, ["title": .string("b")])
            // What is not said to have changed is not written, whatever the row says.
            _ = update.rows[0].setValue(.string("other"), update.rows[0].layout.slots[fixture.property("Disc", "code")])
            changes.updates = [update]
            _ = try fixture.store.apply(changes)
            #expect(
                try fixture.sql("SELECT Z_OPT, ZTITLE, ZCODE1 FROM ZITEM") == [[.integer(2), .text("b"), .text("c")]])
            update = try fixture.update("Disc", disc)
            changes.updates = [update]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.row("Disc", disc).version == 3)
        }
    }
}

extension WritingTests {
    @Test func allConflictsAreFoundAndNothingIsWritten() throws {
        try StoreFixture.run { fixture in
            let tags = try (0..<4).map { try fixture.insert("Tag", ["word": .string("\($0)")]) }
            var changes = ChangeSet()
            changes.insertions = [fixture.insertion("Tag", -1, ["word": .string("new")])]
            changes.updates = [
                try fixture.update("Tag", tags[0], ["word": .string("x")]),
                try fixture.update("Tag", tags[1], version: 9, ["word": .string("y")]),
            ]
            changes.deletions = [
                .init(entityIndex: fixture.entity("Tag").index, key: tags[2], version: 1),
                .init(entityIndex: fixture.entity("Tag").index, key: 99, version: 1),
            ]
            let error = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(error?.code == .conflict)
            #expect(error?.conflicts.map(\.object.key) == [tags[1], 99])
            #expect(error?.conflicts.map(\.storedVersion) == [1, 0])
            #expect(
                try fixture.sql("SELECT ZWORD, Z_OPT FROM ZTAG ORDER BY Z_PK").map(\.[0].text) == ["0", "1", "2", "3"])
            #expect(try fixture.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == [[.integer(4)]])
        }
    }

    @Test func deletedRowsAreGone() throws {
        try StoreFixture.run { fixture in
            let tags = try (0..<3).map { _ in try fixture.insert("Tag") }
            var changes = ChangeSet()
            changes.deletions = tags.dropLast().map {
                .init(entityIndex: fixture.entity("Tag").index, key: $0, version: 1)
            }
            _ = try fixture.store.apply(changes)
            let rows = try fixture.rows("Tag")
            #expect((0..<rows.count).map { rows[$0].key } == [tags[2]])
            // Numbers are never given twice.
            let next = try fixture.insert("Tag")
            #expect(next == 4)
        }
    }

    @Test func deletedObjectsLeaveTheirJoinTables() throws {
        try StoreFixture.run { fixture in
            let people = try (0..<3).map { _ in try fixture.insert("Person") }
            var changes = ChangeSet()
            changes.links = [
                fixture.link("Person", "friends", people[0], fixture.reference("Person", people[1])),
                fixture.link("Person", "friends", people[2], fixture.reference("Person", people[0])),
                fixture.link("Person", "follows", people[1], fixture.reference("Person", people[0])),
            ]
            _ = try fixture.store.apply(changes)
            changes.links = []
            changes.deletions = [.init(entityIndex: fixture.entity("Person").index, key: people[0], version: 1)]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.sql("SELECT * FROM Z_5FRIENDS").isEmpty)
            #expect(try fixture.sql("SELECT * FROM Z_5FOLLOWS").isEmpty)
        }
    }

    @Test func aViolatedConstraintNamesTheObject() throws {
        try StoreFixture.run { fixture in
            let first = try fixture.insert("Shelf", ["name": .string("a")])
            var changes = ChangeSet()
            changes.insertions = [
                fixture.insertion("Shelf", -1, ["name": .string("b")]),
                fixture.insertion("Shelf", -2, ["name": .string("a")]),
            ]
            let error = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(error?.code == .constraint)
            #expect(error?.entities == ["Shelf"])
            #expect(error?.conflicts.map(\.object.key) == [-2])
            #expect(try fixture.rows("Shelf").count == 1)
            // What is deleted makes room.
            changes.deletions = [.init(entityIndex: fixture.entity("Shelf").index, key: first, version: 1)]
            _ = try fixture.store.apply(changes)
            #expect(try fixture.rows("Shelf").count == 2)
        }
    }
}

extension WritingTests {
    @Test func uniqueValuesCanBeExchangedInOneSave() throws {
        try StoreFixture.run { fixture in
            let keys = try ["a", "b", "c"].map { try fixture.insert("Shelf", ["name": .string($0)]) }
            func rename(_ names: [String]) throws {
                var batch = RowBatch()
                var sets: [PropertySet] = []
                for (key, name) in zip(keys, names) {
                    let update = try fixture.update("Shelf", key, ["name": .string(name)])
                    _ = batch.append(copyOf: update.rows[0])
                    sets += update.changed
                }
                var changes = ChangeSet()
                changes.updates = [.init(entityIndex: fixture.entity("Shelf").index, rows: batch, changed: sets)]
                _ = try fixture.store.apply(changes)
            }
            try rename(["b", "c", "a"])
            #expect(try fixture.sql("SELECT ZNAME FROM ZSHELF ORDER BY Z_PK").map(\.[0].text) == ["b", "c", "a"])
            let error = #expect(throws: StorageError.self) { try rename(["a", "b", "a"]) }
            #expect(error?.code == .constraint)
            #expect(error?.conflicts.map(\.object.key) == [keys[2]])
            #expect(try fixture.sql("SELECT ZNAME FROM ZSHELF ORDER BY Z_PK").map(\.[0].text) == ["b", "c", "a"])
        }
    }

    @Test func numbersThatRowsBringAreKept() throws {
        try StoreFixture.run { fixture in
            var changes = ChangeSet()
            changes.insertions = [fixture.insertion("Tag", 17), fixture.insertion("Tag", -1)]
            let keys = try fixture.store.apply(changes).keys
            #expect(keys == [[17], [18]])
            let reserved = try fixture.store.reserveKeys(entityIndex: fixture.entity("Tag").index, count: 5)
            #expect(reserved == 19)
            let next = try fixture.insert("Tag")
            #expect(next == 24)
        }
    }

    @Test func metadataChangeWithTheRowsAndKeepWhatTheyHad() throws {
        try StoreFixture.run { fixture in
            var changes = ChangeSet()
            changes.metadata = ["generation": .string("0001"), "tags": .array([.integer(1), .data(Data([1]))])]
            _ = try fixture.store.apply(changes)
            let before = try fixture.store.metadata()
            changes.metadata = ["generation": .string("0002"), "tags": nil]
            _ = try fixture.store.apply(changes)
            try fixture.reopen(readOnly: true)
            var expected = before
            expected["generation"] = .string("0002")
            expected["tags"] = nil
            #expect(try fixture.store.metadata() == expected)
            #expect(before["NSStoreUUID"] == .string(fixture.store.identity.uuid))
        }
    }

    @Test func metadataThatChangeOftenAreThoseThatWereSetLast() throws {
        try StoreFixture.run { fixture in
            func set(_ metadata: [String: MetadataValue?]) throws {
                var changes = ChangeSet()
                changes.metadata = metadata
                _ = try fixture.store.apply(changes)
            }
            var expected = try fixture.store.metadata()
            func expect(_ metadata: [String: MetadataValue?]) throws {
                try set(metadata)
                for (key, value) in metadata { expected[key] = value }
                #expect(try fixture.store.metadata() == expected)
                #expect(try fixture.store.knownMetadata() == expected)
            }
            for number in 0..<5 {
                try expect(["counter": .string("000\(number)"), "isOdd": .boolean(number % 2 == 1)])
            }
            // What is said again, taken away, of another width or of another kind.
            try expect(["counter": .string("0004")])
            try expect(["other": nil, "counter": .string("longer than before")])
            try expect(["counter": .string("0006"), "isOdd": nil])
            try expect(["counter": .integer(7)])
            try expect(["counter": .integer(8)])
            #expect(throws: StorageError.self) {
                try set(["counter": .integer(9), "NSStoreModelVersionHashes": .dictionary([:])])
            }
            #expect(try fixture.store.metadata() == expected)
            // What does not describe the file otherwise than it is may come along.
            try expect(["counter": .integer(9), "NSStoreType": expected["NSStoreType"]])
            try fixture.reopen(readOnly: true)
            #expect(try fixture.store.metadata() == expected)
        }
    }
}

extension WritingTests {
    @Test func metadataThatDescribeTheFileAreNotSet() throws {
        try StoreFixture.run { fixture in
            var changes = ChangeSet()
            changes.metadata = ["NSStoreModelVersionHashes": .dictionary([:])]
            _ = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
        }
    }

    @Test func aReadOnlyStoreIsNotWritten() throws {
        try StoreFixture.run { fixture in
            try fixture.reopen(readOnly: true)
            let error = #expect(throws: StorageError.self) { try fixture.insert("Tag") }
            #expect(error?.code == .readOnly)
        }
    }

    @Test func anEntityMayHaveMoreAttributesThanAFunctionTakes() throws {
        try withTemporaryDirectory { folder in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition("Wide", attributes: (0..<300).map { .init("a\($0)", .integer64) })
            ])
            let store = try SQLitePersistentStore.open(
                PersistentStoreDescription(url: folder.appendingPathComponent("w.sqlite")), model: model)
            var batch = RowBatch()
            let row = batch.appendRow(store.layouts[0], key: -1, version: 0)
            for slot in row.layout.slots { row.setInt(Int64(slot.index), slot) }
            var changes = ChangeSet()
            changes.insertions = [.init(entityIndex: 0, rows: batch)]
            _ = try store.apply(changes)
            let stored = try store.rows(RowRequest(entityIndex: 0, limit: 1))[0]
            #expect(stored.layout.slots.allSatisfy { stored.int($0) == Int64($0.index) })
            try store.close()
        }
    }

    @Test func thousandsOfRowsGoInOneSave() throws {
        try StoreFixture.run { fixture in
            var batch = RowBatch()
            for number in 1...5000 {
                let row = batch.appendRow(
                    fixture.store.layouts[fixture.entity("Tag").index], key: Int64(-number), version: 0)
                fixture.set(["word": .string("word \(number)")], in: row, "Tag")
            }
            var changes = ChangeSet()
            changes.insertions = [.init(entityIndex: fixture.entity("Tag").index, rows: batch)]
            let keys = try fixture.store.apply(changes).keys[0]
            #expect(keys == Array(1...5000))
            let rows = try fixture.store.rows(
                RowRequest(entityIndex: fixture.entity("Tag").index, selection: .keys([17, 4999]), excludedKeys: [17]))
            #expect((0..<rows.count).map { rows[$0].key } == [4999])
        }
    }
}
