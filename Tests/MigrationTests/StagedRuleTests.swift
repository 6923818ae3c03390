import Foundation
import Migration
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// What a version demands holds after the handler of its stage.
struct StagedRuleTests {
    private func versions() throws -> [ManagedObjectModel] {
        func model(_ attributes: AttributeDescription...) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [EntityDefinition("A", attributes: attributes)])
        }
        return [
            try model(.init("x", .string)),
            try model(.init("x", .string), .init("n", .integer32, isOptional: false)),
        ]
    }

    private func manager(_ versions: [ManagedObjectModel], filling count: Int) throws -> StagedMigrationManager {
        try StagedMigrationManager([
            .custom(
                "fill", from: versions[0], to: versions[1], willMigrate: nil,
                didMigrate: { context in
                    let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: "A"))
                    for object in objects.prefix(count) { object["n"] = 1 }
                    try context.save()
                })
        ])
    }

    @Test func objectsThatTheHandlerLeavesInvalidAreRefusedUntilTheyAreValid() throws {
        let versions = try versions()
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(versions[0], at: folder.appendingPathComponent("Store.sqlite"))
            let description = PersistentStoreDescription(url: store.url)
            for _ in 0..<2 {
                let error = #expect(throws: StorageError.self) {
                    try manager(versions, filling: 2).migrateStore(at: description)
                }
                #expect(error?.code == .invalidObjects && error?.message.contains("A.n is required (A/p") == true)
            }
            #expect(try manager(versions, filling: 3).migrateStore(at: description) == ["fill"])
            #expect(try manager(versions, filling: 0).migrateStore(at: description).isEmpty)
        }
    }
}
