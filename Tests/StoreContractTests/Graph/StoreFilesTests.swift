import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Whole stores: their metadata, other places and types for them, their end (C7–C16).
struct StoreFilesTests {
    private func run(_ kind: StoreKind, _ body: (URL, PersistentStoreCoordinator, PersistentStore) throws -> Void)
        throws
    {
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
            coordinator.registerSamples()
            let store = try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("a.store"), type: kind.factory.type))
            try body(folder, coordinator, store)
            try coordinator.removePersistentStores()
        }
    }

    private func fill(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        let owner = try context.make("Person", ["name": "Ada", "email": "a@x"])
        let account = try context.make("Savings", ["title": "One", "owner": owner, "rate": 1.5])
        account["entries"] = try ["z", "y"].map { try context.make("Entry", ["text": $0]) }
        account["tags"] = Set(try ["red", "blue"].map { try context.make("Tag", ["word": $0]) })
        try context.save()
    }

    private func check(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        let account = try context.one("Account")
        #expect(account.entity.name == "Savings" && account.target("owner")?.text("name") == "Ada")
        #expect(account.texts("entries", "text") == ["z", "y"] && account.texts("tags", "word") == ["blue", "red"])
    }

    @Test(arguments: StoreKind.builtIn) func metadataAreSetWithTheNextSave(kind: StoreKind) throws {  // C7, C8, C9
        try run(kind) { _, coordinator, store in
            var metadata = try coordinator.metadata(for: store)
            #expect(
                metadata["NSStoreType"] == .string(kind.factory.type.rawValue)
                    && metadata["NSStoreUUID"] == .string(store.identifier))
            guard case .dictionary(let hashes)? = metadata["NSStoreModelVersionHashes"] else {
                return #expect(Bool(false), "no hashes")
            }
            #expect(Set(hashes.keys) == Set(coordinator.managedObjectModel.entities.map(\.name)))
            metadata["owner"] = .string("Ada")
            metadata["list"] = .array([.integer(1), .boolean(true), .dictionary(["a": .data(Data([1]))])])
            try coordinator.setMetadata(metadata, for: store)
            #expect(try coordinator.metadata(for: store)["owner"] == .string("Ada"))
            if kind.hasFile {
                #expect(
                    try coordinator.metadataForPersistentStore(type: store.type, at: store.url)["owner"] == nil,
                    "nothing is saved yet")
            }
            try ManagedObjectContext(coordinator).save()
            if kind.hasFile {
                let stored = try coordinator.metadataForPersistentStore(type: store.type, at: store.url)
                #expect(stored["owner"] == .string("Ada") && stored["list"] == metadata["list"])
            }
            metadata["owner"] = nil
            try coordinator.setMetadata(metadata, for: store)
            try fill(coordinator)
            #expect(try coordinator.metadata(for: store)["owner"] == nil)
            try check(coordinator)
            metadata["NSStoreUUID"] = .string("X")
            let error = #expect(throws: StorageError.self) { try coordinator.setMetadata(metadata, for: store) }
            #expect(error?.code == .unsupported)
        }
    }
}

