import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// One context hears of what another saved (S38–S45), and what notifications say (S1–S7).
struct MergingContextsTests {
    /// Runs `save` in another context and returns what it tells of its save.
    @discardableResult
    private func saving(_ fixture: GraphFixture, _ edit: (ManagedObjectContext) throws -> Void) throws -> SavedChanges {
        let other = fixture.context()
        other.name = "other"
        var told = SavedChanges()
        let observation = other.observe(.didSave) { told = $0.changes }
        try edit(other)
        try other.save()
        observation.cancel()
        return told
    }

    // MARK: Merging by hand

    @Test(arguments: StoreKind.allCases) func updatesShowAtOnceAndEditsStay_S41_F10(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let account = try context.make("Account", ["title": "t0", "note": "n0"]),
                clean = try context.make("Account", ["title": "c0"])
            try context.save()
            account["title"] = "t1"
            let changes = try saving(fixture) { other in
                try other.same(account)["note"] = "n2"
                try other.same(clean)["title"] = "c2"
            }
            #expect(account.text("note") == "n0" && clean.text("title") == "c0")
            context.mergeChanges(from: changes)
            #expect(account.text("title") == "t1" && account.text("note") == "n2" && clean.text("title") == "c2")
            #expect(account.isUpdated && !clean.hasChanges && context.updatedObjects == [account])
            // The merged version is the one that the save compares: no conflict.
            try context.save()
            #expect(try fixture.reopened().one("Account", "title == 't1'").text("note") == "n2")
        }
    }

    @Test(arguments: StoreKind.allCases) func insertionsAreAnnouncedAndNotCountedAsInserted_S42_S43(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            var inserted: [ManagedObject] = []
            let observation = context.observe(.objectsDidChange) { inserted += $0.inserted }
            let changes = try saving(fixture) { try $0.make("Account", ["title": "new"]) }
            context.mergeChanges(from: changes)
            #expect(inserted.map { $0.text("title") } == ["new"] && inserted.allSatisfy { !$0.isInserted })
            #expect(context.insertedObjects.isEmpty && !context.hasChanges)
            observation.cancel()
        }
    }

    @Test(arguments: StoreKind.allCases) func deletionsAreDeletedHere_S41_S42(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let account = try context.make("Account", ["title": "gone"])
            try context.save()
            let changes = try saving(fixture) { $0.delete(try $0.same(account)) }
            context.mergeChanges(from: changes)
            #expect(account.isDeleted && account.text("title") == "gone" && context.deletedObjects == [account])
            #expect(
                try context.all("Account").isEmpty
                    && context.count(for: FetchRequest<ManagedObject>(entityName: "Account")) == 0)
            var saved: Set<ManagedObject>?
            let observation = context.observe(.didSave) { saved = $0.deleted }
            try context.save()
            #expect(saved?.isEmpty == true && account.managedObjectContext == nil && !context.hasChanges)
            observation.cancel()
        }
    }

    @Test(arguments: StoreKind.allCases) func aDeletionElsewhereKeepsEditsHere_S40(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let account = try context.make("Account", ["title": "t0"])
            try context.save()
            account["title"] = "precious"
            let changes = try saving(fixture) { $0.delete(try $0.same(account)) }
            context.mergeChanges(from: changes)
            #expect(!account.isDeleted && account.text("title") == "precious")
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
            context.mergePolicy = .overwrite
            try context.save()
            #expect(try fixture.reopened().one("Account").text("title") == "precious")
        }
    }
}

