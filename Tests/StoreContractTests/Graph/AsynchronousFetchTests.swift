import Dispatch
import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Synchronization
import TestSupport
import Testing

/// Fetches whose query runs in another thread.
@MainActor @Suite struct AsynchronousFetchTests {
    private func coordinator(_ folder: URL, _ kind: StoreKind) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
        coordinator.registerSamples()
        try coordinator.addPersistentStore(
            PersistentStoreDescription(url: folder.appendingPathComponent("a.store"), type: kind.factory.type))
        return coordinator
    }

    /// Every form of request gives what the synchronous fetch gives, with and without unsaved
    /// changes.
    @Test(arguments: StoreKind.allCases) func theResultIsThatOfAFetch(kind: StoreKind) async throws {
        try await withFolder { folder in
            try await checkRequests(coordinator(folder, kind))
        }
    }

    private func checkRequests(_ coordinator: PersistentStoreCoordinator) async throws {
        let context = ManagedObjectContext(coordinator)
        for number in 0..<20 {
            let account = try context.make(
                number % 3 == 0 ? "Savings" : "Account", ["title": "t\(number % 7)", "balance": number])
            account["entries"] = [try context.make("Entry", ["text": "e\(number)"])]
        }
        try context.save()
        var requests: [FetchRequest<ManagedObject>] = []
        let formats = [
            nil, "balance > 5", "ANY entries.text == 'e3'", "SUBQUERY(entries, $e, $e.text ENDSWITH '1').@count > 0",
        ]
        for format in formats {
            for (offset, limit) in [(0, 0), (2, 5)] {
                for includesPendingChanges in [true, false] {
                    var request = FetchRequest<ManagedObject>(entityName: "Account")
                    request.predicate = try format.map { try FetchPredicate(format: $0) }
                    request.sortDescriptors = [SortKey("title"), SortKey("balance", ascending: false)]
                    (request.fetchOffset, request.fetchLimit) = (offset, limit)
                    request.includesPendingChanges = includesPendingChanges
                    requests.append(request)
                }
            }
        }
        requests[0].relationshipKeyPathsForPrefetching = ["entries"]
        requests[1].returnsObjectsAsFaults = false
        let child = ManagedObjectContext(parent: context)
        for hasChanges in [false, true] {
            if hasChanges {
                try context.make("Account", ["title": "t3", "balance": 100])
                try context.one("Account", "balance == 6")["balance"] = 1
                context.delete(try context.one("Account", "balance == 7"))
                try context.one("Entry", "text == 'e3'")["text"] = "x1"
            }
            for request in requests {
                let found = try await context.fetchAsynchronously(request)
                #expect(try found == context.fetch(request), "\(request)")
                #expect(try await child.fetchAsynchronously(request) == child.fetch(request))
            }
        }
        try coordinator.removePersistentStores()
    }

    /// The titles of what a fetch returns whose first query waits until `body` has run.
    private func during(
        _ request: FetchRequest<ManagedObject>, _ context: ManagedObjectContext, _ server: CardServer,
        _ body: () throws -> Void
    ) async throws -> [String?] {
        let isReleased = DispatchSemaphore(value: 0)
        let (started, starting) = AsyncStream<Void>.makeStream()
        server.state.withLock {
            $0.onNextRequest = {
                starting.finish()
                isReleased.wait()
            }
        }
        let fetch = Task {
            let objects = try await context.fetchAsynchronously(request)
            #expect(objects.allSatisfy { $0.managedObjectContext === context })
            return objects.map { $0.text("title") }
        }
        for await _ in started {}
        do {
            defer { isReleased.signal() }
            try body()
        }
        return try await fetch.value
    }

    @Test func changesMadeDuringTheQueryAreInTheResult() async throws {
        let url = URL(fileURLWithPath: "/cards/\(UUID().uuidString)")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
        coordinator.register(CardStore.self)
        try coordinator.addPersistentStore(PersistentStoreDescription(url: url, type: CardStore.storeType))
        let context = ManagedObjectContext(coordinator), server = CardServer.at(url)
        let accounts = try (0..<5).map { (number: Int) in
            try context.make("Account", ["title": "\(number)", "balance": number])
        }
        try context.save()
        var request = FetchRequest<ManagedObject>(entityName: "Account")
        request.sortDescriptors = [SortKey("title")]
        request.fetchLimit = 3
        let found = try await during(request, context, server) {
            context.delete(accounts[0])
            try context.make("Account", ["title": "11"])
        }
        #expect(found == ["1", "11", "2"])
        // A reset discards the registered objects; the result has new ones.
        let others = try await during(request, context, server) { context.reset() }
        #expect(others == ["0", "1", "2"])
        try coordinator.removePersistentStores()
    }

    @Test func aCancelledFetchThrows() async throws {
        try await withFolder { folder in
            let coordinator = try coordinator(folder, .sqlite)
            let context = ManagedObjectContext(coordinator)
            try context.make("Account", ["title": "a"])
            try context.save()
            let fetch = Task {
                try await context.fetchAsynchronously(FetchRequest<ManagedObject>(entityName: "Account")).count
            }
            fetch.cancel()
            await #expect(throws: CancellationError.self) { try await fetch.value }
            try coordinator.removePersistentStores()
        }
    }
}
