import Foundation
import Migration
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Every kind of change that is inferred, on a store with values in all rows.
struct StoreMigrationTests {
    /// Migrates a generated store of `old` to `new` and compares all of it with what is expected.
    @discardableResult
    func migrate(
        _ old: [EntityDefinition], _ new: [EntityDefinition], composites: [CompositeDescription] = [],
        takesMore: Bool = true
    ) throws -> [String] {
        func model(_ entities: [EntityDefinition]) throws -> ManagedObjectModel {
            var description = ManagedObjectModel.Definition()
            description.entities = entities
            description.composites = composites
            return try ManagedObjectModel(description)
        }
        let old = try model(old), new = try model(new)
        return try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 5)
            let before = try store.snapshot()
            #expect(
                try SQLitePersistentStore.migrationPreview(
                    PersistentStoreDescription(url: store.url), [try .inferred(from: old, to: new)]
                ).isNeeded)
            #expect(try store.snapshot().objects == before.objects)
            let report = try store.migrate(from: old, to: new)
            #expect(
                try ExpectedMigration(old: old, new: new, before: before).differences(from: try store.snapshot(new))
                    == [])
            try store.checkLayout(new, "")
            #expect(!(try store.migrate(from: old, to: new).isNeeded))
            // And it is a store like any other: it takes new objects.
            let open = try SQLitePersistentStore.open(PersistentStoreDescription(url: store.url))
            if takesMore { try StoreGenerator.fill(open, objectsPerEntity: 2) }
            try open.close()
            return report.statements
        }
    }

    func many(
        _ name: String, _ destination: String, _ inverse: String?, isOrdered: Bool = false, was: String? = nil
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, to: destination, inverse: inverse, maxCount: 0, isOrdered: isOrdered, renamingIdentifier: was)
    }

    func one(_ name: String, _ destination: String, _ inverse: String?, was: String? = nil)
        -> RelationshipDescription
    {
        RelationshipDescription(name, to: destination, inverse: inverse, renamingIdentifier: was)
    }
}

extension StoreMigrationTests {
    // MARK: Side indexes

    func searched(_ names: [String], _ plain: [String], indexes: [FetchIndexDescription] = [])
        -> EntityDefinition
    {
        let attributes = (names + plain).map { name -> AttributeDescription in
            var attribute = AttributeDescription(name, .string, renamingIdentifier: name == "title" ? "name" : nil)
            attribute.isFullTextIndexed = names.contains(name)
            return attribute
        }
        return EntityDefinition(
            "A", attributes: attributes + [.init("x", .double), .init("y", .double)], indexes: indexes)
    }

    @Test func fullTextAndPlacesAreMadeAnew() throws {
        let place = FetchIndexDescription(
            "place", elements: [.init(propertyName: "x", kind: .rTree), .init(propertyName: "y", kind: .rTree)])
        let statements = try migrate(
            [searched(["name"], ["note"])], [searched(["title", "note"], ["more"], indexes: [place])]
        ).filter { $0.contains("FOLIO") }
        #expect(statements.first == "DROP TABLE FOLIO_SEARCH_ZA")
        #expect(
            statements.dropFirst().map { $0.prefix(15) } == [
                "CREATE VIRTUAL ", "INSERT INTO \"FO", "CREATE VIRTUAL ", "INSERT INTO FOL",
            ])
        // A store that has none, as those of Apple's framework, gets none.
        #expect(
            try migrate([searched([], ["name"])], [searched(["title"], ["more"])]).allSatisfy { !$0.contains("FOLIO") })
    }

    @Test func migratedIndexesSayWhatTheRowsSay() throws {
        let old = try ManagedObjectModel(entities: [searched(["name"], ["note"])])
        let new = try ManagedObjectModel(entities: [searched(["title", "note"], [])])
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 30)
            try store.migrate(from: old, to: new)
            let open = try SQLitePersistentStore.open(PersistentStoreDescription(url: store.url))
            #expect(open.layout.searchIndex(of: "ZA")?.columns == ["ZNOTE", "ZTITLE"])
            #expect(try open.integrityFindings(isThorough: true) == [])
            try StoreGenerator.fill(open, objectsPerEntity: 2)
            #expect(try open.integrityFindings(isThorough: true) == [])
            try open.close()
        }
    }
}

