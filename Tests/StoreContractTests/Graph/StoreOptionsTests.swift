import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteKit
import SQLiteStore
import Schema
import Stack
import Storage
import Synchronization
import TestSupport
import Testing

/// How stores are opened: every option that is taken acts (C17, C18, C21).
struct StoreOptionsTests {
    private func model(_ attributes: [AttributeDescription] = []) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [.init("title", .string), .init("scan", .binary, allowsExternalBinaryDataStorage: true)]
                    + attributes)
        ])
    }

    /// Opens a store by its description, adds a note, and runs `body` while it is open.
    private func run(
        _ kind: StoreKind, _ change: (inout PersistentStoreDescription) throws -> Void,
        _ body: (PersistentStoreCoordinator, URL) throws -> Void = { _, _ in }
    ) throws {
        try withTemporaryDirectory { folder in
            var description = PersistentStoreDescription(
                url: folder.appendingPathComponent("a.store"), type: kind.factory.type)
            try change(&description)
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
            coordinator.registerSamples()
            try coordinator.addPersistentStore(description)
            let context = ManagedObjectContext(coordinator)
            try context.make("Note", ["title": "one"])
            try context.save()
            try body(coordinator, description.url)
            try coordinator.removePersistentStores()
        }
    }

    /// What a pragma says on the store's own connection.
    private func pragma(_ name: String, _ coordinator: PersistentStoreCoordinator) throws -> String? {
        try (coordinator.stores.first as? SQLitePersistentStore)?.setting(name)
    }

    private func check(_ name: String, _ value: String, _ coordinator: PersistentStoreCoordinator) throws {
        let found = try pragma(name, coordinator)
        #expect(found == value, "\(name)")
    }

    @Test func theJournalIsKeptAsAskedFor() throws {
        func journals(_ url: URL) -> [String] {
            ["-wal", "-journal"].filter { FileManager.default.fileExists(atPath: url.path + $0) }
        }
        try run(.sqlite, { $0.journalMode = .delete }) { coordinator, url in
            #expect(try pragma("journal_mode", coordinator) == "delete" && journals(url) == [])
            // A rollback journal needs more than SQLite's own level to outlive power cuts.
            try check("synchronous", "3", coordinator)
            // Another coordinator makes it a log, and back.
            try coordinator.removePersistentStores()
            var description = PersistentStoreDescription(url: url)
            description.journalMode = .wal
            try coordinator.addPersistentStore(description)
            #expect(try pragma("journal_mode", coordinator) == "wal" && pragma("synchronous", coordinator) == "2")
        }
        try run(
            .sqlite,
            { try $0.setOption(.dictionary(["journal_mode": .string("DELETE")]), forKey: "NSSQLitePragmasOption") }
        ) { coordinator, _ in
            try check("journal_mode", "delete", coordinator)
        }
    }

    @Test func aChangeOfTheJournalWaitsForOthers() throws {
        try run(.sqlite, { _ in }) { coordinator, url in
            try coordinator.removePersistentStores()
            let other = try Connection(url.path, .readWrite)
            _ = try other.value("SELECT count(*) FROM ZNOTE")
            let told = Mutex(0)
            var description = PersistentStoreDescription(url: url)
            description.journalMode = .delete
            description.timeout = 30
            description.waitObserver = StoreWaitObserver { seconds in
                seconds < 25
                    && told.withLock { count in
                        count += 1
                        return count < 4
                    }
            }
            let error = #expect(throws: StorageError.self) { try coordinator.addPersistentStore(description) }
            #expect(error?.code == .busy && told.withLock { $0 } == 4)
            try other.close()
            try coordinator.addPersistentStore(description)
            #expect(try pragma("journal_mode", coordinator) == "delete")
        }
    }
}

