import Foundation
import Migration
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Stack
import Storage
import Synchronization
import TestSupport
import Testing

/// Stores of every kind that are brought to a coordinator's version as they are opened.
struct OpeningMigrationTests {
    /// A store of an application's own, in the memory of the process.
    private final class MemoryStore: AtomicStore {
        static let storeType = StoreType(rawValue: "Memory")
        static let files = Mutex<[String: AtomicStoreContent]>([:])
        private let path: String

        init(_ description: PersistentStoreDescription, model: ManagedObjectModel) { path = description.url.path }

        func load() -> AtomicStoreContent? { Self.files.withLock { $0[path] } }

        func save(_ content: AtomicStoreContent) { Self.files.withLock { $0[path] = content } }
    }

    private func model(_ attributes: AttributeDescription...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [EntityDefinition("A", attributes: attributes)])
    }

    private func context(_ model: ManagedObjectModel, _ description: PersistentStoreDescription) throws
        -> ManagedObjectContext
    {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        coordinator.register(MemoryStore.self)
        try coordinator.addPersistentStore(description)
        return ManagedObjectContext(coordinator)
    }

    static let types = [StoreType.sqlite, .xml, .binary, StoreType(rawValue: "Memory")]

    @Test(arguments: types) func aStoreOfEveryTypeKeepsItsObjectsAndTheirIDs(_ type: StoreType) throws {
        let old = try model(.init("x", .string)), new = try model(.init("y", .string, renamingIdentifier: "x"))
        try withTemporaryDirectory { folder in
            var description = PersistentStoreDescription(url: folder.appendingPathComponent("Store"), type: type)
            let first = try context(old, description)
            let gone = try first.insert("A"), kept = try first.insert("A")
            kept["x"] = "kept"
            try first.save()
            first.delete(gone)
            try first.save()
            let uri = kept.objectID.uriRepresentation()
            try first.persistentStoreCoordinator.removePersistentStores()

            description.migratesAutomatically = false
            let refusal = #expect(throws: StorageError.self) { try context(new, description) }
            #expect(refusal?.code == .incompatibleModel)
            description.migratesAutomatically = true
            description.infersMappingModel = false
            let unmapped = #expect(throws: StorageError.self) { try context(new, description) }
            #expect(unmapped?.code == .unmigratable)
            description.infersMappingModel = true
            description.isReadOnly = true
            #expect(throws: StorageError.self) { try context(new, description) }
            description.isReadOnly = false

            let second = try context(new, description)
            let found = try second.fetch(FetchRequest<ManagedObject>(entityName: "A"))
            #expect(found.map { $0["y"] as? String } == ["kept"])
            #expect(found.first?.objectID.uriRepresentation() == uri)
            let added = try second.insert("A")
            try second.save()
            #expect(added.objectID != found.first?.objectID)
            try second.persistentStoreCoordinator.removePersistentStores()
        }
    }

    @Test(arguments: [StoreType.xml, .binary]) func stagesRunOnStoresThatAreWrittenAsAWhole(_ type: StoreType) throws {
        let versions = [
            try model(.init("x", .string)), try model(.init("x", .string), .init("length", .integer32)),
            try model(.init("length", .integer32)),
        ]
        func manager(_ work: @escaping (ManagedObjectContext) throws -> Void) throws -> StagedMigrationManager {
            try StagedMigrationManager([
                .custom("count", from: versions[0], to: versions[1], willMigrate: nil, didMigrate: work),
                .lightweight("drop", [versions[1], versions[2]]),
            ])
        }
        struct Failure: Error {}
        try withTemporaryDirectory { folder in
            let description = PersistentStoreDescription(url: folder.appendingPathComponent("Store"), type: type)
            let first = try context(versions[0], description)
            try first.insert("A")["x"] = "four"
            try first.save()
            try first.persistentStoreCoordinator.removePersistentStores()
            let bytes = try Data(contentsOf: description.url)
            #expect(throws: Failure.self) {
                try manager { _ in throw Failure() }.migrateStore(at: description)
            }
            #expect(try Data(contentsOf: description.url) == bytes)
            let counting = try manager { context in
                for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "A")) {
                    object["length"] = (object["x"] as? String)?.count
                }
                try context.save()
            }
            #expect(try counting.migrateStore(at: description) == ["count", "drop"])
            #expect(try counting.migrateStore(at: description).isEmpty)
            let last = try context(versions[2], description)
            #expect(try last.fetch(FetchRequest<ManagedObject>(entityName: "A")).map { $0["length"] as? Int } == [4])
            try last.persistentStoreCoordinator.removePersistentStores()
        }
    }
}