extension StoreMigrationTests {
    // MARK: Attributes

    @Test func addingAndRenamingColumnsTouchesNoRows() throws {
        let statements = try migrate(
            [EntityDefinition("A", attributes: [.init("x", .string), .init("y", .double)])],
            [
                EntityDefinition(
                    "A",
                    attributes: [
                        .init("z", .string, renamingIdentifier: "x"), .init("y", .double),
                        .init("n", .integer32, isOptional: false, defaultValue: .int(7)),
                    ])
            ])
        #expect(
            statements == ["ALTER TABLE ZA ADD COLUMN ZN INTEGER DEFAULT 7", "ALTER TABLE ZA RENAME COLUMN ZX TO ZZ"])
    }

    @Test func everyTypeHasItsDefault() throws {
        let defaults: [(AttributeType, PropertyValue)] = [
            (.integer16, .int(-3)), (.integer64, .int(.max)), (.boolean, .bool(true)), (.double, .double(1e300)),
            (.float, .float(0.1)), (.decimal, .decimal(Decimal(string: "12.5") ?? 0)),
            (.date, .date(Date(timeIntervalSinceReferenceDate: 0.5))), (.string, .string("it's\u{0}; --\n")),
            (.string, .string("")), (.uri, .uri(URL(fileURLWithPath: "/a b"))),
            (.uuid, .uuid(UUID())), (.binary, .data(Data([0, 255, 39]))), (.transformable, .data(Data())),
        ]
        let attributes = defaults.enumerated().map {
            AttributeDescription("a\($0.offset)", $0.element.0, isOptional: false, defaultValue: $0.element.1)
        }
        try migrate([EntityDefinition("A")], [EntityDefinition("A", attributes: attributes)])
        // The same in one of several entities of a table.
        try migrate(
            [
                EntityDefinition("P"), EntityDefinition("A", superentityName: "P"),
                EntityDefinition("B", superentityName: "P"),
            ],
            [
                EntityDefinition("P"), EntityDefinition("A", superentityName: "P", attributes: attributes),
                EntityDefinition("B", superentityName: "P", attributes: attributes),
            ])
    }

    @Test func aQuoteBeforeACombiningMarkInADefaultIsAQuote() throws {
        try migrate(
            [EntityDefinition("A")],
            [EntityDefinition("A", attributes: [.init("a", .string, defaultValue: .string("it'\u{301}s ''\u{FE0F}"))])]
        )
        #expect(SQLName.quoted("a\"\u{301}b") == "\"a\"\"\u{301}b\"")
    }

    @Test func numbersThatAFileMadeUpDoNotStopAMigration() throws {
        let old = try ManagedObjectModel(
            entities: ["A", "B"].map { EntityDefinition($0, attributes: [.init("gone", .integer64)]) })
        let new = try ManagedObjectModel(entities: ["A", "B"].map { EntityDefinition($0) })
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 1)
            let connection = try Connection(store.url.path, .readWrite)
            for table in ["ZA", "ZB"] { try connection.execute("UPDATE \(table) SET Z_PK = 9223372036854775807") }
            try connection.close()
            #expect(try store.migrate(from: old, to: new, progress: MigrationProgress()).isNeeded)
        }
    }

    @Test func nothingBecomesTheDefaultOfWhatIsMandatoryNow() throws {
        let old = try ManagedObjectModel(entities: [EntityDefinition("A", attributes: [.init("x", .integer64)])])
        let new = try ManagedObjectModel(entities: [
            EntityDefinition("A", attributes: [.init("x", .integer64, isOptional: false, defaultValue: .int(42))])
        ])
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(old, at: folder.appendingPathComponent("Store.sqlite"))
            let connection = try Connection(store.url.path, .readWrite)
            try connection.execute("UPDATE ZA SET ZX = NULL WHERE Z_PK = 2")
            try connection.close()
            try store.migrate(from: old, to: new)
            let values = try store.snapshot().objects.mapValues { $0.attributes["x"] }
            #expect(values[StoreSnapshot.Object(entity: "A", key: 2)] == .int(42))
            #expect(values.values.filter { $0 == .int(42) }.count == 1)
        }
    }
}