extension StoreOptionsTests {
    @Test func synchronizationIsAsAskedForWhereThatIsSafe() throws {
        try run(.sqlite, { $0.synchronous = .normal }) { coordinator, _ in try check("synchronous", "1", coordinator) }
        try run(.sqlite, { try $0.setValue("3", forPragmaNamed: "synchronous") }) { coordinator, _ in
            try check("synchronous", "3", coordinator)
        }
        let error = #expect(throws: StorageError.self) {
            try run(
                .sqlite,
                {
                    $0.journalMode = .delete
                    $0.synchronous = .normal
                })
        }
        #expect(error?.code == .unsupported && error?.message.contains("journal mode wal") == true)
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: "/none"))
        let off = #expect(throws: StorageError.self) { try description.setValue("OFF", forPragmaNamed: "synchronous") }
        #expect(off?.code == .unsupported && off?.message.contains("it can be normal, full, extra") == true)
        #expect(throws: StorageError.self) { try description.setValue("MEMORY", forPragmaNamed: "journal_mode") }
    }

    @Test func theCacheIsAsLargeAsAskedFor() throws {
        try run(.sqlite, { $0.cacheKilobytes = 512 }) { coordinator, _ in try check("cache_size", "-512", coordinator) }
        try run(.sqlite, { try $0.setValue("100", forPragmaNamed: "cache_size") }) { coordinator, _ in
            try check("cache_size", "-400", coordinator)
        }
        try run(.sqlite, { _ in }) { coordinator, _ in try check("cache_size", "-32768", coordinator) }
    }

    @Test(arguments: [StoreKind.sqlite, .binary, .xml]) func aNewStoreHasThePermissionsAskedFor(kind: StoreKind) throws
    {
        try run(kind, { try $0.setOption(.integer(0o600), forKey: "fileMode") }) { _, url in
            for name in try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            where name.hasPrefix("a.store") {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: url.deletingLastPathComponent().appendingPathComponent(name).path)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
        }
    }

    @Test func whoWaitsIsToldAndMayGiveUp() throws {
        let told = Mutex<[Double]>([])
        try run(
            .sqlite,
            {
                $0.journalMode = .delete
                $0.timeout = 30
                $0.waitObserver = StoreWaitObserver { seconds in
                    told.withLock { $0.append(seconds) }
                    return told.withLock { $0.count } < 4
                }
            }
        ) { coordinator, url in
            // Somebody else writes and does not end.
            let other = try Connection(url.path, .readWrite)
            try other.execute("BEGIN EXCLUSIVE")
            let context = ManagedObjectContext(coordinator)
            try context.make("Note", ["title": "two"])
            let error = #expect(throws: StorageError.self) { try context.save() }
            #expect(error?.code == .busy)
            let waits = told.withLock { $0 }
            #expect(
                waits.count == 4 && waits == waits.sorted() && waits[3] < 25, "it was not the timeout that ended it")
            try other.execute("COMMIT")
            try context.save()
            try other.close()
        }
    }

    @Test func waitingEndsWithTheTimeout() throws {  // C18
        try run(
            .sqlite,
            {
                $0.journalMode = .delete
                try $0.setOption(.real(0.1), forKey: "NSPersistentStoreTimeoutOption")
            }
        ) { coordinator, url in
            let other = try Connection(url.path, .readWrite)
            try other.execute("BEGIN EXCLUSIVE")
            let context = ManagedObjectContext(coordinator)
            try context.make("Note", ["title": "two"])
            let start = Date()
            let error = #expect(throws: StorageError.self) { try context.save() }
            #expect(error?.code == .busy && Date().timeIntervalSince(start) < 20)
            try other.execute("COMMIT")
            try other.close()
        }
    }
}

