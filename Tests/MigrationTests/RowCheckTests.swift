import Foundation
import Migration
import ObjectGraph
import Query
import SQLiteKit
import SQLiteStore
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// What a new version demands of the rows: the check before a migration and the migration itself
/// say the same, name the object, and leave the store as it was. An empty store is never refused.
struct RowCheckTests {
    /// A change of a model, with objects that fit the new version and objects that do not.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let old: [EntityDefinition]
        let new: [EntityDefinition]
        let fitting: @Sendable (ManagedObjectContext) throws -> Void
        /// What is added to the fitting objects.
        let breaking: @Sendable (ManagedObjectContext) throws -> Void
        /// A part of the error.
        let says: String

        var testDescription: String { name }
    }

    private static func attribute(
        _ name: String, _ old: AttributeDescription?, _ new: AttributeDescription, _ good: PropertyValue?,
        _ bad: PropertyValue?, _ says: String
    ) -> Change {
        // Bounds and patterns alone make no other version.
        func entities(_ attribute: AttributeDescription?, _ other: String = "other") -> [EntityDefinition] {
            [
                EntityDefinition("P", attributes: [.init(other, .string)]),
                EntityDefinition("A", superentityName: "P", attributes: [attribute].compactMap { $0 }),
                EntityDefinition("B", superentityName: "P"),
            ]
        }
        return Change(
            name: name, old: entities(old), new: entities(new, "another"),
            fitting: { context in
                _ = try context.insert("B")
                guard let good else { return }
                try context.insert("A").setPropertyValue(good, forKey: "x")
            },
            breaking: { context in
                let object = try context.insert("A")
                if let bad { try object.setPropertyValue(bad, forKey: "x") }
            }, says: says)
    }

    static func day(_ seconds: Double) -> PropertyValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    static let attributes: [Change] = [
        attribute(
            "mandatory", .init("x", .string), .init("x", .string, isOptional: false), .string("a"), nil,
            "A.x is required (A/p"),
        attribute(
            "new and mandatory", nil, .init("x", .string, isOptional: false), nil, nil, "A.x is required (A/p"),
        attribute(
            "mandatory bytes", .init("x", .binary), .init("x", .binary, isOptional: false), .data(Data([1])), nil,
            "A.x is required (A/p"),
        attribute(
            "minimum", .init("x", .integer16), .init("x", .integer16, minimumValue: .int(18)), .int(18), .int(17),
            "A.x is less than 18 (A/p"),
        attribute(
            "stricter minimum", .init("x", .double, minimumValue: .double(1)),
            .init("x", .double, minimumValue: .double(1.5)), .double(1.5), .double(1.25), "A.x is less than 1.5 (A/p"),
        attribute(
            "maximum", .init("x", .integer64), .init("x", .integer64, maximumValue: .int(5)), .int(5), .int(6),
            "A.x is greater than 5 (A/p"),
        attribute(
            "decimal", .init("x", .decimal), .init("x", .decimal, maximumValue: .decimal(5)), .decimal(5),
            .decimal(6), "A.x is greater than 5 (A/p"),
        attribute(
            "length", .init("x", .string), .init("x", .string, maximumValue: .int(3)), .string("abc"), .string("a𝄞b"),
            "A.x is longer than 3 (A/p"),
        attribute(
            "shortest", .init("x", .string), .init("x", .string, minimumValue: .int(2)), .string("ab"), .string("a"),
            "A.x is shorter than 2 (A/p"),
        attribute(
            "pattern", .init("x", .string), .init("x", .string, regularExpression: "[a-c]+"), .string("abc"),
            .string("abd"), "A.x does not match [a-c]+ (A/p"),
        attribute(
            "date", .init("x", .date), .init("x", .date, minimumValue: day(100)), day(100), day(99), "A.x is before "),
        attribute(
            "narrower", .init("x", .integer64), .init("x", .integer16), .int(7), .int(70_000),
            "A.x becomes Integer 16, but 1 object has a value that does not fit, such as A/p"),
        attribute(
            "fraction", .init("x", .double), .init("x", .integer32), .double(7), .double(7.5),
            "A.x becomes Integer 32, but 1 object has a value that does not fit, such as A/p"),
    ]

    // MARK: Relationships

    private static func one(
        _ name: String, _ destination: String, _ inverse: String? = nil, isOptional: Bool = true
    ) -> RelationshipDescription {
        RelationshipDescription(name, to: destination, inverse: inverse, isOptional: isOptional)
    }

    private static func many(
        _ name: String, _ destination: String, _ inverse: String? = nil, _ least: Int = 0, _ most: Int = 0
    )
        -> RelationshipDescription
    {
        RelationshipDescription(name, to: destination, inverse: inverse, minCount: least, maxCount: most)
    }

    private static func pair(_ a: RelationshipDescription?, _ b: RelationshipDescription?) -> [EntityDefinition] {
        [
            EntityDefinition("A", relationships: [a].compactMap { $0 }),
            EntityDefinition("B", relationships: [b].compactMap { $0 }),
        ]
    }

    /// Fitting: `a1` → `b1`; breaking as the change says.
    private static func link(
        _ name: String, _ old: [EntityDefinition], _ new: [EntityDefinition], _ says: String,
        fitting: @escaping @Sendable (ManagedObjectContext) throws -> Void = { context in
            let a = try context.insert("A"), b = try context.insert("B")
            a.add(b, to: "r")
        }, breaking: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> Change {
        Change(name: name, old: old, new: new, fitting: fitting, breaking: breaking, says: says)
    }

    private static let sharing: @Sendable (ManagedObjectContext) throws -> Void = { context in
        let b = try context.insert("B")
        for _ in 0..<2 { try context.insert("A").add(b, to: "r") }
    }

    private static let several: @Sendable (ManagedObjectContext) throws -> Void = { context in
        let a = try context.insert("A")
        for _ in 0..<2 { a.add(try context.insert("B"), to: "r") }
    }

    static let links: [Change] = [
        link(
            "a to-one inverse comes", pair(one("r", "B"), nil), pair(one("r", "B", "s"), one("s", "A", "r")),
            "B.s is to-one, but 1 object has several objects, such as B/p", breaking: sharing),
        link(
            "to-many becomes to-one", pair(many("r", "B", "s"), one("s", "A", "r")),
            pair(one("r", "B", "s"), one("s", "A", "r")), "A.r becomes to-one, but 1 object has several",
            breaking: several),
        link(
            "to-many without inverse becomes to-one", pair(many("r", "B"), nil), pair(one("r", "B"), nil),
            "A.r becomes to-one, but 1 object has several", breaking: several),
        link(
            "to-one without inverse becomes to-many", pair(one("r", "B"), nil), pair(many("r", "B"), nil),
            "A.r is to-many without an inverse", breaking: sharing),
        link(
            "many-to-many becomes one-to-one", pair(many("r", "B", "s"), many("s", "A", "r")),
            pair(one("r", "B", "s"), one("s", "A", "r")), "A.r becomes to-one, but 1 object has several",
            breaking: several),
        link(
            "many-to-many loses its inverse", pair(many("r", "B", "s"), many("s", "A", "r")), pair(many("r", "B"), nil),
            "A.r is to-many without an inverse", breaking: sharing),
        link(
            "one-to-many becomes one-to-one at its other end", pair(one("r", "B", "s"), many("s", "A", "r")),
            pair(one("r", "B", "s"), one("s", "A", "r")), "B.s becomes to-one, but 1 object has several",
            breaking: sharing),
        link(
            "two become each other's inverse", pair(one("r", "B"), one("s", "A")),
            pair(one("r", "B", "s"), one("s", "A", "r")), "A.r becomes to-one, but 1 object has several",
            breaking: { context in
                let a = try context.insert("A"), b = try context.insert("B")
                a.add(b, to: "r")
                try context.insert("B").add(a, to: "s")
            }),
        link(
            "a to-many and a to-one become each other's inverse", pair(many("r", "B"), one("s", "A")),
            pair(many("r", "B", "s"), one("s", "A", "r")), "B.s becomes to-one, but 1 object has several",
            breaking: { context in
                let b = try context.insert("B")
                try context.insert("A").add(b, to: "r")
                b.add(try context.insert("A"), to: "s")
            }),
        link(
            "mandatory", pair(one("r", "B", "s"), many("s", "A", "r")),
            pair(one("r", "B", "s", isOptional: false), many("s", "A", "r")), "A.r is required (A/p",
            breaking: { _ = try $0.insert("A") }),
        link(
            "new and mandatory", pair(nil, nil), pair(one("r", "B", "s", isOptional: false), many("s", "A", "r")),
            "A.r is required (A/p", fitting: { _ = try $0.insert("B") }, breaking: { _ = try $0.insert("A") }),
        link(
            "fewest", pair(many("r", "B", "s"), one("s", "A", "r")), pair(many("r", "B", "s", 2), one("s", "A", "r")),
            "A.r needs 2 objects (A/p", fitting: several,
            breaking: { try $0.insert("A").add(try $0.insert("B"), to: "r") }),
        link(
            "most", pair(many("r", "B", "s"), many("s", "A", "r")),
            pair(many("r", "B", "s", 0, 2), many("s", "A", "r")),
            "A.r can have 2 objects (A/p", fitting: several,
            breaking: { context in
                let a = try context.insert("A")
                for _ in 0..<3 { a.add(try context.insert("B"), to: "r") }
            }),
        link(
            "a sub-entity is led to",
            [
                EntityDefinition("A", relationships: [one("r", "B")]), EntityDefinition("B"),
                EntityDefinition("C", superentityName: "B"),
            ],
            [
                EntityDefinition("A", relationships: [one("r", "C")]), EntityDefinition("B"),
                EntityDefinition("C", superentityName: "B"),
            ], "A.r leads to objects of C in the new version, but A/p",
            fitting: { try $0.insert("A").add(try $0.insert("C"), to: "r") },
            breaking: { try $0.insert("A").add(try $0.insert("B"), to: "r") }),
        link(
            "what was mandatory loses its object",
            [
                EntityDefinition("A", relationships: [one("r", "B", isOptional: false)]), EntityDefinition("B"),
                EntityDefinition("C", superentityName: "B"),
            ], [EntityDefinition("A", relationships: [one("r", "B", isOptional: false)]), EntityDefinition("B")],
            "A.r is required (A/p", fitting: { try $0.insert("A").add(try $0.insert("B"), to: "r") },
            breaking: { try $0.insert("A").add(try $0.insert("C"), to: "r") }),
        link(
            "abstract", [EntityDefinition("A")],
            [EntityDefinition("A", isAbstract: true), EntityDefinition("B", superentityName: "A")],
            "A is abstract in the new version", fitting: { _ in }, breaking: { _ = try $0.insert("A") }),
        link(
            "unique", [EntityDefinition("A", attributes: [.init("x", .string)])],
            [
                EntityDefinition(
                    "A", attributes: [.init("y", .string, renamingIdentifier: "x")], uniquenessConstraints: [["y"]])
            ],
            "A is to be unique by y, but objects have equal values, such as A/p",
            fitting: { context in
                for text in ["a", "b", nil, nil] { try context.insert("A")["x"] = text }
            },
            breaking: { context in
                for text in ["c", "c"] { try context.insert("A")["x"] = text }
            }),
    ]

    // MARK: Running

    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    /// - Returns: The error of the migration, which the check before it has, too.
    private func migrate(
        _ change: Change, _ folder: URL, _ name: String, _ fill: [(ManagedObjectContext) throws -> Void]
    ) throws -> String? {
        let old = try ManagedObjectModel(entities: change.old), new = try ManagedObjectModel(entities: change.new)
        let url = folder.appendingPathComponent("\(name).sqlite")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: old)
        try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
        let context = ManagedObjectContext(coordinator)
        for body in fill { try body(context) }
        try context.save()
        try coordinator.removePersistentStores()
        let store = MigratedStore(url: url), before = try store.snapshot().objects
        let plan = try MigrationPlan.inferred(from: old, to: new)
        let foreseen = message {
            let isExact = try SQLitePersistentStore.checkMigration(PersistentStoreDescription(url: url), [plan])
            #expect(isExact)
        }
        #expect(try store.snapshot().objects == before)
        let refusal = message { try store.migrate(from: old, to: new) }
        #expect(refusal == foreseen, "\(change.name), \(name)")
        if refusal == nil {
            try store.checkLayout(new, "\(change.name), \(name)")
            let open = try SQLitePersistentStore.open(PersistentStoreDescription(url: url))
            #expect(try open.integrityFindings(isThorough: true) == [], "\(change.name), \(name)")
            try open.close()
        } else {
            #expect(try store.snapshot(old).objects == before, "\(change.name)")
        }
        return refusal
    }
}

