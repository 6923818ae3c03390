import ObjectGraph
import Query
import Schema
import Testing

/// Contexts on other contexts (S32–S37, L44).
struct ParentContextTests {
    @Test(arguments: StoreKind.allCases) func aChildsSaveGoesOneLevelUp_S32_S34(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let middle = ManagedObjectContext(parent: root), child = ManagedObjectContext(parent: middle)
            let account = try child.make("Account", ["title": "deep"])
            #expect(try middle.all("Account").isEmpty)
            try child.save()
            #expect(!child.hasChanges && middle.hasChanges && !root.hasChanges)
            #expect(account.objectID.isTemporaryID)
            #expect(try middle.one("Account").objectID == account.objectID && middle.one("Account").isInserted)
            try middle.save()
            #expect(root.hasChanges && !middle.hasChanges)
            #expect(try fixture.reopened().all("Account").isEmpty)
            try root.save()
            #expect(try fixture.reopened().one("Account").text("title") == "deep")
            // The permanent ID comes down to everyone.
            #expect(!account.objectID.isTemporaryID)
            #expect(
                try account.objectID == middle.one("Account").objectID
                    && account.objectID == root.one("Account").objectID)
        }
    }

    @Test(arguments: StoreKind.allCases) func whatParentAndChildBothDeletedIsNoConflict(kind: StoreKind) throws {
        for parentSaves in [false, true] {
            try GraphFixture.run(kind) { fixture in
                let root = fixture.context()
                let person = try root.make("Person", ["name": "Ada"])
                let account = try root.make("Account", ["title": "doomed", "owner": person]),
                    other = try root.make("Account", ["title": "other", "owner": person])
                try root.save()
                let child = ManagedObjectContext(parent: root)
                child.delete(try child.existingObject(with: account.objectID))
                try child.existingObject(with: other.objectID)["title"] = "edited"
                child.processPendingChanges()
                root.delete(account)
                if parentSaves { try root.save() }
                try child.save()
                #expect(!child.hasChanges && other.text("title") == "edited")
                try root.save()
                let stored = try fixture.reopened()
                #expect(
                    try stored.all("Account").map { $0.text("title") } == ["edited"]
                        && stored.one("Person").texts("accounts", "title") == ["edited"])
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func whatTheParentDeletedAndTheChildChangedIsAConflict(kind: StoreKind) throws
    {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let account = try root.make("Account", ["title": "doomed"])
            try root.save()
            let child = ManagedObjectContext(parent: root)
            let own = try child.existingObject(with: account.objectID)
            own["title"] = "edited"
            root.delete(account)
            let error = #expect(throws: GraphError.self) { try child.save() }
            #expect(error?.code == .conflict && error?.conflicts.first?.sourceObject(in: child) === own)
        }
    }

    @Test(arguments: StoreKind.allCases) func aChildSeesItsParentsUnsavedChanges_S33(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let person = try root.make("Person", ["name": "Ada"])
            let saved = try root.make("Account", ["title": "saved", "owner": person]),
                doomed = try root.make("Account", ["title": "doomed", "owner": person])
            try root.save()
            saved["title"] = "edited"
            root.delete(doomed)
            try root.make("Account", ["title": "new", "owner": person])
            let child = ManagedObjectContext(parent: root)
            #expect(try child.all("Account").map { $0.text("title") ?? "" }.sorted() == ["edited", "new"])
            #expect(
                try child.all("Account", "title == 'edited'").count == 1
                    && child.all("Account", "title == 'saved'").isEmpty)
            #expect(try child.one("Person").texts("accounts", "title") == ["edited", "new"])
            #expect(try child.one("Account", "title == 'new'").target("owner")?.text("name") == "Ada")
            #expect(try child.count(for: FetchRequest<ManagedObject>(entityName: "Account")) == 2)
            #expect(try child.fetch(FetchRequest<ManagedObjectID>(entityName: "Account")).count == 2)
            #expect(try !child.hasChanges && child.all("Account").allSatisfy { !$0.isInserted && !$0.hasChanges })
        }
    }
}

