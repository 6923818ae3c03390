import ObjectGraph
import Query
import Schema
import Testing

extension MergePolicyTests {
    @Test(arguments: StoreKind.allCases) func aClosureAddsUpWhatBothSidesDid_S23(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let policy = MergePolicy.custom(.mergeByPropertyObjectTrump) { conflict, account in
                guard case .int(let read)? = conflict.objectSnapshot["balance"],
                    case .int(let stored)? = conflict.persistedSnapshot?["balance"]
                else { return }
                account["balance"] = (account.number("balance") ?? 0) + Int(stored - read)
            }
            let (account, context) = try conflict(fixture, policy) { account, _ in
                account["balance"] = 15
            } elsewhere: { account, _ in
                account["balance"] = 12
            }
            try context.save()
            #expect(account.number("balance") == 17)
            #expect(try fixture.reopened().one("Account").number("balance") == 17)
        }
    }

    private final class Refusal: MergePolicy {
        struct Reason: Error {}
        override func resolve(optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext)
            throws
        { throw Reason() }
    }

    @Test(arguments: StoreKind.allCases) func whatAPolicyThrowsFailsTheSaveAndKeepsTheChanges_S16_S22(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, Refusal(merge: .overwrite)) { account, _ in
                account["title"] = "here"
            } elsewhere: { account, _ in
                account["title"] = "there"
            }
            #expect(throws: Refusal.Reason.self) { try context.save() }
            #expect(account.text("title") == "here" && account.isUpdated)
            context.mergePolicy = .overwrite
            try context.save()
            #expect(try fixture.reopened().one("Account").text("title") == "here")
        }
    }

    private final class Idle: MergePolicy {
        override func resolve(optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext) {
        }
    }

    @Test(arguments: StoreKind.allCases) func aPolicyThatSettlesNothingFailsTheSave_S22(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (_, context) = try conflict(fixture, Idle(merge: .overwrite)) { account, _ in
                account["title"] = "here"
            } elsewhere: { account, _ in
                account["title"] = "there"
            }
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
        }
    }

    @Test(arguments: StoreKind.allCases) func aMergeIsNoUndoableChange_U15(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.mergeByPropertyStoreTrump)
            let account = try context.make("Account", ["title": "t0", "note": "n0"])
            try context.save()
            context.undoManager = UndoManager()
            let other = fixture.context()
            try other.same(account)["note"] = "n2"
            try other.save()
            account["title"] = "t1"
            try context.save()
            #expect(account.text("note") == "n2")
            context.undo()
            #expect(account.text("title") == "t0" && account.text("note") == "n2")
        }
    }

    @Test func twoOpeningsOfOneFileAreMerged_S9() throws {
        try GraphFixture.run(.sqlite) { fixture in
            let context = fixture.context(.mergeByPropertyObjectTrump), other = try fixture.reopened()
            let account = try context.make("Account", ["title": "t0", "note": "n0"])
            try context.save()
            let same = try other.one("Account")
            same["note"] = "n2"
            try other.save()
            account["title"] = "t1"
            try context.save()
            #expect(account.text("note") == "n2")
            other.refreshAllObjects()
            #expect(same.text("title") == "t1")
        }
    }
}
