import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Contexts whose store is replaced by a copy at another place, as by “Save As”.
struct ReplacedStoreTests {
    private func move(_ fixture: GraphFixture, to kind: StoreKind, _ folder: URL) throws -> StoreMigrationResult {
        try fixture.coordinator.migratePersistentStore(
            try #require(fixture.coordinator.persistentStores.first), to: folder.appendingPathComponent("copy.store"),
            type: kind.factory.type)
    }

    @Test(arguments: StoreKind.allCases, StoreKind.builtIn)
    func objectsFaultsAndChangesGoAlong_C14(from: StoreKind, to: StoreKind) throws {
        try withTemporaryDirectory { folder in
            try GraphFixture.run(from) { fixture in
                let context = fixture.context()
                context.undoManager = UndoManager()
                let person = try context.make("Person", ["name": "p"])
                let accounts = try (0..<3).map { (number: Int) in
                    try context.make("Account", ["title": "\(number)", "balance": number])
                }
                let other = try context.make("Person", ["name": "q"])
                accounts[0]["owner"] = person
                try context.save()
                // Versions above 1 on both sides.
                for balance in 5...6 {
                    accounts[1]["balance"] = balance
                    try context.save()
                }
                let child = ManagedObjectContext(parent: context)
                let draft = try child.same(accounts[2])
                var request = FetchRequest<ManagedObject>(entityName: "Account")
                request.sortDescriptors = [SortKey("balance"), SortKey("title")]
                let results = FetchedResultsController(fetchRequest: request, managedObjectContext: context)
                try results.performFetch()
                accounts[0]["balance"] = 10
                context.processPendingChanges()
                let new = try context.make("Account", ["title": "new", "balance": 7, "owner": person])
                context.delete(accounts[2])
                context.refresh(other, mergeChanges: false)
                let oldID = other.objectID

                let result = try move(fixture, to: to, folder)
                #expect(other.isFault && other.objectID == result.objectIDs[oldID] && other.text("name") == "q")
                #expect(accounts.allSatisfy { $0.objectID.storeUUID == result.store.identifier })
                #expect(accounts[1].text("title") == "1" && accounts[1].number("balance") == 6)
                #expect(new.isInserted && accounts[0].isUpdated && accounts[2].isDeleted)
                #expect(results.fetchedObjects?.map { $0.text("title") } == ["1", "new", "0"])
                try context.save()
                #expect(!context.hasChanges && new.objectID.storeUUID == result.store.identifier)
                #expect(results.fetchedObjects?.map { $0.text("title") } == ["1", "new", "0"])
                #expect(try fixture.context().fetch(request).map { $0.text("title") } == ["1", "new", "0"])
                #expect(person.texts("accounts", "title").sorted() == ["0", "new"])
                // A version that was read before still tells conflicts.
                let elsewhere = fixture.context()
                try elsewhere.same(accounts[1])["balance"] = 20
                try elsewhere.save()
                accounts[1]["balance"] = 30
                #expect(throws: GraphError.self) { try context.save() }
                context.rollback()
                context.undo()
                #expect(draft.managedObjectContext === child)
                if from.hasFile {
                    // The original has what was saved there.
                    #expect(try fixture.reopened().all("Account").count == 3)
                }
            }
        }
    }

    @Test func whatWasUndoneBeforeIsDoneInTheCopy() throws {
        try withTemporaryDirectory { folder in
            try GraphFixture.run(.sqlite) { fixture in
                let context = fixture.context()
                context.undoManager = UndoManager()
                let account = try context.make("Account", ["title": "a"])
                try context.save()
                context.undoManager?.removeAllActions()
                context.delete(account)
                try context.save()
                _ = try move(fixture, to: .binary, folder)
                context.undo()
                try context.save()
                #expect(try fixture.context().one("Account").text("title") == "a")
            }
        }
    }

    @Test func savesThatWaitToBeMergedAreMerged() throws {
        try withTemporaryDirectory { folder in
            try GraphFixture.run(.sqlite) { fixture in
                let context = fixture.context(), other = fixture.context()
                context.automaticallyMergesChangesFromParent = true
                let account = try context.make("Account", ["title": "a"])
                try context.save()
                try other.same(account)["title"] = "b"
                try other.save()
                _ = try move(fixture, to: .sqlite, folder)
                context.processPendingChanges()
                #expect(account.text("title") == "b")
            }
        }
    }

    @Test func objectsAreInTheCopyOfTheStoreThatTheyWereAssignedTo() throws {
        try withTemporaryDirectory { folder in
            let model = try GraphFixture.makeModel()
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            let first = try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("1.sqlite")))
            let second = try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("2.sqlite")))
            let context = ManagedObjectContext(coordinator)
            let objects = try ["one", "two"].map { try context.make("Tag", ["word": $0]) }
            try context.assign(objects[0], to: first)
            try context.assign(objects[1], to: second)
            let copy = try coordinator.migratePersistentStore(
                second, to: folder.appendingPathComponent("3.sqlite"), type: .sqlite)
            try context.save()
            #expect(objects.map(\.objectID.storeUUID) == [first.identifier, copy.store.identifier])
            try coordinator.removePersistentStores()
        }
    }
}
