import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Synchronization
import TestSupport
import Testing

/// Many threads on one coordinator, and on several coordinators of one file (S49).
struct ConcurrencyTests {
    private static let threadCount = 10
    private static let saveCount = 8

    /// Runs `body` on as many threads as there are, at once, and waits for them.
    private func onThreads(_ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        for number in 0..<Self.threadCount {
            group.enter()
            let thread = Thread {
                do { try body(number) } catch { failures.withLock { $0.append("\(error)") } }
                group.leave()
            }
            thread.start()
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
    }

    /// What one thread does: new objects, one at a time, and reads in between.
    private static func work(_ coordinator: PersistentStoreCoordinator, _ number: Int) throws {
        let context = ManagedObjectContext(coordinator)
        for turn in 0..<saveCount {
            let account = try context.insert("Account")
            account["title"] = "\(number)-\(turn)"
            account["entries"] = [try context.insert("Entry"), try context.insert("Entry")]
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.predicate = try FetchPredicate(format: "title == %@", "\(number)-\(turn)")
            guard try context.fetch(request) == [account] else {
                throw StorageError(.unknownObject, "thread \(number) does not find what it saved")
            }
        }
    }

    private func check(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        let accounts = try context.all("Account")
        #expect(
            accounts.count == Self.threadCount * Self.saveCount
                && Set(accounts.map { $0.text("title") ?? "" }).count == accounts.count)
        #expect(try context.all("Entry", "account != nil").count == accounts.count * 2)
    }

    @Test(arguments: StoreKind.allCases) func tenThreadsShareACoordinator(kind: StoreKind) throws {  // S49
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
            coordinator.registerSamples()
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("a.store"), type: kind.factory.type))
            try onThreads { try Self.work(coordinator, $0) }
            try check(coordinator)
            try coordinator.removePersistentStores()
        }
    }

    @Test func tenThreadsShareTwoStores() throws {
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
            let first = try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("a.sqlite")))
            let second = try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("b.sqlite")))
            try onThreads { number in
                let context = ManagedObjectContext(coordinator)
                for turn in 0..<Self.saveCount {
                    for store in [first, second] {
                        let account = try context.insert("Account")
                        try context.assign(account, to: store)
                        account["title"] = "\(number)-\(turn)"
                    }
                    try context.save()
                }
            }
            let context = ManagedObjectContext(coordinator)
            for store in [first, second] {
                var request = FetchRequest<ManagedObject>(entityName: "Account")
                request.affectedStores = [store.identifier]
                #expect(try context.count(for: request) == Self.threadCount * Self.saveCount)
            }
            try coordinator.removePersistentStores()
        }
    }
}

extension ConcurrencyTests {
    @Test(arguments: [StoreJournalMode.wal, .delete]) func tenCoordinatorsShareAFile(mode: StoreJournalMode) throws {
        try withTemporaryDirectory { folder in
            let model = try GraphFixture.makeModel()
            var description = PersistentStoreDescription(url: folder.appendingPathComponent("a.sqlite"))
            description.timeout = 120
            description.journalMode = mode
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(description)
            description.journalMode = nil
            let shared = description
            try onThreads { number in
                let own = PersistentStoreCoordinator(managedObjectModel: model)
                try own.addPersistentStore(shared)
                try Self.work(own, number)
                try own.removePersistentStores()
            }
            try check(coordinator)
            try coordinator.removePersistentStores()
        }
    }

    /// Files that are read and written one by one are shared as a database is.
    @Test func tenCoordinatorsShareAFolderOfObjects() throws {
        try withTemporaryDirectory { folder in
            let model = try GraphFixture.makeModel()
            var description = PersistentStoreDescription(
                url: folder.appendingPathComponent("objects"), type: JSONObjectStore.storeType)
            description.timeout = 120
            let shared = description
            try onThreads { number in
                let own = PersistentStoreCoordinator(managedObjectModel: model)
                own.registerSamples()
                try own.addPersistentStore(shared)
                try Self.work(own, number)
                try own.removePersistentStores()
            }
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            coordinator.registerSamples()
            try coordinator.addPersistentStore(shared)
            try check(coordinator)
            try coordinator.removePersistentStores()
        }
    }
}
