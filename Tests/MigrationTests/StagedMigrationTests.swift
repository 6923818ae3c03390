import Foundation
import Migration
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

struct StagedMigrationTests {
    private func model(_ attributes: AttributeDescription...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [EntityDefinition("A", attributes: attributes)])
    }

    private func versions() throws -> [ManagedObjectModel] {
        [
            try model(.init("x", .string)), try model(.init("x", .string), .init("n", .integer32)),
            // The text becomes a number: by hand, between two inferred steps.
            try model(.init("x", .string), .init("number", .integer32, renamingIdentifier: "n"), .init("y", .string)),
            try model(.init("number", .integer32, isOptional: false, defaultValue: .int(0))),
        ]
    }

    private func stages(_ versions: [ManagedObjectModel], _ did: @escaping (ManagedObjectContext) throws -> Void) throws
        -> StagedMigrationManager
    {
        try StagedMigrationManager([
            .lightweight("first", [versions[0], versions[1]]),
            .custom("fill", from: versions[1], to: versions[2], willMigrate: nil, didMigrate: did),
            .lightweight("last", [versions[2], versions[3]]),
        ])
    }

    @Test func everyOldVersionIsLedToTheNewest() throws {
        let versions = try versions()
        let manager = try stages(versions) { context in
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "A")) {
                object["number"] = (object["x"] as? String)?.utf8.count
            }
            try context.save()
        }
        for (index, names) in [["first", "fill", "last"], ["fill", "last"], ["last"], []].enumerated() {
            try withTemporaryDirectory { folder in
                let store = try MigratedStore.make(versions[index], at: folder.appendingPathComponent("Store.sqlite"))
                #expect(try manager.migrateStore(at: PersistentStoreDescription(url: store.url)) == names)
                let numbers = try store.snapshot(versions[3]).objects.values.map { $0.attributes["number"] }
                #expect(numbers.count == 3)
                if index < 2 { #expect(numbers.allSatisfy { $0 == .int(Int64("x №0 ’\"; ö".utf8.count)) }) }
                #expect(try manager.migrateStore(at: PersistentStoreDescription(url: store.url)).isEmpty)
            }
        }
    }

    private struct Failure: Error {}

    @Test func aHandlerThatFailsLeavesTheVersionThatWasReached() throws {
        let versions = try versions()
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(versions[0], at: folder.appendingPathComponent("Store.sqlite"))
            let failing = try stages(versions) { _ in throw Failure() }
            #expect(throws: Failure.self) { try failing.migrateStore(at: PersistentStoreDescription(url: store.url)) }
            #expect(try store.snapshot(versions[2]).objects.count == 3)
            // The work is taken up again where it was left.
            var count = 0
            let working = try stages(versions) { context in
                count += 1
                for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "A")) { object["number"] = 7 }
                try context.save()
            }
            #expect(try working.migrateStore(at: PersistentStoreDescription(url: store.url)) == ["fill", "last"])
            #expect(count == 1)
            #expect(try store.snapshot(versions[3]).objects.values.allSatisfy { $0.attributes["number"] == .int(7) })
            #expect(try working.migrateStore(at: PersistentStoreDescription(url: store.url)).isEmpty)
        }
    }

    @Test func stagesAreCheckedBeforeAnythingMoves() throws {
        let text = try model(.init("x", .string)), number = try model(.init("x", .integer32))
        let error = #expect(throws: MigrationError.self) {
            try StagedMigrationManager([.lightweight("wrong", [text, number])])
        }
        #expect(error?.code == .notInferable && error?.obstacles.map(\.place) == ["A.x"])
        try withTemporaryDirectory { folder in
            let store = try MigratedStore.make(number, at: folder.appendingPathComponent("Store.sqlite"))
            let manager = try StagedMigrationManager([
                .lightweight("other", [text, try model(.init("x", .string), .init("y", .date))])
            ])
            let error = #expect(throws: MigrationError.self) {
                try manager.migrateStore(at: PersistentStoreDescription(url: store.url))
            }
            #expect(error?.code == .missingModel)
        }
    }
}