extension StoreMigrationTests {
    @Test func numbersKeepTheirValuesWhenTheirTypeChanges() throws {
        let kinds: [AttributeType] = sweep(
            [.boolean, .integer32, .decimal, .double],
            all: [.boolean, .integer16, .integer32, .integer64, .decimal, .double, .float])
        for old in kinds {
            for new in kinds where new != old {
                func model(_ name: String, _ type: AttributeType) throws -> ManagedObjectModel {
                    let attributes = [AttributeDescription(name, type, renamingIdentifier: "x"), .init("y", .string)]
                    return try ManagedObjectModel(entities: [
                        EntityDefinition("A", attributes: attributes), EntityDefinition("B", superentityName: "A"),
                    ])
                }
                // What all types of a pair have.
                let whole = [old, new].contains(.boolean) ? "0, 1, NULL" : "0, -32768, NULL"
                let numbers =
                    [old, new].allSatisfy { [.decimal, .double, .float].contains($0) }
                    ? "0.5, -1048576.25, NULL, \(new == .float ? "0.1" : "1e10")" : "\(whole), 1"
                let (first, second) = (try model("x", old), try model("z", new))
                try withTemporaryDirectory { folder in
                    let store = try MigratedStore.make(
                        first, at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 2)
                    let connection = try Connection(store.url.path, .readWrite)
                    for (place, number) in numbers.split(separator: ", ").enumerated() {
                        try connection.execute("UPDATE ZA SET ZX = \(number) WHERE Z_PK = \(place + 1)")
                    }
                    try connection.close()
                    let before = try store.snapshot()
                    try store.migrate(from: first, to: second)
                    #expect(
                        try ExpectedMigration(old: first, new: second, before: before).differences(
                            from: try store.snapshot(second)) == [], "\(old) to \(new)")
                    try store.checkLayout(second, "\(old) to \(new)")
                }
            }
        }
    }

    @Test(arguments: [
        (AttributeType.double, AttributeType.integer32, "0.5", "0.5"),
        (.integer64, .double, "9007199254740993", "9007199254740993"), (.integer32, .float, "16777217", "16777217"),
        (.double, .float, "0.123456789", "0.123456789"), (.double, .float, "1e300", "1e+300"),
        (.double, .decimal, "1e300", "1e+300"), (.decimal, .boolean, "2", "2"),
        (.decimal, .integer16, "32768", "32768"), (.double, .decimal, "9e999", "inf"),
    ])
    func aNumberThatTheNewTypeDoesNotHaveIsRefusedWithItsObject(
        old: AttributeType, new: AttributeType, number: String, text: String
    ) throws {
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [EntityDefinition("A", attributes: [.init("x", type)])])
        }
        let (old, new) = (try model(old), try model(new))
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(old, at: folder.appendingPathComponent("Store.sqlite"))
            let connection = try Connection(store.url.path, .readWrite)
            try connection.execute("UPDATE ZA SET ZX = CASE Z_PK WHEN 2 THEN \(number) ELSE 1 END")
            try connection.close()
            let before = try store.snapshot().objects
            let error = #expect(throws: StorageError.self) { try store.migrate(from: old, to: new) }
            #expect(
                error?.code == .invalidObjects && error?.message.contains("A/p2 with \(text)") == true,
                "\(error?.message ?? "")")
            #expect(try store.snapshot().objects == before)
        }
    }
}

