import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Testing
import TestSupport

/// The history of a SQLite store, in Core Data's tables (B12–B23).
struct HistoryTests {
    private func run(_ body: (GraphFixture, ManagedObjectContext) throws -> Void) throws {
        try GraphFixture.run(.sqlite, tracksHistory: true) { fixture in
            let context = fixture.context()
            context.name = "view"
            try body(fixture, context)
        }
    }

    @Test func everySaveIsATransactionWithItsChanges_B13_B14_B15() throws {
        try run { fixture, context in
            context.transactionAuthor = "me"
            let account = try context.make("Account", ["title": "a"]), doomed = try context.make("Tag", ["word": "t"])
            try context.save()
            context.transactionAuthor = nil
            account["title"] = "b"
            account["note"] = "n"
            let doomedID = doomed.objectID
            context.delete(doomed)
            try context.save()
            let history = try context.fetchHistory()
            #expect(history.map(\.author) == ["me", nil] && history.map(\.contextName) == ["view", "view"])
            #expect(
                history.map(\.transactionNumber) == [1, 2]
                    && history.allSatisfy { $0.storeID == account.objectID.storeUUID })
            #expect(history.allSatisfy { abs($0.timestamp.timeIntervalSinceNow) < 60 && $0.processID != nil })
            #expect(
                Set(history[0].changes.map(\.changedObjectID)) == [account.objectID, doomedID]
                    && history[0].changes.allSatisfy { $0.kind == .insert })
            let update = try #require(history[1].changes.first { $0.kind == .update })
            #expect(
                update.changedObjectID == account.objectID && update.updatedProperties == ["title", "note"]
                    && update.tombstone == nil)
            let deletion = try #require(history[1].changes.first { $0.kind == .delete })
            #expect(
                deletion.changedObjectID == doomedID && deletion.updatedProperties == nil && deletion.tombstone == [:])
        }
    }

    @Test func historyIsOffUnlessAskedFor_B12() throws {
        try GraphFixture.run(.sqlite) { fixture in
            let context = fixture.context()
            try context.make("Account", [:])
            try context.save()
            #expect(try context.fetchHistory().isEmpty && fixture.coordinator.currentPersistentHistoryToken() == nil)
        }
    }

    @Test(arguments: StoreKind.allCases.filter { $0 != .sqlite }) func otherStoresRefuseToKeepOne_B12(kind: StoreKind)
        throws
    {
        let error = #expect(throws: StorageError.self) { try GraphFixture.run(kind, tracksHistory: true) { _ in } }
        #expect(error?.code == .unsupported)
        try GraphFixture.run(kind) { fixture in
            let refusal = #expect(throws: StorageError.self) { try fixture.context().fetchHistory() }
            #expect(refusal?.code == .unsupported)
        }
    }

    @Test func aStoreWithAHistoryGoesOnWithoutTheOption_B25() throws {
        try run { fixture, context in
            try context.make("Account", [:])
            try context.save()
            var description = fixture.description
            description.tracksHistory = false
            let coordinator = PersistentStoreCoordinator(managedObjectModel: fixture.model)
            try coordinator.addPersistentStore(description)
            let other = ManagedObjectContext(coordinator)
            try other.make("Account", [:])
            try other.save()
            #expect(try context.fetchHistory().count == 2)
            #expect(
                try coordinator.currentPersistentHistoryToken() == fixture.coordinator.currentPersistentHistoryToken())
            try coordinator.removePersistentStores()
        }
    }
}

extension HistoryTests {
    @Test func fetchingAfterATokenIsExclusive_B16_B19() throws {
        try run { fixture, context in
            let start = try #require(try fixture.coordinator.currentPersistentHistoryToken())
            #expect(try context.fetchHistory().isEmpty)
            #expect(try context.fetchHistory(PersistentHistoryRequest(after: start)).isEmpty)
            for number in 0..<3 {
                try context.make("Account", ["balance": number])
                try context.save()
            }
            let all = try context.fetchHistory()
            #expect(try all.count == 3 && all[2].token == fixture.coordinator.currentPersistentHistoryToken())
            #expect(try context.fetchHistory(PersistentHistoryRequest(after: all[0].token)) == Array(all[1...]))
            #expect(try context.fetchHistory(PersistentHistoryRequest(after: all[2].token)).isEmpty)
            #expect(
                try context.fetchHistory(
                    PersistentHistoryRequest(after: all[1].timestamp.addingTimeInterval(-0.000001))
                ).contains(all[2]))
            let data = try JSONEncoder().encode(all[1].token)
            #expect(try JSONDecoder().decode(PersistentHistoryToken.self, from: data) == all[1].token)
        }
    }

    @Test func transactionsAreFiltered_B17_B21() throws {
        try run { fixture, context in
            context.transactionAuthor = "a"
            let account = try context.make("Account", [:])
            try context.save()
            context.transactionAuthor = "b"
            try context.make("Tag", ["word": "x"])
            try context.save()
            context.transactionAuthor = nil
            account["title"] = "t"
            try context.make("Tag", ["word": "y"])
            try context.save()
            func numbers(_ edit: (inout PersistentHistoryRequest) -> Void) throws -> [Int64] {
                var request = PersistentHistoryRequest()
                edit(&request)
                return try context.fetchHistory(request).map(\.transactionNumber)
            }
            #expect(try numbers { $0.author = "a" } == [1])
            #expect(try numbers { $0.excludedAuthors = ["a"] } == [2, 3])
            #expect(try numbers { $0.contextName = "view" } == [1, 2, 3])
            #expect(try numbers { $0.contextName = "other" } == [])
            #expect(try numbers { $0.entityNames = ["Tag"] } == [2, 3])
            #expect(try numbers { $0.objectID = account.objectID } == [1, 3])
            #expect(try numbers { $0.fetchLimit = 2 } == [1, 2])
            var request = PersistentHistoryRequest()
            request.entityNames = ["Tag"]
            #expect(
                try context.fetchHistory(request).flatMap(\.changes).allSatisfy {
                    $0.changedObjectID.entity.name == "Tag"
                })
        }
    }

    @Test func purgingKeepsWhatFollowsAndExpiresOldTokens_B18_B20() throws {
        try run { fixture, context in
            for number in 0..<4 {
                try context.make("Account", ["balance": number])
                try context.save()
            }
            let all = try context.fetchHistory()
            #expect(try context.deleteHistory(before: all[0].token) == 0)
            #expect(try context.deleteHistory(before: all[2].token) == 2)
            #expect(try context.fetchHistory().map(\.transactionNumber) == [3, 4])
            #expect(try context.fetchHistory(PersistentHistoryRequest(after: all[1].token)).count == 2)
            let expired = #expect(throws: StorageError.self) {
                try context.fetchHistory(PersistentHistoryRequest(after: all[0].token))
            }
            #expect(expired?.code == .historyExpired)
            #expect(try context.deleteHistory(before: Date.distantFuture) == 2)
            // Numbers are not used again: a token stays what it is.
            try context.make("Account", [:])
            try context.save()
            #expect(try context.fetchHistory().map(\.transactionNumber) == [5])
        }
    }
}

