import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Stack
import Storage
import Synchronization
import TestSupport
import Testing

/// What is told of commits to a store, whoever makes them (B24).
@Suite(.timeLimit(.minutes(2))) struct RemoteChangeTests {
    private func coordinator(
        _ url: URL, _ mode: StoreJournalMode, history: Bool = true, readOnly: Bool = false,
        model: ManagedObjectModel? = nil
    ) throws -> PersistentStoreCoordinator {
        var description = PersistentStoreDescription(url: url)
        (description.journalMode, description.tracksHistory, description.isReadOnly) = (
            readOnly ? nil : mode, history, readOnly
        )
        try description.setOption(.boolean(true), forKey: "NSPersistentStoreRemoteChangeNotificationOptionKey")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model ?? GraphFixture.makeModel())
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    private func first(_ changes: AsyncStream<PersistentStoreRemoteChange>) async -> PersistentStoreRemoteChange? {
        for await change in changes { return change }
        return nil
    }

    /// Waits until a stream has told of the place that the store's history has now.
    private func told(_ changes: AsyncStream<PersistentStoreRemoteChange>, _ coordinator: PersistentStoreCoordinator)
        async throws -> PersistentStoreRemoteChange
    {
        let token = try coordinator.currentPersistentHistoryToken()
        for await change in changes where change.historyToken == token { return change }
        throw CancellationError()
    }

    @Test(arguments: [StoreJournalMode.wal, .delete]) func everyCoordinatorIsToldOfSavesAndBatches_B24(
        mode: StoreJournalMode
    ) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let author = try coordinator(url, mode), other = try coordinator(url, mode)
            let own = author.remoteChanges(), others = other.remoteChanges()
            let context = ManagedObjectContext(author)
            var seen = try other.currentPersistentHistoryToken()
            for step in ["save", "batch"] {
                if step == "save" {
                    try context.insert("Tag")["word"] = "new"
                    try context.save()
                } else {
                    var update = BatchUpdateRequest(entityName: "Tag")
                    update.propertiesToUpdate = ["comment": .constant(.string("changed"))]
                    _ = try context.execute(update)
                }
                #expect(try author.currentPersistentHistoryToken() != seen)
                let change = try await told(own, author)
                #expect(change.storeUUID == author.persistentStores.first?.identifier && change.storeURL == url)
                #expect(try await told(others, other) == change)
                let transactions = try ManagedObjectContext(other).fetchHistory(PersistentHistoryRequest(after: seen))
                #expect(transactions.count == 1 && transactions.last?.token == change.historyToken)
                seen = change.historyToken
            }
            for coordinator in [author, other] { try coordinator.removePersistentStores() }
        }
    }

    @Test func aStoreWithoutHistoryAndAReaderAreToldToo_B24() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite"), link = folder.appendingPathComponent("link.sqlite")
            let author = try coordinator(url, .wal, history: false)
            let context = ManagedObjectContext(author)
            try context.insert("Tag")["word"] = "first"
            try context.save()
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
            let reader = try coordinator(link, .wal, history: false, readOnly: true)
            let own = author.remoteChanges(), others = reader.remoteChanges()
            try context.insert("Tag")["word"] = "second"
            try context.save()
            #expect(await first(own)?.storeUUID == author.persistentStores.first?.identifier)
            #expect(await first(others)?.storeURL == link)
            for coordinator in [author, reader] { try coordinator.removePersistentStores() }
        }
    }

    @Test func whatAnotherProcessSavesIsPostedAndNothingAfterTheStoreIsGone_B24() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            #expect(StoreWorker.lines(try StoreWorker.start("make", url.path, "wal")) == [])
            let model = try #require(try SQLiteStoreFile(url).modelInfo().embeddedModel())
            let watched = try coordinator(url, .wal, model: model), count = SharedCount()
            let observer = NotificationCenter.default.addObserver(
                forName: PersistentStoreCoordinator.remoteChangeNotification, object: watched, queue: nil
            ) { notification in
                if notification.userInfo?[PersistentStoreCoordinator.RemoteChangeKey.storeURL.rawValue] as? URL == url {
                    count.raise()
                }
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            let changes = watched.remoteChanges()
            #expect(StoreWorker.lines(try StoreWorker.start("make", url.path, "wal")) == [])
            _ = await first(changes)
            // The stream is fed before the notification is posted.
            while count.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
            try watched.removePersistentStores()
            let before = count.value
            let again = try coordinator(url, .wal, model: model)
            let others = again.remoteChanges()
            let context = ManagedObjectContext(again)
            try context.insert("Counter")["value"] = 1
            try context.save()
            _ = try await told(others, again)
            #expect(count.value == before)
            try again.removePersistentStores()
        }
    }

    @Test(arguments: StoreKind.allCases.filter { $0 != .sqlite }) func otherStoresRefuseTheOption_B24(kind: StoreKind)
        throws
    {
        try withTemporaryDirectory { folder in
            var description = PersistentStoreDescription(
                url: folder.appendingPathComponent("a"), type: kind.factory.type)
            description.postsRemoteChanges = true
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
            coordinator.registerSamples()
            let open = { [description] in _ = try coordinator.addPersistentStore(description) }
            let error = #expect(throws: StorageError.self, performing: open)
            #expect(error?.code == .unsupported)
            #expect(coordinator.persistentStores.isEmpty)
        }
    }
}

private final class SharedCount: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func raise() { count.add(1, ordering: .relaxed) }
}