extension StoreFilesTests {
    @Test(arguments: StoreKind.builtInFiles) func metadataAreReadAndSetInAFileThatNobodyHasOpen(
        kind: StoreKind
    ) throws {  // C8, C10
        try run(kind) { folder, coordinator, store in
            try fill(coordinator)
            try coordinator.remove(store)
            var metadata = try coordinator.metadataForPersistentStore(type: store.type, at: store.url)
            metadata["version"] = .integer(7)
            try coordinator.setMetadata(metadata, forPersistentStoreOfType: store.type, at: store.url)
            #expect(
                try coordinator.metadataForPersistentStore(type: store.type, at: store.url)["version"] == .integer(7))
            try coordinator.addPersistentStore(store.storeDescription)
            try check(coordinator)
            #expect(throws: StorageError.self) {
                try coordinator.metadataForPersistentStore(type: store.type, at: folder.appendingPathComponent("none"))
            }
            let foreign = folder.appendingPathComponent("text")
            try Data("no store".utf8).write(to: foreign)
            #expect(throws: StorageError.self) {
                try coordinator.metadataForPersistentStore(type: store.type, at: foreign)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, StoreKind.allCases)
    func aStoreMovesToAnotherTypeAndItsObjectsAreFoundByTheirNewIDs(from: StoreKind, to: StoreKind) throws {  // C14
        try run(from) { folder, coordinator, store in
            try fill(coordinator)
            var metadata = try coordinator.metadata(for: store)
            metadata["owner"] = .string("Ada")
            try coordinator.setMetadata(metadata, for: store)
            try ManagedObjectContext(coordinator).save()
            let old = try ManagedObjectContext(coordinator).fetch(FetchRequest<ManagedObjectID>(entityName: "Account"))
            let result = try coordinator.migratePersistentStore(
                store, to: folder.appendingPathComponent("b.store"), type: to.factory.type)
            #expect(
                coordinator.persistentStores == [result.store] && result.store.type == to.factory.type
                    && result.store.identifier != store.identifier)
            try check(coordinator)
            #expect(try coordinator.metadata(for: result.store)["owner"] == .string("Ada"))
            #expect(result.objectIDs.count == 6)
            let context = ManagedObjectContext(coordinator)
            let new = try #require(result.objectIDs[old[0]])
            #expect(try context.existingObject(with: new).text("title") == "One")
            #expect(throws: GraphError.self) { try context.existingObject(with: old[0]) }
            // What comes then is numbered on.
            try context.make("Account", ["title": "Two"])
            try context.save()
            #expect(try ManagedObjectContext(coordinator).all("Account").count == 2)
        }
    }

    @Test func movingToWhereAFileIsLeavesEverythingAsItWas() throws {
        try run(.sqlite) { folder, coordinator, store in
            try fill(coordinator)
            let taken = folder.appendingPathComponent("taken")
            try Data("mine".utf8).write(to: taken)
            let error = #expect(throws: StorageError.self) {
                try coordinator.migratePersistentStore(store, to: taken, type: .xml)
            }
            #expect(error?.code == .cannotCreate && coordinator.persistentStores == [store])
            #expect(try Data(contentsOf: taken) == Data("mine".utf8))
            try check(coordinator)
        }
    }
}

extension StoreFilesTests {
    @Test(arguments: StoreKind.builtInFiles) func aStoreIsDestroyedUnlessItIsOpen(kind: StoreKind) throws {  // C15
        try run(kind) { folder, coordinator, store in
            try fill(coordinator)
            let busy = #expect(throws: StorageError.self) {
                try coordinator.destroyPersistentStore(at: store.url, type: store.type)
            }
            #expect(busy?.code == .busy)
            try coordinator.remove(store)
            try coordinator.destroyPersistentStore(at: store.url, type: store.type)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            let missing = #expect(throws: StorageError.self) {
                try coordinator.destroyPersistentStore(at: store.url, type: store.type)
            }
            #expect(missing?.code == .notFound)
            let text = folder.appendingPathComponent("text")
            try Data("no store".utf8).write(to: text)
            #expect(throws: StorageError.self) { try coordinator.destroyPersistentStore(at: text, type: store.type) }
            #expect(FileManager.default.fileExists(atPath: text.path))
        }
    }

    @Test func aSQLiteStoreThatAnotherCoordinatorHasOpenIsNotDestroyed() throws {
        try run(.sqlite) { _, coordinator, store in
            try fill(coordinator)
            let other = PersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
            let error = #expect(throws: StorageError.self) {
                try other.destroyPersistentStore(at: store.url, type: .sqlite)
            }
            #expect(error?.code == .busy)
            try check(coordinator)
        }
    }

    @Test(arguments: StoreKind.builtInFiles) func aStoreIsReplacedByACopyOfAnother(kind: StoreKind) throws {  // C16
        try run(kind) { folder, coordinator, store in
            try fill(coordinator)
            let target = folder.appendingPathComponent("other.store")
            try coordinator.replacePersistentStore(at: target, withPersistentStoreFrom: store.url, type: store.type)
            let context = ManagedObjectContext(coordinator)
            try context.one("Account")["title"] = "Later"
            try context.save()
            let other = PersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
            let copy = try other.addPersistentStore(PersistentStoreDescription(url: target, type: store.type))
            #expect(copy.identifier == store.identifier)
            try withContext(other) { context in
                let found = try context.one("Account").text("title")
                #expect(found == "One")
            }
            try check(other)
            try other.removePersistentStores()
            try coordinator.replacePersistentStore(at: target, withPersistentStoreFrom: store.url, type: store.type)
            try other.addPersistentStore(PersistentStoreDescription(url: target, type: store.type))
            try withContext(other) { context in
                let found = try context.one("Account").text("title")
                #expect(found == "Later")
            }
            try other.removePersistentStores()
        }
    }
}