extension MergingContextsTests {
    @Test(arguments: StoreKind.allCases) func deletedOnBothSidesSavesWithoutConflict_S42(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let account = try context.make("Account", [:])
            try context.save()
            let changes = try saving(fixture) { $0.delete(try $0.same(account)) }
            context.delete(account)
            context.mergeChanges(from: changes)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func relationshipsFollowTheMerge_S41(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let people = try ["a", "b"].map { try context.make("Person", ["name": $0]) }
            let account = try context.make("Account", ["title": "t", "owner": people[0]])
            account["tags"] = Set([try context.make("Tag", ["word": "x"])])
            try context.save()
            #expect(people.map { $0.texts("accounts", "title") } == [["t"], []])
            let changes = try saving(fixture) { other in
                let same = try other.same(account)
                same["owner"] = try other.same(people[1])
                same["tags"] = Set([try other.make("Tag", ["word": "y"])])
                try other.make("Entry", ["text": "e", "account": same])
            }
            context.mergeChanges(from: changes)
            #expect(
                people.map { $0.texts("accounts", "title") } == [[], ["t"]] && account.target("owner") === people[1])
            #expect(account.texts("tags", "word") == ["y"] && account.texts("entries", "text") == ["e"])
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func aMergeIsNotUndoable_U15(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            context.undoManager = UndoManager()
            let account = try context.make("Account", ["title": "t0"])
            try context.save()
            context.undoManager?.removeAllActions()
            context.mergeChanges(from: try saving(fixture) { try $0.same(account)["title"] = "t1" })
            #expect(account.text("title") == "t1" && context.undoManager?.canUndo == false)
        }
    }

    @Test(arguments: StoreKind.allCases) func changesOfUnknownStoresAreIgnored_S45(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            try GraphFixture.run(.inMemory) { foreign in
                let changes = try saving(foreign) { try $0.make("Account", [:]) }
                let context = fixture.context()
                ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
                #expect(context.registeredObjects.isEmpty)
            }
        }
    }
}

extension MergingContextsTests {
    // MARK: Following by itself

    @Test(arguments: StoreKind.allCases) func aFollowerMergesWhenItGetsToWork_S38(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let follower = fixture.context(), idle = fixture.context()
            follower.automaticallyMergesChangesFromParent = true
            let writer = fixture.context()
            let account = try writer.make("Account", ["title": "t0"])
            try writer.save()
            let followed = try follower.same(account), stale = try idle.same(account)
            account["title"] = "t1"
            try writer.save()
            follower.processPendingChanges()
            idle.processPendingChanges()
            #expect(followed.text("title") == "t1" && stale.text("title") == "t0")
            account["title"] = "t2"
            try writer.save()
            // A fetch is enough as well.
            #expect(try follower.all("Account") == [followed] && followed.text("title") == "t2")
            follower.automaticallyMergesChangesFromParent = false
            account["title"] = "t3"
            try writer.save()
            follower.processPendingChanges()
            #expect(followed.text("title") == "t2")
        }
    }

    @Test(arguments: StoreKind.allCases) func aFollowerDoesNotMergeItsOwnSaves_S38(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let follower = fixture.context()
            follower.automaticallyMergesChangesFromParent = true
            var merges = 0
            let observation = follower.observe(.didMerge) { _ in merges += 1 }
            try follower.make("Account", [:])
            try follower.save()
            follower.processPendingChanges()
            #expect(merges == 0)
            try saving(fixture) { try $0.make("Account", [:]) }
            follower.processPendingChanges()
            #expect(merges == 1)
            observation.cancel()
        }
    }

    @Test(arguments: StoreKind.allCases) func aFollowersEditsSurvive_S40(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let follower = fixture.context()
            follower.automaticallyMergesChangesFromParent = true
            let account = try follower.make("Account", ["title": "t0", "note": "n0"])
            try follower.save()
            account["title"] = "mine"
            try saving(fixture) { other in
                try other.same(account)["title"] = "theirs"
                try other.same(account)["note"] = "n2"
            }
            try follower.save()
            let stored = try fixture.reopened().one("Account")
            #expect(stored.text("title") == "mine" && stored.text("note") == "n2")
        }
    }
}

extension MergingContextsTests {
    // MARK: What is told

