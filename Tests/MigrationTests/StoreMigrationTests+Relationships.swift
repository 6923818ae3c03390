import Foundation
import Migration
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

extension StoreMigrationTests {
    @Test func oneToOneBecomesOneToManyAndManyToMany() throws {
        func ends(_ r: RelationshipDescription, _ s: RelationshipDescription) -> [EntityDefinition] {
            [EntityDefinition("A", relationships: [r]), EntityDefinition("B", relationships: [s])]
        }
        let oneOne = ends(one("r", "B", "s"), one("s", "A", "r"))
        let oneMany = ends(many("r", "B", "s"), one("s", "A", "r"))
        let orderedOneMany = ends(many("r", "B", "s", isOrdered: true), one("s", "A", "r"))
        let manyMany = ends(many("r", "B", "s"), many("s", "A", "r"))
        let orderedManyMany = ends(many("r", "B", "s", isOrdered: true), many("s", "A", "r", isOrdered: true))
        for new in [oneMany, orderedOneMany, manyMany, orderedManyMany] { try migrate(oneOne, new) }
        for new in [orderedOneMany, manyMany, orderedManyMany] { try migrate(oneMany, new) }
        for new in [oneMany, manyMany, orderedManyMany] { try migrate(orderedOneMany, new) }
        try migrate(manyMany, orderedManyMany)
        try migrate(orderedManyMany, manyMany)
    }

    @Test func inversesComeAndGo() throws {
        let a = EntityDefinition("A"), b = EntityDefinition("B")
        func with(_ entity: EntityDefinition, _ relationship: RelationshipDescription) -> EntityDefinition {
            var entity = entity
            entity.relationships.append(relationship)
            return entity
        }
        try migrate(
            [with(a, one("r", "B", nil)), b],
            [with(a, one("r", "B", "s")), with(b, many("s", "A", "r", isOrdered: true))])
        try migrate(
            [with(a, one("r", "B", nil)), b],
            [with(a, many("r", "B", "s", isOrdered: true)), with(b, many("s", "A", "r"))])
        let loose = [with(a, many("r", "B", nil)), b]
        try migrate(loose, [with(a, many("r", "B", nil, isOrdered: true)), b])
        try migrate(loose, [with(a, many("r", "B", "s")), with(b, one("s", "A", "r"))])
        try migrate(loose, [with(a, many("r", "B", "s", isOrdered: true)), with(b, many("s", "A", "r"))])
        try migrate([with(a, many("r", "B", "s")), with(b, one("s", "A", "r"))], loose)
        try migrate([with(a, one("r", "B", "s")), with(b, one("s", "A", "r"))], loose)
        // Another inverse, under another name.
        try migrate(
            [with(a, one("r", "B", "s")), with(b, many("s", "A", "r"))],
            [with(a, one("r", "B", "t")), with(b, many("t", "A", "r", isOrdered: true))])
    }

    @Test func relationshipsAreRenamed() throws {
        try migrate(
            [
                EntityDefinition("A", relationships: [many("r", "B", "s", isOrdered: true), one("f", "B", "g")]),
                EntityDefinition("B", relationships: [many("s", "A", "r"), one("g", "A", "f")]),
            ],
            [
                EntityDefinition(
                    "A",
                    relationships: [many("rr", "B", "ss", isOrdered: true, was: "r"), one("ff", "B", "gg", was: "f")]),
                EntityDefinition(
                    "B", relationships: [many("ss", "A", "rr", was: "s"), one("gg", "A", "ff", was: "g")]),
            ])
    }

    @Test func relationsOfAnEntityWithItselfStay() throws {
        let person = EntityDefinition(
            "Person", attributes: [.init("name", .string)],
            relationships: [
                many("friends", "Person", "friends"), many("follows", "Person", "followers", isOrdered: true),
                many("followers", "Person", "follows"), one("spouse", "Person", "spouse"),
            ])
        var renamed = person
        renamed.name = "Human"
        renamed.renamingIdentifier = "Person"
        renamed.relationships = [
            many("buddies", "Human", "buddies", was: "friends"), many("follows", "Human", "followers", isOrdered: true),
            many("followers", "Human", "follows", isOrdered: true),
            one("spouse", "Human", "spouse"),
        ]
        try migrate([person], [EntityDefinition("A"), renamed])
    }
}