extension StoreOptionsTests {
    @Test func aSQLiteStoreInMemoryHasSQLAndNoFile() throws {  // C21
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        let store = try coordinator.addPersistentStore(
            PersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null")))
        let context = ManagedObjectContext(coordinator)
        let large = Data(repeating: 7, count: 300_000)
        for number in 0..<5 { try context.make("Note", ["title": "n\(number)", "scan": number == 3 ? large : nil]) }
        try context.save()
        let reader = ManagedObjectContext(coordinator)
        #expect(try reader.all("Note", "title MATCHES 'n[1-3]'").count == 3)
        let scan = try reader.one("Note", "title == 'n3'")["scan"] as? LargeValue
        #expect(try scan?.data() == large)
        #expect(
            try coordinator.stores.first?.explanation(of: RowRequest(entityIndex: 0)).statement.contains("ZNOTE")
                == true)
        try coordinator.remove(store)
        try coordinator.addPersistentStore(store.storeDescription)
        #expect(try ManagedObjectContext(coordinator).all("Note").isEmpty)
        try coordinator.removePersistentStores()
    }

    @Test func anotherVersionOfTheModelIsMigratedToUnlessThatIsSwitchedOff() throws {  // C12, C19
        try run(.sqlite, { _ in }) { coordinator, url in
            try coordinator.removePersistentStores()
            let later = try model([.init("stars", .integer16, isOptional: false, defaultValue: .int(3))])
            let next = PersistentStoreCoordinator(managedObjectModel: later)
            for (change, code) in [
                ({ description in description.migratesAutomatically = false }, .incompatibleModel),
                ({ $0.infersMappingModel = false }, .unmigratable),
            ] as [((inout PersistentStoreDescription) -> Void, StorageError.Code)] {
                var description = PersistentStoreDescription(url: url)
                change(&description)
                let error = #expect(throws: StorageError.self) { try next.addPersistentStore(description) }
                #expect(error?.code == code)
            }
            try next.addPersistentStore(PersistentStoreDescription(url: url))
            try withContext(next) { context in
                let found = try context.one("Note").number("stars")
                #expect(found == 3)
            }
            try next.removePersistentStores()

            var other = ManagedObjectModel.Definition()
            other.entities = [EntityDefinition("Note", attributes: [.init("title", .integer32)])]
            let impossible = PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(other))
            let error = #expect(throws: StorageError.self) {
                try impossible.addPersistentStore(PersistentStoreDescription(url: url))
            }
            #expect(error?.code == .unmigratable)
        }
    }

    @Test func optionsGoByCoreDatasNamesAndAnUnknownOneIsRefused() throws {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: "/none"))
        try description.setOption(.integer(1), forKey: "NSReadOnlyPersistentStoreOption")
        try description.setOption(.boolean(true), forKey: "NSPersistentHistoryTrackingKey")
        try description.setOption(.boolean(false), forKey: "NSMigratePersistentStoresAutomaticallyOption")
        try description.setOption(.integer(9), forKey: "timeout")
        #expect(
            description.isReadOnly && description.tracksHistory && !description.migratesAutomatically
                && description.timeout == 9)
        func refusal(_ key: String, _ value: MetadataValue) -> String {
            let error = #expect(throws: StorageError.self) { try description.setOption(value, forKey: key) }
            #expect(error?.code == .unsupported)
            return error?.message ?? ""
        }
        #expect(
            refusal("NSReadOnlyPersistentStoreOptions", .boolean(true)).contains(
                "did you mean \"NSReadOnlyPersistentStoreOption\"?"))
        #expect(refusal("fileMode", .integer(0o400)).contains("can't have the value"))
        #expect(refusal("timeout", .string("long")).contains("can't have the value long"))
        #expect(
            refusal("NSSQLitePragmasOption", .dictionary(["jurnal_mode": .string("wal")])).contains(
                "did you mean \"journal_mode\"?"))
    }
}

extension StoreOptionsTests {
    @Test(arguments: StoreKind.allCases.filter { $0 != .sqlite }) func whatOnlySQLiteHasIsRefusedByOthers(
        kind: StoreKind
    ) throws {
        for change in [{ $0.journalMode = .wal }, { $0.synchronous = .full }, { $0.cacheKilobytes = 100 }]
            as [(inout PersistentStoreDescription) -> Void]
        {
            let error = #expect(throws: StorageError.self) { try run(kind, change) }
            #expect(error?.code == .unsupported && error?.message.contains("use a SQLite store") == true)
        }
    }

