import ObjectGraph
import Testing

/// Undo of insertions that were saved, and that other contexts have related to objects since.
struct UndoneInsertionTests {
    /// Saves in another context, and merges.
    private func merge(
        _ fixture: GraphFixture, into context: ManagedObjectContext, _ edit: (ManagedObjectContext) throws -> Void
    ) throws {
        let elsewhere = fixture.context()
        var changes = SavedChanges()
        let observation = elsewhere.observe(.didSave) { changes = $0.changes }
        try edit(elsewhere)
        try elsewhere.save()
        observation.cancel()
        context.mergeChanges(from: changes)
    }

    @Test(arguments: StoreKind.allCases) func theObjectLeavesWhatOthersRelatedItTo_S40_U5(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let person = try context.make("Person", ["name": "p"]), tag = try context.make("Tag", ["word": "t"])
            try context.save()
            context.undoManager = UndoManager()
            let account = try context.make("Account", ["title": "a"])
            try context.save()
            #expect(person.texts("accounts", "title").isEmpty && tag.texts("accounts", "title").isEmpty)
            try merge(fixture, into: context) {
                let other = try $0.same(account)
                other["owner"] = try $0.same(person)
                other["tags"] = Set([try $0.same(tag)])
            }
            #expect(person.texts("accounts", "title") == ["a"] && tag.texts("accounts", "title") == ["a"])
            context.undo()
            #expect(account.isDeleted)
            #expect(person.texts("accounts", "title").isEmpty && tag.texts("accounts", "title").isEmpty)
            context.redo()
            #expect(account.target("owner") === person && account.texts("tags", "word") == ["t"])
            #expect(person.texts("accounts", "title") == ["a"] && tag.texts("accounts", "title") == ["a"])
            context.undo()
            try context.save()
            let stored = fixture.context()
            #expect(try stored.all("Account").isEmpty)
            #expect(try stored.one("Person").texts("accounts", "title").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func deleteRulesHoldForWhatOthersRelatedToIt_S40_U5(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let account = try context.make("Account", ["title": "a"]), card = try context.make("Card", ["bank": "b"])
            let pupil = try context.make("Person", ["name": "pupil"])
            try context.save()
            context.undoManager = UndoManager()
            let person = try context.make("Person", ["name": "p"])
            try context.save()
            try merge(fixture, into: context) {
                let other = try $0.same(person)
                other["accounts"] = Set([try $0.same(account)])
                other["card"] = try $0.same(card)
                other["pupils"] = Set([try $0.same(pupil)])
            }
            #expect(account.target("owner") === person && card.target("person") === person)
            context.undo()
            // Accounts and the card go with the person, pupils stay.
            #expect(person.isDeleted && account.isDeleted && card.isDeleted && !pupil.isDeleted)
            #expect(pupil.target("mentor") == nil)
            context.redo()
            #expect(!person.isDeleted && !account.isDeleted && account.target("owner") === person)
            #expect(person.target("card") === card && pupil.target("mentor") === person)
            context.undo()
            try context.save()
            let stored = fixture.context()
            #expect(try stored.all("Account").isEmpty && stored.all("Card").isEmpty)
            #expect(try stored.one("Person").text("name") == "pupil")
        }
    }
}
