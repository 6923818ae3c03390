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

/// Mapping models that tables alone can follow: the store does in place what the manager does
/// object by object.
struct SplitMigrationTests {
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel

    init() throws {
        old = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Owner", attributes: [.init("name", .string)],
                relationships: [.init("items", to: "Item", inverse: "owner", maxCount: 0)]),
            EntityDefinition(
                "Item",
                attributes: [
                    .init("title", .string), .init("note", .string), .init("weight", .double),
                    .init("kind", .integer16),
                ],
                relationships: [
                    .init("owner", to: "Owner", inverse: "items"),
                    .init("tags", to: "Tag", inverse: "items", maxCount: 0),
                ]),
            EntityDefinition(
                "Tag", attributes: [.init("word", .string)],
                relationships: [.init("items", to: "Item", inverse: "tags", maxCount: 0)]),
        ])
        new = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Owner", attributes: [.init("name", .string)],
                relationships: [.init("items", to: "Item", inverse: "owner", maxCount: 0)]),
            EntityDefinition(
                "Item",
                attributes: [
                    .init("name", .string), .init("kind", .integer16),
                    .init("state", .string, isOptional: false, defaultValue: .string("new")),
                ],
                relationships: [
                    .init("owner", to: "Owner", inverse: "items"),
                    .init("labels", to: "Tag", inverse: "items", maxCount: 0),
                    .init("detail", to: "Detail", inverse: "item"),
                ]),
            EntityDefinition(
                "Detail", attributes: [.init("text", .string), .init("weight", .double)],
                relationships: [.init("item", to: "Item", inverse: "detail")]),
            EntityDefinition(
                "Tag", attributes: [.init("word", .string)],
                relationships: [.init("items", to: "Item", inverse: "labels", maxCount: 0)]),
        ])
    }

    private func value(_ text: String) throws -> QueryExpression { try QueryExpression(format: text) }

    private func made(_ mapping: String, _ value: String) throws -> QueryExpression {
        try self.value(
            "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"\(mapping)\", \(value))"
        )
    }

    private func mapping() throws -> MappingModel {
        MappingModel(entityMappings: [
            EntityMapping(
                "Owners", .copy, from: "Owner", to: "Owner",
                attributeMappings: [PropertyMapping("name", valueExpression: try value("$source.name"))],
                relationshipMappings: [
                    PropertyMapping(
                        "items",
                        valueExpression: try value(
                            "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"items\", $source.items)"
                        ))
                ]),
            EntityMapping(
                "Items", .transform, from: "Item", to: "Item",
                attributeMappings: [
                    PropertyMapping("name", valueExpression: try value("$source.title")),
                    PropertyMapping("kind", valueExpression: try value("$source.kind")), PropertyMapping("state"),
                ],
                relationshipMappings: [
                    PropertyMapping("owner", valueExpression: try made("Owners", "$source.owner")),
                    PropertyMapping("labels", valueExpression: try made("Tags", "$source.tags")),
                    PropertyMapping("detail", valueExpression: try made("Details", "$source")),
                ]),
            EntityMapping(
                "Details", .transform, from: "Item", to: "Detail",
                attributeMappings: [
                    PropertyMapping("text", valueExpression: try value("$source.note")),
                    PropertyMapping("weight", valueExpression: try value("$source.weight")),
                ]),
            EntityMapping(
                "Tags", .copy, from: "Tag", to: "Tag",
                attributeMappings: [PropertyMapping("word", valueExpression: try value("$source.word"))]),
        ])
    }

    @Test func anEntityIsSplitInPlaceAndTheHalvesKnowEachOther() throws {
        let plan = try #require(MigrationPlan.equivalent(to: try mapping(), from: old, to: new))
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Store.sqlite"), objectsPerEntity: 5)
            let before = try store.snapshot().objects
            try SQLitePersistentStore.migrate(PersistentStoreDescription(url: store.url), [plan])
            try store.checkLayout(new, "split")
            let after = try store.snapshot(new).objects
            #expect(after.count == before.count + 5)
            for (object, content) in before where object.entity == "Item" {
                let detail = StoreSnapshot.Object(entity: "Detail", key: object.key)
                let item = try #require(after[object]), half = try #require(after[detail])
                #expect(
                    item.attributes == [
                        "name": content.attributes["title"] ?? .null, "kind": content.attributes["kind"] ?? .null,
                        "state": .string("new"),
                    ])
                #expect(
                    half.attributes == [
                        "text": content.attributes["note"] ?? .null, "weight": content.attributes["weight"] ?? .null,
                    ])
                #expect(item.toOnes["detail"] == detail && half.toOnes["item"] == object)
                #expect(item.toOnes["owner"] == content.toOnes["owner"])
                #expect(item.toManys["labels"]?.sorted() == content.toManys["tags"]?.sorted())
            }
            for (object, content) in before where object.entity == "Owner" {
                #expect(after[object]?.toManys["items"]?.sorted() == content.toManys["items"]?.sorted())
            }
        }
    }

    /// The words of every object and of what it is related to, whatever the numbers.
    private func words(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        let context = ManagedObjectContext(coordinator)
        return try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")).map { item in
            let detail = item["detail"] as? ManagedObject,
                tags = (item["labels"] as? Set<ManagedObject> ?? []).compactMap { $0["word"] as? String }.sorted()
            return
                "\(item["name"] ?? "") \(item["kind"] ?? "") \(item["state"] ?? "") \((item["owner"] as? ManagedObject)?["name"] ?? "") \(tags) \(detail?["text"] ?? "") \(detail?["weight"] ?? "")"
        }.sorted()
    }

    @Test func theManagerMakesTheSame() throws {
        let plan = try #require(MigrationPlan.equivalent(to: try mapping(), from: old, to: new))
        try withTemporaryDirectory { folder in
            let original = try MigratedStore.make(
                old, at: folder.appendingPathComponent("Old.sqlite"), objectsPerEntity: 5)
            let copy = try original.copy(to: folder.appendingPathComponent("Copy.sqlite"))
            try SQLitePersistentStore.migrate(PersistentStoreDescription(url: copy.url), [plan])
            let source = PersistentStoreCoordinator(managedObjectModel: old),
                made = PersistentStoreCoordinator(managedObjectModel: new),
                migrated = PersistentStoreCoordinator(managedObjectModel: new)
            try source.addPersistentStore(PersistentStoreDescription(url: original.url))
            try made.addPersistentStore(PersistentStoreDescription(url: folder.appendingPathComponent("New.sqlite")))
            try MigrationManager(from: source, to: made).migrate(by: try mapping())
            try migrated.addPersistentStore(PersistentStoreDescription(url: copy.url))
            let (expected, found) = (try words(made), try words(migrated))
            #expect(expected.count == 5 && expected == found)
        }
    }

    @Test func whatTakesObjectsIsLeftToTheManager() throws {
        func plan(_ change: (inout MappingModel) throws -> Void) throws -> MigrationPlan? {
            var mapping = try mapping()
            try change(&mapping)
            return MigrationPlan.equivalent(to: mapping, from: old, to: new)
        }
        #expect(try plan { _ in } != nil)
        #expect(try plan { $0.entityMappings[1].sourcePredicate = try FetchPredicate(format: "kind > 1") } == nil)
        #expect(try plan { $0.entityMappings[1].migrationPolicyName = "Own" } == nil)
        #expect(
            try plan {
                $0.entityMappings[1].attributeMappings[0].valueExpression = try value("uppercase($source.title)")
            } == nil)
        #expect(try plan { $0.entityMappings[1].attributeMappings[2].valueExpression = try value("\"other\"") } == nil)
        // What two entities were can't be one.
        #expect(try plan { $0.entityMappings[3].destinationEntityName = "Detail" } == nil)
        // The tags' items are those of the first half, and nobody says so of the second.
        #expect(
            try plan {
                $0.entityMappings[1].relationshipMappings[0].valueExpression = try made("Tags", "$source.owner")
            } == nil)
    }
}