extension ParentContextTests {
    @Test(arguments: StoreKind.allCases) func sortingAndWindowsHoldInAChild_S33(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            for number in 0..<10 { try root.make("Account", ["balance": number * 2]) }
            try root.save()
            for number in 0..<10 { try root.make("Account", ["balance": number * 2 + 1]) }
            let child = ManagedObjectContext(parent: root)
            try child.make("Account", ["balance": 100])
            child.delete(try child.one("Account", "balance == 5"))
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.sortDescriptors = [SortKey("balance", ascending: false)]
            request.fetchOffset = 1
            request.fetchLimit = 16
            #expect(
                try child.fetch(request).map { $0.number("balance") } == [
                    19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 4, 3,
                ])
        }
    }

    @Test(arguments: StoreKind.allCases) func editsOfAllKindsComeToTheParent_S34(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let ada = try root.make("Person", ["name": "Ada"]), grace = try root.make("Person", ["name": "Grace"])
            let account = try root.make("Account", ["title": "t0", "owner": ada]),
                doomed = try root.make("Account", ["title": "doomed", "owner": ada])
            let tags = try ["a", "b"].map { try root.make("Tag", ["word": $0]) }
            account["tags"] = Set([tags[0]])
            for text in ["1", "2", "3"] { try root.make("Entry", ["text": text, "account": account]) }
            try root.save()
            let child = ManagedObjectContext(parent: root)
            let same = try child.same(account)
            same["title"] = "t1"
            same["owner"] = try child.same(grace)
            same["tags"] = Set([try child.same(tags[1]), try child.make("Tag", ["word": "c"])])
            same["entries"] =
                Array((same["entries"] as? [ManagedObject] ?? []).reversed()) + [try child.make("Entry", ["text": "4"])]
            child.delete(try child.same(doomed))
            try child.same(ada)["friends"] = Set([try child.same(grace)])
            #expect(!root.hasChanges)
            try child.save()
            func check(_ account: ManagedObject) {
                #expect(account.text("title") == "t1" && account.target("owner")?.text("name") == "Grace")
                #expect(
                    account.texts("tags", "word") == ["b", "c"]
                        && account.texts("entries", "text") == ["3", "2", "1", "4"])
            }
            check(account)
            #expect(
                doomed.isDeleted && ada.texts("accounts", "title").isEmpty && grace.texts("accounts", "title") == ["t1"]
            )
            #expect(
                grace.texts("friends", "name") == ["Ada"]
                    && (tags[0]["accounts"] as? Set<ManagedObject>)?.isEmpty == true)
            try root.save()
            let again = try fixture.reopened()
            check(try again.one("Account"))
            #expect(try again.one("Person", "name == 'Ada'").texts("friends", "name") == ["Grace"])
        }
    }

    @Test(arguments: StoreKind.allCases) func newObjectsOfTheParentAreEditedAndDeletedInAChild_S34(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let kept = try root.make("Account", ["title": "kept"]),
                doomed = try root.make("Account", ["title": "doomed"])
            let child = ManagedObjectContext(parent: root)
            let same = try child.same(kept)
            same["title"] = "edited"
            try child.make("Entry", ["text": "e", "account": same])
            child.delete(try child.same(doomed))
            try child.save()
            #expect(kept.text("title") == "edited" && kept.isInserted && doomed.managedObjectContext == nil)
            try root.save()
            #expect(try fixture.reopened().one("Account").texts("entries", "text") == ["e"])
            #expect(!same.objectID.isTemporaryID && same.texts("entries", "text") == ["e"])
            same["title"] = "again"
            try child.save()
            try root.save()
            #expect(try fixture.reopened().one("Account").text("title") == "again")
        }
    }
}

