import Foundation
import Migration
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Object by object, with policies.
struct MigrationManagerTests {
    private class Recorder: EntityMigrationPolicy {
        private func note(_ what: String, _ manager: MigrationManager) {
            manager.userInfo["calls"] =
                (manager.userInfo["calls"] as? [String] ?? []) + ["\(manager.currentEntityMapping?.name ?? "") \(what)"]
        }

        override func begin(_ mapping: EntityMapping, with manager: MigrationManager) { note("begin", manager) }

        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            note("create", manager)
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        }

        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) {
            note("end creation", manager)
        }

        override func createRelationships(
            forDestination object: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            note("relate", manager)
            try super.createRelationships(forDestination: object, in: mapping, manager: manager)
        }

        override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) {
            note("end relating", manager)
        }
        override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) {
            note("validate", manager)
        }
        override func end(_ mapping: EntityMapping, manager: MigrationManager) { note("end", manager) }

        override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
            guard selector == "shout:", let text = arguments.first as? String else {
                return try super.value(forFunction: selector, arguments: arguments)
            }
            return text.uppercased()
        }
    }

    private let old: ManagedObjectModel
    private let new: ManagedObjectModel

    init() throws {
        old = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Author", attributes: [.init("name", .string), .init("age", .integer16)],
                relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
            EntityDefinition(
                "Book", attributes: [.init("title", .string), .init("price", .string)],
                relationships: [.init("author", to: "Author", inverse: "books")]),
        ])
        new = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person", attributes: [.init("name", .string), .init("age", .double)],
                relationships: [.init("works", to: "Work", inverse: "writer", maxCount: 0)]),
            EntityDefinition(
                "Work", attributes: [.init("title", .string), .init("length", .integer32)],
                relationships: [.init("writer", to: "Person", inverse: "works")]),
        ])
    }

    private func mapping(policy: String? = nil) throws -> MappingModel {
        func call(_ text: String) throws -> QueryExpression { try QueryExpression(format: text) }
        return MappingModel(entityMappings: [
            EntityMapping(
                "AuthorToPerson", .custom, from: "Author", to: "Person", migrationPolicyName: policy,
                attributeMappings: [
                    PropertyMapping(
                        "name",
                        valueExpression: try call(
                            policy == nil
                                ? "uppercase($source.name)" : "FUNCTION($entityPolicy, \"shout:\", $source.name)")),
                    PropertyMapping("age", valueExpression: try call("$source.age + 1")),
                ],
                relationshipMappings: [
                    PropertyMapping(
                        "works",
                        valueExpression: try call(
                            "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"BookToWork\", $source.books)"
                        ))
                ]),
            EntityMapping(
                "BookToWork", .transform, from: "Book", to: "Work",
                sourcePredicate: try FetchPredicate(format: "title != \"draft\""),
                attributeMappings: [
                    PropertyMapping("title", valueExpression: try call("$source.title")),
                    PropertyMapping("length", valueExpression: try call("length($source.title)")),
                ]),
        ])
    }
}

extension MigrationManagerTests {
    private func run(
        _ mapping: MappingModel, _ policies: [String: EntityMigrationPolicy.Type] = [:],
        _ check: (MigrationManager, ManagedObjectContext) throws -> Void
    ) throws {
        try withTemporaryDirectory { folder in
            let source = PersistentStoreCoordinator(managedObjectModel: old),
                destination = PersistentStoreCoordinator(managedObjectModel: new)
            try source.addPersistentStore(PersistentStoreDescription(url: folder.appendingPathComponent("Old.sqlite")))
            try destination.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("New.sqlite")))
            let context = ManagedObjectContext(source)
            for index in 1...2 {
                let author = try context.insert("Author")
                author["name"] = "author \(index)"
                author["age"] = 40 + index
                for title in ["first", "second", "draft"] {
                    let book = try context.insert("Book")
                    book["title"] = title
                    book["author"] = author
                }
            }
            try context.save()
            let manager = MigrationManager(from: source, to: destination)
            try manager.migrate(by: mapping, policies: policies)
            try check(manager, ManagedObjectContext(destination))
        }
    }

    @Test func expressionsAndFiltersDecideWhatBecomesOfObjects() throws {
        try run(try mapping()) { manager, context in
            var request = FetchRequest<ManagedObject>(entityName: "Person")
            request.sortDescriptors = [SortKey("name")]
            let people = try context.fetch(request)
            #expect(people.map { $0["name"] as? String } == ["AUTHOR 1", "AUTHOR 2"])
            #expect(people.map { $0["age"] as? Double } == [42, 43])
            #expect(people.allSatisfy { ($0["works"] as? Set<ManagedObject>)?.count == 2 })
            let works = try context.fetch(FetchRequest<ManagedObject>(entityName: "Work"))
            #expect(Set(works.compactMap { $0["length"] as? Int }) == [5, 6])
            #expect(works.allSatisfy { $0["writer"] != nil })
            #expect(manager.migrationProgress == 0 && manager.currentEntityMapping == nil)
        }
    }

    @Test func policiesAreCalledInTheClassicOrder() throws {
        try run(try mapping(policy: "Library.Recorder"), ["Recorder": Recorder.self]) { manager, context in
            #expect(
                manager.userInfo["calls"] as? [String]
                    == [
                        "begin", "create", "create", "end creation", "relate", "relate", "end relating", "validate",
                        "end",
                    ].map { "AuthorToPerson \($0)" })
            let names = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map {
                $0["name"] as? String
            }
            #expect(names.contains("AUTHOR 1"))
        }
    }

    @Test func mappingsThatMakeNoSenseAreRefused() throws {
        func code(_ change: (inout MappingModel) throws -> Void) throws -> MigrationError.Code? {
            var mapping = try mapping()
            try change(&mapping)
            return #expect(throws: MigrationError.self) { try run(mapping) { _, _ in } }?.code
        }
        #expect(try code { $0.entityMappings[0].sourceEntityName = "Nobody" } == .invalidMapping)
        #expect(try code { $0.entityMappings[0].attributeMappings[0].name = "nothing" } == .invalidMapping)
        #expect(try code { $0.entityMappings[0].migrationPolicyName = "Unknown" } == .policy)
        #expect(
            try code {
                $0.entityMappings[0].attributeMappings[0].valueExpression = try QueryExpression(
                    format: "$source.nothing")
            } == .invalidMapping)
        #expect(
            try code {
                $0.entityMappings[0].relationshipMappings[0].valueExpression = try QueryExpression(
                    format:
                        "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"No\", $source.books)"
                )
            } == .invalidMapping)
    }
}

