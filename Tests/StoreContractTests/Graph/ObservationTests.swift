import Foundation
import ObjectGraph
import Observation
import Query
import Schema
import Synchronization
import Testing

/// Objects of an observable context, as the Observation framework sees them.
struct ObservationTests {
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// Whether a change is told to somebody who has read something.
    private func isTold(of read: () -> Void, when change: () throws -> Void) throws -> Bool {
        let flag = Flag()
        withObservationTracking(read) { flag.isSet.store(true, ordering: .relaxed) }
        try change()
        return flag.isSet.load(ordering: .relaxed)
    }

    @Test(arguments: StoreKind.allCases) func readValuesAreToldOfAndOthersNot(kind: StoreKind) throws {  // L23
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            context.isObservable = true
            let account = try context.make("Account", ["title": "a"])
            #expect(try isTold(of: { _ = account["title"] }) { account["title"] = "b" })
            #expect(try !isTold(of: { _ = account["title"] }) { account["balance"] = 3 })
            #expect(try !isTold(of: { account["title"] = "c" }) { account["title"] = "d" })
            try context.save()
            #expect(try isTold(of: { _ = account["title"] }) { account["title"] = "e" })
            #expect(
                try isTold(of: { _ = try? account.propertyValue(forKey: "balance") }) {
                    try account.setPropertyValue(.int(9), forKey: "balance")
                })
            let title = try account.entity.attribute("title", as: String.self)
            #expect(try isTold(of: { _ = account[title] }) { account[title] = "f" })
            #expect(try isTold(of: { _ = account["title"] }) { account[title] = "g" })
            #expect(account[title] == "g")
            context.isObservable = false
            #expect(try !isTold(of: { _ = account[title] }) { account[title] = "h" })
            #expect(account.text("title") == "h")
        }
    }

    @Test(arguments: StoreKind.allCases) func bothEndsOfARelationshipAreTold(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            context.isObservable = true
            let person = try context.make("Person", ["name": "p"]), other = try context.make("Person", ["name": "o"])
            let account = try context.make("Account", ["title": "a"]), tag = try context.make("Tag", ["word": "t"])
            let entry = try context.make("Entry", ["text": "e"])
            #expect(try isTold(of: { _ = person["accounts"] }) { account["owner"] = person })
            #expect(try isTold(of: { _ = account["owner"] }) { other.mutableSetValue(forKey: "accounts").add(account) })
            #expect(try isTold(of: { _ = other.mutableSetValue(forKey: "accounts").count }) { account["owner"] = nil })
            #expect(try isTold(of: { _ = tag["accounts"] }) { account["tags"] = Set([tag]) })
            #expect(
                try isTold(of: { _ = account.objectIDs(forRelationshipNamed: "entries") }) {
                    entry["account"] = account
                })
            #expect(
                try isTold(of: { _ = entry["account"] }) {
                    account.mutableOrderedSetValue(forKey: "entries").remove(at: 0)
                })
            #expect(try !isTold(of: { _ = person["accounts"] }) { tag["accounts"] = Set<ManagedObject>() })
        }
    }

    @Test(arguments: StoreKind.allCases) func undoMergesRefreshesAndDeletionsAreTold(kind: StoreKind) throws {  // U6
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(), other = fixture.context()
            context.isObservable = true
            context.undoManager = UndoManager()
            let account = try context.make("Account", ["title": "a"])
            try context.save()
            account["title"] = "b"
            context.processPendingChanges()
            #expect(try isTold(of: { _ = account["title"] }) { context.undo() })
            account["title"] = "c"
            #expect(try isTold(of: { _ = account["title"] }) { context.rollback() })
            try other.same(account)["title"] = "d"
            var isToldOfMerge = false
            let observation = other.observe(.didSave) { saved in
                isToldOfMerge =
                    (try? self.isTold(of: { _ = account["title"] }) { context.mergeChanges(fromContextDidSave: saved) })
                    ?? false
            }
            try other.save()
            observation.cancel()
            #expect(isToldOfMerge)
            #expect(account.text("title") == "d")
            #expect(try isTold(of: { _ = account["title"] }) { context.refresh(account, mergeChanges: false) })
            _ = account["title"]
            #expect(try isTold(of: { _ = account.isFault }) { context.refresh(account, mergeChanges: false) })
            #expect(try isTold(of: { _ = account.isDeleted }) { context.delete(account) })
            #expect(try isTold(of: { _ = account.isDeleted }) { context.rollback() })
            for key in ["title", "owner", "balance"] {
                let new = try context.make("Account", ["title": "new"])
                #expect(try isTold(of: { _ = new[key] }) { context.rollback() }, "\(key)")
            }
            let new = try context.make("Account", ["title": "new"])
            #expect(try isTold(of: { _ = new.isDeleted }) { context.rollback() })
            // What an object loses with its context.
            for key in ["title", "owner", "tags"] {
                let new = try context.make("Account", ["title": "new"])
                context.processPendingChanges()
                #expect(try isTold(of: { _ = new[key] }) { context.undo() }, "\(key)")
                #expect(new.managedObjectContext == nil)
                let saved = try context.make("Account", ["title": "saved"])
                try context.save()
                context.delete(saved)
                context.processPendingChanges()
                #expect(try isTold(of: { _ = saved[key] }) { try context.save() }, "\(key)")
                #expect(saved.managedObjectContext == nil && saved["title"] == nil)
            }
            #expect(try isTold(of: { _ = account["title"] }) { context.reset() })
        }
    }
}

extension ObservationTests {
    @Test(arguments: StoreKind.allCases) func fillingAFaultIsToldToThoseWhoAskedWhetherItIsOne_F5_F25(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let writer = fixture.context(), context = fixture.context()
            try writer.make("Account", ["title": "a", "owner": try writer.make("Person", ["name": "p"])])
            try writer.save()
            context.isObservable = true
            let account = try context.one("Account"), person = try context.one("Person")
            #expect(account.isFault)
            #expect(try isTold(of: { _ = account.isFault }) { _ = account["title"] })
            #expect(try !isTold(of: { _ = account["title"] }) { _ = account["balance"] })
            #expect(try isTold(of: { _ = account.isFault }) { context.refresh(account, mergeChanges: false) })
            #expect(try isTold(of: { _ = account.isFault }) { try account.fulfillFault() })
            _ = person["name"]
            #expect(
                try isTold(of: { _ = person.hasFault(forRelationshipNamed: "accounts") }) { _ = person["accounts"] })
            context.refreshAllObjects()
            #expect(
                try isTold(of: { _ = person.isFault }) {
                    context.delete(person)
                    context.processPendingChanges()
                })
        }
    }
}
