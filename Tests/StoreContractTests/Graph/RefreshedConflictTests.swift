import ObjectGraph
import Query
import Schema
import Testing

/// Objects that are refreshed with their changes kept, or deleted here, between what others saved
/// and the save that meets it (F10, S13–S19).
struct RefreshedConflictTests {
    /// The card was changed on both sides, and nobody looked at it: refreshing the person that it
    /// belongs to here hides that from no save.
    @Test(arguments: StoreKind.allCases, [false, true]) func refreshingOneObjectHidesNoConflictOfAnother_S13_F10(
        kind: StoreKind, isLedToThere: Bool
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let person = try context.make("Person", ["name": "Ada"]),
                rival = try context.make("Person", ["name": "Rival"])
            let card = try context.make("Card", ["bank": "b"])
            try context.save()
            card["bank"] = "mine"
            person["card"] = card
            let other = fixture.context()
            try other.same(card)["bank"] = "theirs"
            if isLedToThere { try other.same(card)["person"] = other.same(rival) }
            try other.save()
            context.refresh(person, mergeChanges: true)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
            context.mergePolicy = .mergeByPropertyStoreTrump
            try context.save()
            let again = try fixture.reopened(), stored = try again.one("Card")
            #expect(
                stored.text("bank") == "theirs"
                    && stored.target("person")?.text("name") == (isLedToThere ? "Rival" : "Ada"))
            #expect(try again.all("Person").filter { $0.target("card") != nil }.count == 1)
        }
    }

    /// The owner is gone from the store, which the policy answers by inserting it again: with what
    /// was made its own here.
    @Test(arguments: StoreKind.allCases, [false, true]) func refreshingAMemberOfAnOwnerThatIsGoneKeepsItsMember_S18_F10(
        kind: StoreKind, merges: Bool
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.mergeByPropertyObjectTrump)
            let person = try context.make("Person", ["name": "Ada"]),
                account = try context.make("Account", ["title": "t"])
            try context.save()
            account["owner"] = person
            let other = fixture.context()
            other.delete(try other.same(person))
            try other.same(account)["note"] = "n"
            try other.save()
            if merges {
                context.mergeChanges(from: SavedChanges(updated: [account.objectID], deleted: [person.objectID]))
            } else {
                context.refresh(account, mergeChanges: true)
            }
            #expect(account.target("owner") === person)
            try context.save()
            let stored = try fixture.reopened().one("Account")
            #expect(stored.target("owner")?.text("name") == "Ada" && stored.text("note") == "n")
        }
    }

    /// What came to a deleted person meanwhile is for the conflict of the deletion to settle, and
    /// the deletion may be undone.
    @Test(arguments: StoreKind.allCases) func whatCameToADeletedObjectStaysWhereTheDeletionIsUndone_U10(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(), undo = UndoManager()
            let person = try context.make("Person", ["name": "Ada"]),
                pupil = try context.make("Person", ["name": "Bob"])
            try context.save()
            context.undoManager = undo
            context.delete(person)
            context.processPendingChanges()
            let other = fixture.context()
            try other.same(pupil)["mentor"] = other.same(person)
            try other.save()
            context.mergeChanges(from: SavedChanges(updated: [pupil.objectID, person.objectID]))
            undo.undo()
            #expect(!person.isDeleted)
            try context.save()
            #expect(try fixture.reopened().one("Person", "name == 'Bob'").target("mentor")?.text("name") == "Ada")
        }
    }
}

extension RefreshedConflictTests {
    /// A person that has other changes was read before the card came to it, and then is parted from
    /// it.
    @Test(arguments: StoreKind.allCases, [false, true])
    func whatAChangedPersonHadBeforeTheCardCameIsNoChangeOfIts_S17_U5(kind: StoreKind, isUndone: Bool) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.mergeByPropertyObjectTrump)
            let person = try context.make("Person", ["name": "Ada"]), card = try context.make("Card", ["bank": "b"])
            try context.make("Card", ["bank": "old", "person": person])
            try context.save()
            context.refresh(card, mergeChanges: false)
            person["age"] = 3
            let other = fixture.context()
            try other.same(card)["person"] = other.same(person)
            try other.save()
            let undo = UndoManager()
            context.undoManager = undo
            card["person"] = nil
            context.processPendingChanges()
            if isUndone { undo.undo() }
            try context.save()
            let again = try fixture.reopened(), stored = try again.one("Person")
            #expect(stored.target("card")?.text("bank") == (isUndone ? "b" : nil) && stored.number("age") == 3)
            for card in try again.all("Card") {
                #expect((card.target("person") != nil) == (isUndone && card.text("bank") == "b"))
            }
        }
    }

    /// Merging a deletion makes it again, of what the store has now: no conflict is left, and what
    /// came to the object follows the delete rule.
    @Test(arguments: StoreKind.allCases) func aDeletionThatIsRefreshedIsMadeAgain_F10_S19(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let person = try context.make("Person", ["name": "Ada"]),
                pupil = try context.make("Person", ["name": "Bob"])
            try context.save()
            context.delete(person)
            let other = fixture.context()
            try other.same(pupil)["mentor"] = other.same(person)
            try other.same(person)["age"] = 4
            try other.save()
            #expect(throws: GraphError.self) { try context.save() }
            context.refresh(person, mergeChanges: true)
            #expect(person.isDeleted)
            try context.save()
            #expect(try fixture.reopened().one("Person").target("mentor") == nil)
        }
    }
}