extension StoreMigrationTests {
    @Test(arguments: [
        (AttributeType.integer64, AttributeType.integer16, 32_768 as Int64), (.integer64, .integer32, -2_147_483_649),
        (.integer32, .boolean, 2), (.integer16, .boolean, -1),
    ])
    func aNumberThatDoesNotFitIsRefusedWithItsObject(old: AttributeType, new: AttributeType, value: Int64) throws {
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDefinition("A", attributes: [.init("n", .string)]),
                EntityDefinition("B", superentityName: "A", attributes: [.init("x", type)]),
            ])
        }
        let (old, new) = (try model(old), try model(new))
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(old, at: folder.appendingPathComponent("Store.sqlite"))
            let connection = try Connection(store.url.path, .readWrite)
            try connection.execute("UPDATE ZA SET ZX = CASE Z_PK WHEN 5 THEN \(value) ELSE 1 END WHERE Z_ENT = 2")
            try connection.close()
            let before = try store.snapshot().objects
            let error = #expect(throws: StorageError.self) { try store.migrate(from: old, to: new) }
            #expect(
                error?.code == .invalidObjects && error?.message.contains("B.x becomes") == true
                    && error?.message.contains("B/p5 with \(value)") == true)
            #expect(try store.snapshot().objects == before)
            let repaired = try Connection(store.url.path, .readWrite)
            try repaired.execute("UPDATE ZA SET ZX = 0 WHERE Z_PK = 5")
            try repaired.close()
            try store.migrate(from: old, to: new)
            let values = try store.snapshot(new).objects.values.compactMap { $0.attributes["x"] }
            #expect(values.count == 3 && values.filter { $0 == .int(1) || $0 == .bool(true) }.count == 2)
        }
    }

    /// Each member of at most one list, as far as the rows go.
    func crews(isOrdered: Bool, isLast: Bool, named name: String = "crew") -> [EntityDefinition] {
        [
            EntityDefinition(
                "Ship", attributes: [.init("name", .string)],
                relationships: [many("members", "Person", name, isOrdered: isOrdered)]),
            EntityDefinition("Steamer", superentityName: "Ship"),
            EntityDefinition(
                "Person", attributes: [.init("name", .string)],
                relationships: [
                    isLast
                        ? one(name, "Ship", "members", was: name == "crew" ? nil : "crew")
                        : many(name, "Ship", "members")
                ]),
        ]
    }

    @Test(arguments: [false, true], ["crew", "ship"])
    func anEndOfAManyToManyRelationshipBecomesToOne(isOrdered: Bool, name: String) throws {
        let old = try ManagedObjectModel(entities: crews(isOrdered: isOrdered, isLast: false))
        let new = try ManagedObjectModel(entities: crews(isOrdered: isOrdered, isLast: true, named: name))
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 6)
            let table =
                try Connection.reading(store.url.path) {
                    try $0.value("SELECT name FROM sqlite_schema WHERE name GLOB 'Z_[0-9]*' AND type = 'table'")?.text
                } ?? ""
            let columns = try Connection.reading(store.url.path) {
                try $0.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]).compactMap(\.[0].text)
            }
            let member = try #require(columns.first { $0.hasSuffix("CREW") == false && $0.hasSuffix("MEMBERS") }),
                owner = try #require(columns.first { $0.hasSuffix("CREW") })
            let connection = try Connection(store.url.path, .readWrite)
            try connection.execute(
                "INSERT OR IGNORE INTO \(table) (\(member), \(owner)) SELECT a.Z_PK, b.Z_PK FROM ZPERSON a, ZSHIP b WHERE a.Z_PK = b.Z_PK"
            )
            let shared = try #require(
                try connection.value("SELECT \(member) FROM \(table) GROUP BY \(member) HAVING count(*) > 1 LIMIT 1")?
                    .integer)
            try connection.close()
            let before = try store.snapshot().objects
            let error = #expect(throws: StorageError.self) { try store.migrate(from: old, to: new) }
            #expect(
                error?.code == .invalidObjects && error?.message.contains("Person.\(name) becomes to-one") == true
                    && error?.message.contains("Person/p") == true)
            #expect(try store.snapshot().objects == before && before.keys.contains { $0.key == shared })
            let repaired = try Connection(store.url.path, .readWrite)
            // Three members each, in an order that is not that of their numbers.
            let order = columns.filter { $0.hasPrefix("Z_FOK") }.map { ", \($0)" }.joined(),
                place = order.isEmpty ? "" : ", 9000 - 7 * p.Z_PK"
            try repaired.execute("DELETE FROM \(table)")
            try repaired.execute(
                "INSERT INTO \(table) (\(member), \(owner)\(order)) SELECT p.Z_PK, (SELECT max(Z_PK) FROM ZSHIP) - p.Z_PK % 2\(place) FROM ZPERSON p"
            )
            try repaired.close()
            let single = try store.snapshot()
            try store.migrate(from: old, to: new)
            let after = try store.snapshot(new)
            #expect(try ExpectedMigration(old: old, new: new, before: single).differences(from: after) == [])
            #expect(
                after.objects.values.contains { $0.toManys["members"]?.count ?? 0 > 1 }
                    && after.objects.values.contains { ($0.toOnes[name] ?? nil) != nil })
            try store.checkLayout(new, name)
        }
    }
}