    @Test(arguments: StoreKind.allCases) func aSaveTellsItsSetsAsObjectsAndIDs_S4_S6(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            context.name = "writer"
            let updated = try context.make("Account", [:]), deleted = try context.make("Account", [:])
            try context.save()
            let deletedID = deleted.objectID
            var told: ContextNotification?
            let observation = context.observe(.didSave) { told = $0 }
            updated["title"] = "t"
            context.delete(deleted)
            let inserted = try context.make("Account", [:])
            try context.save()
            let notification = try #require(told)
            #expect(
                notification.inserted == [inserted] && notification.updated == [updated]
                    && notification.deleted == [deleted])
            #expect(
                notification.changes
                    == SavedChanges(
                        inserted: [inserted.objectID], updated: [updated.objectID], deleted: [deletedID],
                        contextName: "writer"))
            #expect(!inserted.objectID.isTemporaryID)
            observation.cancel()
        }
    }

    @Test(arguments: StoreKind.allCases) func notificationCenterHearsOfEveryEvent_S2_S3_S8(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(), center = NotificationCenter()
            context.notificationCenter = center
            let heard = Heard()
            let tokens = [
                ManagedObjectContext.willSaveObjectsNotification, ManagedObjectContext.didSaveObjectsNotification,
                ManagedObjectContext.didSaveObjectIDsNotification,
                ManagedObjectContext.didChangeObjectsNotification,
            ].map { name in
                center.addObserver(forName: name, object: nil, queue: nil) {
                    heard.note($0.name.rawValue, Set($0.userInfo?.keys.map { "\($0)" } ?? []))
                }
            }
            try context.make("Account", ["title": "t"])
            try context.save()
            #expect(
                heard.names
                    == [
                        ManagedObjectContext.didChangeObjectsNotification,
                        ManagedObjectContext.willSaveObjectsNotification,
                        ManagedObjectContext.didSaveObjectsNotification,
                        ManagedObjectContext.didSaveObjectIDsNotification,
                    ].map(\.rawValue))
            #expect(heard.keys == [["inserted"], [], ["inserted", "inserted_objectIDs"], ["inserted_objectIDs"]])
            for token in tokens { center.removeObserver(token) }
        }
    }

    /// What a notification centre's blocks, which may be sent anywhere, have heard.
    private final class Heard: @unchecked Sendable {
        // Used by one test on one thread: the centre calls its blocks where a notification is
        // posted.
        var names: [String] = []
        var keys: [Set<String>] = []
        func note(_ name: String, _ keys: Set<String>) {
            names.append(name)
            self.keys.append(keys)
        }
    }

    @Test(arguments: StoreKind.allCases) func aNotificationsUserInfoCanBeMerged_S41_S45(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let writer = fixture.context(), reader = fixture.context()
            let account = try writer.make("Account", ["title": "t0"])
            try writer.save()
            let same = try reader.same(account)
            account["title"] = "t1"
            try writer.save()
            let info: [AnyHashable: Any] = [
                ManagedObjectContext.NotificationKey.updatedObjects.rawValue: [account.objectID.uriRepresentation()]
            ]
            let changes = SavedChanges(userInfo: info, coordinator: fixture.coordinator)
            #expect(changes.updated == [account.objectID])
            reader.mergeChanges(from: changes)
            #expect(same.text("title") == "t1")
            #expect(SavedChanges(userInfo: ["updated": Set([account])]).updated == [account.objectID])
        }
    }
}

extension MergingContextsTests {
    @Test func changesCanBeIteratedOver_S46() async throws {
        let model = try GraphFixture.makeModel()
        let coordinator = try inMemoryCoordinator(model)
        let context = ManagedObjectContext(coordinator)
        let stream = context.changes(.didSave)
        for number in 0..<3 {
            try context.make("Account", ["balance": number])
            try context.save()
        }
        var counts: [Int] = []
        for await changes in stream {
            counts.append(changes.inserted.count)
            if counts.count == 3 { break }
        }
        #expect(counts == [1, 1, 1])
    }

    @Test func anIterationEndsWithItsContext_S46() async throws {
        let coordinator = try inMemoryCoordinator(try GraphFixture.makeModel())
        var context: ManagedObjectContext? = ManagedObjectContext(coordinator)
        let stream = try #require(context?.changes())
        try context?.make("Account", [:])
        context?.processPendingChanges()
        context = nil
        var count = 0
        for await _ in stream { count += 1 }
        #expect(count == 1)
    }
}