extension ParentContextTests {
    @Test(arguments: StoreKind.allCases) func whatAChildDropsTheParentNeverSees_S32(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let account = try root.make("Account", ["title": "t0"])
            try root.save()
            let child = ManagedObjectContext(parent: root)
            let same = try child.same(account)
            same["title"] = "t1"
            try child.make("Account", [:])
            child.rollback()
            #expect(same.text("title") == "t0")
            try child.save()
            #expect(!root.hasChanges && account.text("title") == "t0")
        }
    }

    /// A child has read what its parent gives up then.
    @Test(arguments: StoreKind.allCases) func aChildThatMergesByItselfFollowsWhatItsParentGivesUp(kind: StoreKind)
        throws
    {
        for step in ["rollback", "reset", "refresh", "refreshAll"] {
            try GraphFixture.run(kind) { fixture in
                let root = fixture.context()
                let ada = try root.make("Person", ["name": "Ada"])
                let account = try root.make("Account", ["title": "t0", "note": "n0", "owner": ada])
                try root.save()
                account["title"] = "t1"
                let new = try root.make("Account", ["title": "new", "owner": ada])
                let child = ManagedObjectContext(parent: root), grandchild = ManagedObjectContext(parent: child)
                (child.automaticallyMergesChangesFromParent, grandchild.automaticallyMergesChangesFromParent) = (
                    true, true
                )
                let same = try child.same(account), owner = try child.same(ada), gone = try child.same(new),
                    last = try grandchild.same(account)
                #expect(
                    same.text("title") == "t1" && owner.texts("accounts", "title") == ["new", "t1"]
                        && last.text("title") == "t1")
                same["note"] = "n1"
                let hasNew = step.hasPrefix("refresh")
                switch step {
                case "rollback": root.rollback()
                case "reset": root.reset()
                case "refresh": root.refresh(account, mergeChanges: false)
                default:
                    root.refresh(account, mergeChanges: false)
                    // What another context saved comes along.
                    let other = fixture.context()
                    try other.same(account)["title"] = "t2"
                    try other.save()
                    root.refreshAllObjects()
                }
                child.processPendingChanges()
                grandchild.processPendingChanges()
                let title = step == "refreshAll" ? "t2" : "t0"
                #expect(
                    same.text("title") == title && same.text("note") == "n1" && last.text("title") == title, "\(step)")
                #expect(
                    gone.isDeleted == !hasNew
                        && owner.texts("accounts", "title") == (hasNew ? ["new", title] : [title]), "\(step)")
                try child.save()
                try root.save()
                let stored = try fixture.reopened()
                let saved = try stored.one("Account", "title == '\(title)'")
                let count = try stored.count(for: FetchRequest<ManagedObject>(entityName: "Account"))
                #expect(saved.text("note") == "n1" && count == (hasNew ? 2 : 1), "\(step)")
            }
        }
    }
}

extension ParentContextTests {
    @Test(arguments: StoreKind.allCases) func aChildsValuesWinWithoutConflict_S36(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let account = try root.make("Account", ["title": "t0", "note": "n0"])
            try root.save()
            let child = ManagedObjectContext(parent: root)
            let same = try child.same(account)
            same["title"] = "child"
            account["title"] = "parent"
            account["note"] = "parent"
            try child.save()
            #expect(account.text("title") == "child" && account.text("note") == "parent")
        }
    }

    @Test(arguments: StoreKind.allCases) func whatTheParentDeletedMeanwhileIsAConflict_S36(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let account = try root.make("Account", ["title": "t0"])
            try root.save()
            let child = ManagedObjectContext(parent: root)
            try child.same(account)["title"] = "child"
            root.delete(account)
            let error = #expect(throws: GraphError.self) { try child.save() }
            #expect(error?.code == .conflict && child.hasChanges)
            child.mergePolicy = .rollback
            try child.save()
            #expect(!child.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func aChildValidatesItsOwnSave_V18(kind: StoreKind) throws {
        try GraphFixture.run(kind, classes: ["Account": StrictAccount.self]) { fixture in
            let root = fixture.context(), child = ManagedObjectContext(parent: root)
            try child.make("Account", ["title": "forbidden"])
            #expect(throws: ValidationError.self) { try child.save() }
            #expect(!root.hasChanges && child.hasChanges)
        }
    }

    private final class StrictAccount: ManagedObject {
        override func validateForInsert() throws {
            try super.validateForInsert()
            if self["title"] as? String == "forbidden" {
                throw ValidationError(.generic, "no such title", key: "title")
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func transientValuesTravelUpAndNotDown_L44(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let person = try root.make("Person", ["name": "Ada"])
            try root.save()
            let child = ManagedObjectContext(parent: root)
            try child.same(person)["scratch"] = "note"
            try child.save()
            #expect(person.text("scratch") == "note" && root.hasChanges)
            let other = ManagedObjectContext(parent: root)
            #expect(try other.same(person).text("scratch") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func permanentIDsCanBeHadInAChild_S35(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context(), child = ManagedObjectContext(parent: root)
            let parents = try root.make("Account", ["title": "parent's"])
            let own = try child.make("Account", ["title": "own"]), same = try child.same(parents)
            try child.obtainPermanentIDs(for: [own, same])
            let ids = [own.objectID, same.objectID]
            #expect(
                ids.allSatisfy { !$0.isTemporaryID } && parents.objectID == same.objectID && own.isInserted
                    && !same.hasChanges)
            try child.save()
            #expect(try root.existingObject(with: own.objectID).text("title") == "own")
            try root.save()
            #expect([own.objectID, same.objectID] == ids)
            #expect(
                Set(try fixture.reopened().all("Account").map(\.objectID.description)) == Set(ids.map(\.description)))
        }
    }
}