extension StoreMigrationTests {
    @Test func namesAreSwapped() throws {
        try migrate(
            [EntityDefinition("A", attributes: [.init("x", .string), .init("y", .string), .init("z", .string)])],
            [
                EntityDefinition(
                    "A",
                    attributes: [
                        .init("x", .string, renamingIdentifier: "y"), .init("y", .string, renamingIdentifier: "z"),
                        .init("z", .string, renamingIdentifier: "x"),
                        // Without it the version hashes would be the same, and nothing would call
                        // for a migration.
                        .init("new", .string),
                    ])
            ])
    }

    @Test func largeValuesMoveIntoFilesCellsAndBack() throws {
        func model(_ isExternal: Bool) -> [EntityDefinition] {
            [
                EntityDefinition(
                    "A",
                    attributes: [.init("x", .binary, allowsExternalBinaryDataStorage: isExternal), .init("y", .string)])
            ]
        }
        try migrate(model(false), model(true))
        try migrate(model(true), model(false))
        try migrate(model(true), [EntityDefinition("A", attributes: [.init("y", .string)])])
    }

    @Test func compositesKeepTheirLeaves() throws {
        let composites = [CompositeDescription("C", attributes: [.init("a", .integer16), .init("b", .string)])]
        try migrate(
            [EntityDefinition("A", attributes: [.init("x", .composite, compositeName: "C")])],
            [
                EntityDefinition(
                    "A",
                    attributes: [
                        .init("y", .composite, compositeName: "C", renamingIdentifier: "x"), .init("n", .string),
                    ])
            ], composites: composites)
    }
}

extension StoreMigrationTests {
    // MARK: Entities

    @Test func entitiesComeGoAndAreRenumbered() throws {
        let kept = EntityDefinition(
            "M", attributes: [.init("x", .string)], relationships: [many("ns", "N", "ms"), one("p", "N", "q")])
        let other = EntityDefinition(
            "N", attributes: [.init("y", .string)],
            relationships: [many("ms", "M", "ns"), many("q", "M", "p", isOrdered: true)])
        try migrate([kept, other], [kept, other, EntityDefinition("A", attributes: [.init("z", .string)])])
        try migrate([EntityDefinition("A"), EntityDefinition("B"), kept, other], [kept, other])
        // Both renamed, so that they change places.
        try migrate(
            [kept, other],
            [
                EntityDefinition(
                    "Z", attributes: [.init("x", .string)], relationships: [many("ns", "B", "ms"), one("p", "B", "q")],
                    renamingIdentifier: "M"),
                EntityDefinition(
                    "B", attributes: [.init("y", .string)],
                    relationships: [many("ms", "Z", "ns"), many("q", "Z", "p", isOrdered: true)],
                    renamingIdentifier: "N"),
            ])
    }

    @Test func entitiesTakeEachOthersNames() throws {
        try migrate(
            [
                EntityDefinition("A", attributes: [.init("x", .string)], relationships: [many("bs", "B", "as")]),
                EntityDefinition("B", attributes: [.init("x", .string)], relationships: [many("as", "A", "bs")]),
            ],
            [
                EntityDefinition(
                    "A", attributes: [.init("x", .string)], relationships: [many("as", "B", "bs")],
                    renamingIdentifier: "B"),
                EntityDefinition(
                    "B", attributes: [.init("x", .string)], relationships: [many("bs", "A", "as")],
                    renamingIdentifier: "A"),
            ])
    }

