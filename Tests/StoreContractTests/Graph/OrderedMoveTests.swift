import ObjectGraph
import Query
import Schema
import Testing

/// Moves in ordered relationships, and which of them are edits.
struct OrderedMoveTests {
    @Test(arguments: StoreKind.allCases) func aMoveToWhereAMemberIsIsNoStep_U3(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(), undo = UndoManager()
            let account = try context.make("Account", ["title": "a"])
            let entries = try ["a", "b", "c"].map { try context.make("Entry", ["text": $0, "account": account]) }
            try context.save()
            context.undoManager = undo
            let position = context.edits.position
            func unchanged(_ edit: () throws -> Void) throws {
                try edit()
                context.processPendingChanges()
                #expect(!undo.canUndo && context.edits.position == position)
                #expect(account.objects("entries") == entries)
            }
            let index = try #require(account.entity.propertyIndex(named: "entries"))
            try unchanged { try PropertyAccess(account).addRelatedObject(entries[2], at: index, position: 2) }
            try unchanged { account.mutableOrderedSetValue(forKey: "entries").moveObjects(at: [1], to: 1) }
            try unchanged { account["entries"] = entries }
            try unchanged { account.mutableOrderedSetValue(forKey: "entries").add(entries[0]) }
            try unchanged {
                // There and back again.
                account["entries"] = [entries[2], entries[0], entries[1]]
                account["entries"] = entries
                account["title"] = "a"
            }
            try unchanged {
                entries[1]["account"] = nil
                entries[1]["account"] = account
                account["entries"] = entries
            }
            account["entries"] = [entries[1], entries[0], entries[2]]
            context.processPendingChanges()
            #expect(undo.undoCount == 1)
            context.undo()
            #expect(account.objects("entries") == entries)
            try context.save()
            #expect(try fixture.reopened().one("Account").texts("entries", "text") == ["a", "b", "c"])
        }
    }
}

extension ManagedObject {
    fileprivate func objects(_ key: String) -> [ManagedObject] { self[key] as? [ManagedObject] ?? [] }
}