extension HistoryTests {
    @Test func aTokenOfAnotherStoreIsRefused_B20() throws {
        try run { fixture, context in
            try context.make("Account", [:])
            try context.save()
            let token = try context.fetchHistory()[0].token
            try run { other, _ in
                let elsewhere = other.context()
                try elsewhere.make("Account", [:])
                try elsewhere.save()
                let error = #expect(throws: StorageError.self) {
                    try elsewhere.fetchHistory(PersistentHistoryRequest(after: token))
                }
                #expect(error?.code == .unknownObject)
            }
        }
    }

    @Test func tombstonesKeepWhatTheModelPreserves_B15() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [
                    .init("uuid", .uuid, preservesValueInHistoryOnDeletion: true),
                    .init("title", .string, preservesValueInHistoryOnDeletion: true), .init("text", .string),
                    .init("made", .date, preservesValueInHistoryOnDeletion: true),
                ])
        ])
        try GraphFixture.run(.sqlite, model: model, tracksHistory: true) { fixture in
            let context = fixture.context()
            let uuid = UUID(), made = Date(timeIntervalSinceReferenceDate: 12)
            let note = try context.make("Note", ["uuid": uuid, "title": "t", "text": "secret", "made": made])
            try context.save()
            context.delete(note)
            try context.save()
            let deletion = try #require(try context.fetchHistory().last?.changes.first)
            #expect(deletion.tombstone == ["uuid": .uuid(uuid), "title": .string("t"), "made": .date(made)])
        }
    }

    @Test func batchesAreTransactionsToo_B13() throws {
        try run { fixture, context in
            context.transactionAuthor = "batch"
            _ = try context.execute(
                BatchInsertRequest(entityName: "Account", objects: [["title": "a"], ["title": "b"]]))
            var update = BatchUpdateRequest(entityName: "Account")
            update.propertiesToUpdate = ["title": .constant(.string("c")), "note": .constant(.string("n"))]
            _ = try context.execute(update)
            _ = try context.execute(BatchDeleteRequest(entityName: "Account"))
            let history = try context.fetchHistory()
            #expect(
                history.map { $0.changes.map(\.kind) } == [
                    [.insert, .insert], [.update, .update], [.delete, .delete],
                ])
            #expect(
                history.allSatisfy { $0.author == "batch" }
                    && history[1].changes.allSatisfy { $0.updatedProperties == ["title", "note"] })
        }
    }

    @Test func aFailedSaveLeavesNoTransaction_S16() throws {
        try run { fixture, context in
            // The very first one, which would have made the history's tables.
            for _ in 0..<2 { try context.make("Tag", ["word": "a"]) }
            #expect(throws: GraphError.self) { try context.save() }
            #expect(try context.fetchHistory().isEmpty)
            context.mergePolicy = .rollback
            try context.save()
            #expect(try context.fetchHistory().map(\.transactionNumber) == [1])
        }
    }

    @Test func aHistoryIsMergedIntoAContext_B23() throws {
        try run { fixture, context in
            let account = try context.make("Account", ["title": "t0"]), doomed = try context.make("Account", [:])
            try context.save()
            let token = try #require(try fixture.coordinator.currentPersistentHistoryToken())
            let other = try fixture.reopened()
            try other.existingObject(with: account.objectID)["title"] = "t1"
            other.delete(try other.existingObject(with: doomed.objectID))
            try other.save()
            context.mergeChanges(from: SavedChanges(try context.fetchHistory(PersistentHistoryRequest(after: token))))
            #expect(account.text("title") == "t1" && doomed.isDeleted)
        }
    }
}

extension HistoryTests {
    @Test func manyInsertionsAreOneTransaction_B13() throws {
        try run { fixture, context in
            for number in 0..<20_000 { try context.make("Account", ["balance": number]) }
            try context.save()
            let history = try context.fetchHistory()
            #expect(history.count == 1 && history[0].changes.count == 20_000)
        }
    }
}