    @Test func linksToEntitiesThatAreGoneAreGoneToo() throws {
        let reader = EntityDefinition(
            "R",
            relationships: [one("p", "P", nil), many("ps", "P", "rs"), many("owns", "P", "owner", isOrdered: true)])
        let parent = EntityDefinition("P", relationships: [many("rs", "R", "ps"), one("owner", "R", "owns")])
        try migrate(
            [
                reader, parent, EntityDefinition("A", superentityName: "P"),
                EntityDefinition("B", superentityName: "P"),
            ],
            [reader, parent, EntityDefinition("B", superentityName: "P")])
        try migrate([reader, parent], [EntityDefinition("R", attributes: [.init("x", .string)])])
    }
}

extension StoreMigrationTests {
    // MARK: Hierarchies

    var parent: EntityDefinition {
        EntityDefinition(
            "P", attributes: [.init("x", .string)], relationships: [one("r", "R", "ps"), many("ts", "R", "us")])
    }
    var target: EntityDefinition {
        EntityDefinition(
            "R",
            relationships: [
                many("ps", "P", "r", isOrdered: true), many("us", "P", "ts", isOrdered: true), one("any", "P", nil),
            ])
    }

    @Test func propertiesMoveUpAndDown() throws {
        let low = [
            EntityDefinition("P"),
            EntityDefinition("A", superentityName: "P", attributes: [.init("x", .string), .init("k", .integer16)]),
            EntityDefinition("B", superentityName: "P", attributes: [.init("x", .string)]),
        ]
        let high = [
            EntityDefinition("P", attributes: [.init("x", .string)]),
            EntityDefinition("A", superentityName: "P", attributes: [.init("k", .integer16)]),
            EntityDefinition("B", superentityName: "P"),
        ]
        try migrate(low, high)
        try migrate(high, low)
        // Down to one of them: what the other had is gone, in the column too.
        let statements = try migrate(
            high, [EntityDefinition("P"), low[1], EntityDefinition("B", superentityName: "P")])
        #expect(statements.contains { $0.contains("NULL") })
    }

    @Test func entitiesGetParentsAndLeaveThem() throws {
        let a = EntityDefinition("A", superentityName: "P", attributes: [.init("a", .double)]),
            b = EntityDefinition("B", superentityName: "P", attributes: [.init("a", .string)])
        let alone = EntityDefinition(
            "A", attributes: [.init("x", .string), .init("a", .double)], relationships: [one("r", "R", nil)])
        let poorTarget = EntityDefinition(
            "R", relationships: [many("ps", "P", "r", isOrdered: true), many("us", "P", "ts", isOrdered: true)])
        // A leaves; what referred to it as a P would be refused, so nothing does.
        try migrate(
            [EntityDefinition("P", attributes: [.init("x", .string)]), a, b],
            [
                EntityDefinition("P", attributes: [.init("x", .string)]),
                EntityDefinition("A", attributes: [.init("x", .string), .init("a", .double)]), b,
            ])
        try migrate(
            [alone, EntityDefinition("R")],
            [
                EntityDefinition("Q", attributes: [.init("x", .string)]),
                EntityDefinition(
                    "A", superentityName: "Q", attributes: [.init("a", .double)], relationships: [one("r", "R", nil)]),
                EntityDefinition("R"),
            ])
        // A level between, and one less.
        let middle = EntityDefinition("M", superentityName: "P", isAbstract: true)
        var below = a
        below.superentityName = "M"
        try migrate([parent, a, b, target], [parent, middle, below, b, target])
        try migrate([parent, middle, below, b, poorTarget], [parent, a, b, target])
        // The first of them: a column for its number comes to what refers to it.
        try migrate([parent, target], [parent, a, target])
    }

    @Test func anEntityWithObjectsDoesNotBecomeAbstract() throws {
        let error = #expect(throws: StorageError.self) {
            try migrate(
                [EntityDefinition("P")],
                [EntityDefinition("P", isAbstract: true), EntityDefinition("A", superentityName: "P")])
        }
        #expect(error?.code == .invalidObjects && error?.entities == ["P"])
    }
}

extension StoreMigrationTests {
    // MARK: Relationships
}