extension ParentContextTests {
    @Test(arguments: StoreKind.allCases) func aChildsSaveIsAnEventOfTheParent_S37(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let account = try root.make("Account", [:])
            try root.save()
            var inserted = 0, updated: Set<ManagedObject> = []
            let observation = root.observe(.objectsDidChange) {
                inserted += $0.inserted.count
                updated.formUnion($0.updated)
            }
            let child = ManagedObjectContext(parent: root)
            try child.same(account)["title"] = "t"
            try child.make("Account", [:])
            try child.save()
            #expect(inserted == 1 && updated == [account])
            #expect(root.insertedObjects.count == 1 && root.updatedObjects == [account])
            observation.cancel()
        }
    }

    @Test(arguments: StoreKind.allCases) func theParentCanUndoAChildsSave_U5(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            root.undoManager = UndoManager()
            let account = try root.make("Account", ["title": "t0"])
            try root.save()
            let child = ManagedObjectContext(parent: root)
            try child.same(account)["title"] = "t1"
            try child.make("Entry", ["text": "e", "account": try child.same(account)])
            try child.save()
            root.undo()
            #expect(account.text("title") == "t0" && account.texts("entries", "text").isEmpty && !root.hasChanges)
            root.redo()
            #expect(account.text("title") == "t1" && account.texts("entries", "text") == ["e"])
        }
    }

    @Test(arguments: StoreKind.allCases) func aChildUndoesAcrossItsSaves_U10(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context(), child = ManagedObjectContext(parent: root)
            child.undoManager = UndoManager()
            let account = try child.make("Account", ["title": "t0"])
            child.processPendingChanges()
            try child.save()
            child.delete(account)
            try child.save()
            #expect(try root.all("Account").isEmpty)
            child.undo()
            #expect(account.text("title") == "t0")
            try child.save()
            #expect(try root.one("Account").text("title") == "t0")
            try root.save()
            #expect(try fixture.reopened().one("Account").text("title") == "t0")
        }
    }

    @Test(arguments: StoreKind.allCases) func childrenFollowEachOtherThroughTheParent_S38(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let account = try root.make("Account", ["title": "t0"])
            let writer = ManagedObjectContext(parent: root), reader = ManagedObjectContext(parent: root)
            reader.automaticallyMergesChangesFromParent = true
            let read = try reader.same(account)
            try writer.same(account)["title"] = "t1"
            try writer.save()
            reader.processPendingChanges()
            #expect(read.text("title") == "t1")
        }
    }

    @Test(arguments: StoreKind.allCases) func unsavedObjectsOfTheParentAreFoundByConditionsInAChild_Q38(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let person = try root.make("Person", ["name": "Ada"])
            try root.make("Account", ["title": "hers", "owner": person])
            try root.make("Account", ["title": "nobody's"])
            let child = ManagedObjectContext(parent: root)
            #expect(try child.all("Account", "owner.name == 'Ada'").map { $0.text("title") } == ["hers"])
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.predicate = try FetchPredicate(format: "owner == %@", try child.same(person).objectID)
            #expect(try child.fetch(request).map { $0.text("title") } == ["hers"])
        }
    }
}

extension ParentContextTests {
    @Test(arguments: StoreKind.allCases) func cascadesRunInTheChildAndAreSavedByTheRoot_R11(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let root = fixture.context()
            let person = try root.make("Person", ["name": "Ada"])
            for _ in 0..<3 { try root.make("Account", ["owner": person]) }
            try root.save()
            try root.make("Account", ["owner": person])
            let child = ManagedObjectContext(parent: root)
            child.delete(try child.same(person))
            try child.save()
            #expect(try root.all("Account").isEmpty && child.all("Account").isEmpty)
            try root.save()
            #expect(try fixture.reopened().all("Account").isEmpty)
        }
    }
}