extension RowCheckTests {
    @Test(arguments: attributes + links) func theRowsDecideAndTheCheckKnowsIt(change: Change) throws {
        try withTemporaryDirectory { folder in
            #expect(try migrate(change, folder, "empty", []) == nil)
            #expect(try migrate(change, folder, "fitting", [change.fitting]) == nil)
            let refusal = try migrate(change, folder, "breaking", [change.fitting, change.breaking])
            #expect(refusal?.contains(change.says) == true, "\(change.name): \(refusal ?? "migrated")")
        }
    }

    /// The links of both ends are there afterwards.
    @Test func aNewInverseIsFilled() throws {
        let change = try #require(Self.links.first)
        try withTemporaryDirectory { folder in
            #expect(try migrate(change, folder, "Store", [change.fitting, { _ = try $0.insert("B") }]) == nil)
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel(entities: change.new))
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("Store.sqlite")))
            let context = ManagedObjectContext(coordinator)
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "B"))
            #expect(all.count == 2 && all.count { $0["s"] != nil } == 1)
            try coordinator.removePersistentStores()
        }
    }

    /// Rows that break a rule of both versions stay as they are.
    @Test func whatTheOldVersionDemandedIsNotDemandedAgain() throws {
        func model(_ others: [AttributeDescription]) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDefinition(
                    "A",
                    attributes: [
                        .init("x", .integer16, minimumValue: .int(5)), .init("y", .string, isOptional: false),
                    ] + others)
            ])
        }
        try withTemporaryDirectory { folder in
            let old = try model([]), new = try model([.init("z", .date)])
            let store = try MigratedStore.make(old, at: folder.appendingPathComponent("Store.sqlite"))
            try store.execute("UPDATE ZA SET ZX = 1, ZY = NULL")
            try store.migrate(from: old, to: new)
        }
    }

    @Test func allBrokenRulesAreNamed() throws {
        let old = try ManagedObjectModel(entities: [
            EntityDefinition("A", attributes: [.init("x", .integer16), .init("y", .string)])
        ])
        let new = try ManagedObjectModel(entities: [
            EntityDefinition(
                "A",
                attributes: [
                    .init("x", .integer16, minimumValue: .int(5)), .init("y", .string, maximumValue: .int(1)),
                    .init("z", .date),
                ])
        ])
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(old, at: folder.appendingPathComponent("Store.sqlite"))
            try store.execute("UPDATE ZA SET ZX = 1, ZY = 'ab'")
            let error = #expect(throws: StorageError.self) { try store.migrate(from: old, to: new) }
            #expect(error?.code == .invalidObjects && error?.entities == ["A"])
            #expect(
                error?.message
                    == "objects break 2 rules of the new version: A.x is less than 5 (3 objects, such as A/p1); A.y is longer than 1 (3 objects, such as A/p1)"
            )
        }
    }

    /// Only the last version of a chain makes demands, compared with the first.
    @Test func aVersionOnTheWayDemandsNothing() throws {
        func model(_ version: String, _ least: Int?) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: [
                    EntityDefinition(
                        "A",
                        attributes: [
                            .init("x", .integer16, minimumValue: least.map { .int(Int64($0)) }), .init(version, .date),
                        ])
                ], versionIdentifiers: [version])
        }
        let versions = [try model("a", nil), try model("b", 9), try model("c", 5)]
        let plans = try zip(versions, versions.dropFirst()).map { try MigrationPlan.inferred(from: $0, to: $1) }
        for (value, isFitting) in [(6, true), (4, false)] {
            try withTemporaryDirectory { folder in
                let store = try MigratedStore.make(versions[0], at: folder.appendingPathComponent("Store.sqlite"))
                try store.execute("UPDATE ZA SET ZX = \(value)")
                let refusal = message {
                    try SQLitePersistentStore.migrate(PersistentStoreDescription(url: store.url), plans)
                }
                #expect((refusal == nil) == isFitting, "\(refusal ?? "migrated")")
            }
        }
    }
}

extension MigratedStore {
    func execute(_ statement: String) throws {
        let connection = try Connection(url.path, .readWrite)
        try connection.execute(statement)
        try connection.close()
    }
}

extension ManagedObject {
    /// Links an object by a relationship of either multiplicity.
    fileprivate func add(_ other: ManagedObject, to key: String) {
        if entity.property(named: key)?.isToMany == true {
            self[key] = (self[key] as? Set<ManagedObject> ?? []).union([other])
        } else {
            self[key] = other
        }
    }
}