extension StoreMigrationTests {
    // MARK: Constraints and indexes

    @Test func duplicatesOfWhatIsToBeUniqueAreRefused() throws {
        let old = [EntityDefinition("A", attributes: [.init("x", .boolean), .init("y", .string)])]
        let error = #expect(throws: StorageError.self) {
            try migrate(
                old,
                [
                    EntityDefinition(
                        "A", attributes: [.init("x", .boolean), .init("y", .string)], uniquenessConstraints: [["x"]])
                ])
        }
        #expect(error?.code == .constraint && error?.entities == ["A"])
        #expect(error?.message.contains("unique by x") == true)
        try migrate(
            old,
            [
                EntityDefinition(
                    "A", attributes: [.init("x", .boolean), .init("y", .string)],
                    uniquenessConstraints: [["y"], ["x", "y"]])
            ], takesMore: false)
    }

    @Test func indexesStayWhereTheyFitAndGoWhereTheyDoNot() throws {
        func entity(_ attribute: AttributeDescription, _ indexes: [FetchIndexDescription]) -> [EntityDefinition] {
            [
                EntityDefinition(
                    "A", attributes: [attribute, .init("y", .string), .init("w", .string)], indexes: indexes)
            ]
        }
        let byX = FetchIndexDescription("byX", elements: [.init(propertyName: "x")]),
            byBoth = FetchIndexDescription(
                "byBoth", elements: [.init(propertyName: "x"), .init(propertyName: "y", isAscending: false)])
        let byZ = FetchIndexDescription("byX", elements: [.init(propertyName: "z")])
        let renamed = try migrate(
            entity(.init("x", .string), [byX]), entity(.init("z", .string, renamingIdentifier: "x"), [byZ]))
        #expect(renamed == ["ALTER TABLE ZA RENAME COLUMN ZX TO ZZ"])
        try migrate(
            entity(.init("x", .string), [byX]),
            entity(.init("x", .string, isOptional: false, defaultValue: .string("")), [byX, byBoth]))
        try migrate(
            entity(.init("x", .string), [byX, byBoth]),
            entity(.init("x", .string, isOptional: false, defaultValue: .string("")), []))
        try migrate(
            entity(.init("x", .string), [byX, byBoth]),
            [
                EntityDefinition(
                    "A", attributes: [.init("y", .string)],
                    indexes: [.init("byX", elements: [.init(propertyName: "y")])])
            ])
    }

    @Test func aChainIsRehearsedWithAllItsSteps() throws {
        func model(_ version: Int) throws -> ManagedObjectModel {
            let extra =
                version > 1 ? [AttributeDescription("words", .string, derivationExpression: "canonical:(title)")] : []
            return try ManagedObjectModel(entities: [
                EntityDefinition(
                    version > 2 ? "Volume" : "Book",
                    attributes: [.init("title", .string), .init("pages", .integer16)].filter {
                        version < 3 || $0.name != "pages"
                    } + extra,
                    relationships: [.init("tags", to: "Tag", inverse: "books", maxCount: 0)],
                    renamingIdentifier: version > 2 ? "Book" : nil),
                EntityDefinition(
                    "Tag", attributes: [.init("word", .string)],
                    relationships: [.init("books", to: version > 2 ? "Volume" : "Book", inverse: "tags", maxCount: 0)]),
            ])
        }
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(
                model(1), at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 20)
            let plans = [
                try MigrationPlan.inferred(from: model(1), to: model(2)), try .inferred(from: model(2), to: model(3)),
            ]
            let before = try Data(contentsOf: store.url)
            let rehearsal = try SQLitePersistentStore.migrationPreview(
                PersistentStoreDescription(url: store.url), plans)
            #expect(try Data(contentsOf: store.url) == before)
            // The rows of both entities, as far as steps go through them.
            #expect(rehearsal.rows >= 20 && rehearsal.bytes > 0 && rehearsal.bytes < 4 * Int64(before.count))
            let done = try SQLitePersistentStore.migrate(PersistentStoreDescription(url: store.url), plans)
            #expect(done.steps == rehearsal.steps && done.statements == rehearsal.statements)
            try store.checkLayout(model(3), "chain")
        }
    }
}