    @Test func everyNameSetsWhatItSays() throws {
        func description(_ key: String, _ value: MetadataValue) throws -> PersistentStoreDescription {
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: "/none"))
            try description.setOption(value, forKey: key)
            return description
        }
        for key in ["NSReadOnlyPersistentStoreOption", "isReadOnly"] {
            #expect(try description(key, .boolean(true)).isReadOnly)
        }
        for key in ["NSPersistentHistoryTrackingKey", "tracksHistory"] {
            #expect(try description(key, .integer(1)).tracksHistory)
        }
        for key in ["NSMigratePersistentStoresAutomaticallyOption", "migratesAutomatically"] {
            #expect(try !description(key, .boolean(false)).migratesAutomatically)
        }
        for key in ["NSInferMappingModelAutomaticallyOption", "infersMappingModel"] {
            #expect(try !description(key, .integer(0)).infersMappingModel)
        }
        for key in ["NSPersistentStoreTimeoutOption", "timeout"] {
            #expect(try description(key, .real(7.5)).timeout == 7.5)
        }
        #expect(try description("fileMode", .integer(0o640)).fileMode == 0o640)
        let pragmas = try description(
            "NSSQLitePragmasOption",
            .dictionary([
                "journal_mode": .string("delete"), "synchronous": .string("EXTRA"), "cache_size": .integer(-2048),
            ]))
        #expect(pragmas.journalMode == .delete && pragmas.synchronous == .extra && pragmas.cacheKilobytes == 2048)
    }

    /// Nothing is written, neither to the store nor beside it, also where nothing could be.
    @Test(arguments: StoreKind.inFiles) func aStoreForReadingOnlyLeavesItsFolderAsItIs(
        kind: StoreKind
    ) throws {
        try run(kind, { _ in }) { coordinator, url in
            try coordinator.removePersistentStores()
            let folder = url.deletingLastPathComponent()
            func snapshot() throws -> [String: Data] {
                var found: [String: Data] = [:]
                for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                    found[name] =
                        FileManager.default.contents(atPath: folder.appendingPathComponent(name).path) ?? Data()
                }
                return found
            }
            let before = try snapshot()
            var description = PersistentStoreDescription(url: url, type: kind.factory.type)
            try description.setOption(.boolean(true), forKey: "NSReadOnlyPersistentStoreOption")
            try coordinator.addPersistentStore(description)
            try withContext(coordinator) { context in
                #expect(try context.one("Note").text("title") == "one")
                try context.make("Note", ["title": "two"])
                #expect(throws: (any Error).self) { try context.save() }
            }
            #expect(try snapshot() == before)
            try coordinator.removePersistentStores()
            #expect(try snapshot() == before)
        }
    }
}

extension StoreOptionsTests {
    @Test(arguments: [StoreKind.binary, .xml]) func whoWaitsForAFileThatIsWrittenIsToldToo(kind: StoreKind) throws {
        let told = Mutex<[Double]>([])
        try run(
            kind,
            {
                $0.timeout = 30
                $0.waitObserver = StoreWaitObserver { seconds in
                    told.withLock { $0.append(seconds) }
                    return told.withLock { $0.count } < 3
                }
            }
        ) { coordinator, url in
            let name = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).writing").path
            let lock = try #require(try FileLock.acquire(name))
            let context = ManagedObjectContext(coordinator)
            try context.make("Note", ["title": "two"])
            let error = #expect(throws: StorageError.self) { try context.save() }
            #expect(error?.code == .busy && told.withLock { $0.count } == 3)
            try lock.release(removing: true)
            try context.save()
        }
    }
}