extension MigrationManagerTests {
    /// Asks for objects by the relationships that lead to them.
    private final class Asker: EntityMigrationPolicy {
        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
            guard mapping.name == "BookToWork" else { return }
            let books = try manager.sourceInstances(forEntityMappingName: "BookToWork"),
                authors = try manager.sourceInstances(forEntityMappingName: "AuthorToPerson")
            func names(_ relationship: String, _ objects: [ManagedObject]) throws -> [String] {
                try manager.destinationInstances(forSourceRelationshipNamed: relationship, sourceInstances: objects)
                    .map(\.entity.name)
            }
            manager.userInfo["authors"] = try names("author", authors)
            manager.userInfo["no authors"] = try names("author", books)
            manager.userInfo["books over authors"] = try names("author.books", books)
            do {
                _ = try names("publisher", authors)
            } catch let error as MigrationError {
                manager.userInfo["unknown"] = error.code
            }
        }
    }

    @Test func whatARelationshipLedToIsFoundByItsName() throws {
        var mapping = try mapping()
        mapping.entityMappings[1].migrationPolicyName = "Asker"
        try run(mapping, ["Asker": Asker.self]) { manager, _ in
            #expect(manager.userInfo["authors"] as? [String] == ["Person", "Person"])
            #expect((manager.userInfo["no authors"] as? [String])?.isEmpty == true)
            #expect(manager.userInfo["books over authors"] as? [String] == Array(repeating: "Work", count: 4))
            #expect(manager.userInfo["unknown"] as? MigrationError.Code == .invalidMapping)
            #expect(throws: MigrationError.self) {
                try manager.destinationInstances(forSourceRelationshipNamed: "author", sourceInstances: [])
            }
        }
    }

    private struct LimitReached: Error {}

    private final class Canceller: Recorder {
        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) {
            manager.cancelMigration(with: LimitReached())
        }
    }

    @Test func aCancelledMigrationSavesNothing() throws {
        #expect(throws: LimitReached.self) {
            try run(try mapping(policy: "Canceller"), ["Canceller": Canceller.self]) { _, _ in }
        }
    }

    @Test func anInferredMappingDoesObjectByObjectWhatTheStoreDoesInPlace() throws {
        let newer = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Writer",
                attributes: [
                    .init("name", .string), .init("age", .integer16, isOptional: false, defaultValue: .int(1)),
                    .init("more", .boolean, defaultValue: .bool(true)),
                ],
                relationships: [.init("books", to: "Book", inverse: "authors", maxCount: 0, isOrdered: true)],
                renamingIdentifier: "Author"),
            EntityDefinition(
                "Book", attributes: [.init("name", .string, renamingIdentifier: "title")],
                relationships: [
                    .init("authors", to: "Writer", inverse: "books", maxCount: 0, renamingIdentifier: "author")
                ]),
        ])
        try withTemporaryDirectory { folder in
            let original = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Old.sqlite"), objectsPerEntity: 4)
            let copy = try original.copy(to: folder.appendingPathComponent("Copy.sqlite"))
            try copy.migrate(from: old, to: newer)
            let source = PersistentStoreCoordinator(managedObjectModel: old),
                destination = PersistentStoreCoordinator(managedObjectModel: newer)
            try source.addPersistentStore(PersistentStoreDescription(url: original.url))
            try destination.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("New.sqlite")))
            try MigrationManager(from: source, to: destination).migrate(by: .inferred(from: old, to: newer))
            try destination.removePersistentStores()
            let inPlace = try copy.snapshot().objects,
                byObject = try MigratedStore(url: folder.appendingPathComponent("New.sqlite")).snapshot().objects
            #expect(inPlace.count == byObject.count)
            #expect(
                Set(inPlace.values.compactMap { $0.attributes["name"] })
                    == Set(byObject.values.compactMap { $0.attributes["name"] }))
            #expect(
                inPlace.values.map { $0.toManys["books"]?.count ?? 0 }.sorted()
                    == byObject.values.map { $0.toManys["books"]?.count ?? 0 }.sorted())
            #expect(byObject.values.filter { $0.attributes["more"] == .bool(true) }.count == 4)
        }
    }
}
