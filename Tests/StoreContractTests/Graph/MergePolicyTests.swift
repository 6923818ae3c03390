import ObjectGraph
import Query
import Schema
import Testing

/// What each policy makes of an object that was changed on both sides (S9–S23).
struct MergePolicyTests {
    static let merging: [MergePolicyType] = [
        .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    /// One account, read by a context with a policy, then changed in the store and here.
    func conflict(
        _ fixture: GraphFixture, _ policy: MergePolicy, here: (ManagedObject, ManagedObjectContext) throws -> Void,
        elsewhere: (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws -> (account: ManagedObject, context: ManagedObjectContext) {
        let context = fixture.context(policy)
        let account = try context.make("Account", ["title": "t0", "note": "n0", "color": "c0", "balance": 10])
        try context.save()
        let other = fixture.context()
        let same = try other.same(account)
        try elsewhere(same, other)
        try other.save()
        try here(account, context)
        return (account, context)
    }

    // MARK: Values (S17)

    /// title is changed here only (A), note in the store only (B), color in both (C), balance in
    /// neither (D).
    @Test(arguments: StoreKind.allCases, MergePolicyType.allCases)
    func eachPolicyMergesPropertyByProperty_S17(kind: StoreKind, type: MergePolicyType) throws {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, MergePolicy(merge: type)) { account, _ in
                account["title"] = "t1"
                account["color"] = "c1"
            } elsewhere: { account, _ in
                account["note"] = "n2"
                account["color"] = "c2"
            }
            let expected: [String?]
            switch type {
            case .error:
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.code == .conflict && error?.cocoaCode == 133_020)
                #expect(account.text("title") == "t1" && account.hasChanges)
                expected = ["t0", "n2", "c2"]
            case .mergeByPropertyStoreTrump: expected = ["t1", "n2", "c2"]
            case .mergeByPropertyObjectTrump: expected = ["t1", "n2", "c1"]
            case .overwrite: expected = ["t1", "n0", "c1"]
            case .rollback: expected = ["t0", "n2", "c2"]
            }
            if type != .error {
                try context.save()
                #expect(!account.hasChanges && account.changedValues().isEmpty && !context.hasChanges)
                #expect(["title", "note", "color"].map { account.text($0) } == expected)
                #expect(account.number("balance") == 10)
            }
            let stored = try fixture.reopened().one("Account")
            #expect(["title", "note", "color"].map { stored.text($0) } == expected)
        }
    }

    @Test(arguments: StoreKind.allCases, merging) func mergedObjectsCanBeSavedAgain_S9(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, MergePolicy(merge: type)) { account, _ in
                account["title"] = "here"
            } elsewhere: { account, _ in
                account["title"] = "there"
            }
            try context.save()
            account["title"] = "again"
            context.mergePolicy = .error
            try context.save()
            #expect(try fixture.reopened().one("Account").text("title") == "again")
        }
    }

    @Test(arguments: StoreKind.allCases) func theErrorTellsWhatWasReadAndWhatIsStored_S13_S14_S15(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, .error) { account, _ in
                account["title"] = "here"
            } elsewhere: { account, context in
                account["title"] = "there"
                account["owner"] = try context.make("Person", ["name": "Ada"])
            }
            let error = try #require(#expect(throws: GraphError.self) { try context.save() })
            #expect(error.message == "Account/\(account.objectID.reference) was changed in the store meanwhile")
            let conflict = try #require(error.conflicts.first)
            #expect(error.conflicts.count == 1 && error.object == account.objectID)
            #expect(conflict.objectID == account.objectID && conflict.oldVersion == 1 && conflict.newVersion == 2)
            #expect(conflict.objectSnapshot["title"] == .string("t0") && conflict.objectSnapshot["owner"] == .null)
            #expect(conflict.persistedSnapshot?["title"] == .string("there"))
            guard case .object(let owner)? = conflict.persistedSnapshot?["owner"] else {
                Issue.record("no owner in the snapshot")
                return
            }
            #expect(owner.entity.name == "Person")
            #expect(conflict.persistedSnapshot?["tags"] == nil)
            // A failed save leaves everything as it was (S16).
            #expect(account.text("title") == "here" && context.updatedObjects == [account])
            account["title"] = "t0"
            context.rollback()
            context.refresh(account, mergeChanges: false)
            #expect(account.text("title") == "there")
        }
    }
}

extension MergePolicyTests {
    @Test(arguments: StoreKind.allCases) func differentObjectsNeverConflict_S21(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let first = try context.make("Account", ["title": "a"]),
                second = try context.make("Account", ["title": "b"])
            try context.save()
            let other = fixture.context()
            try other.same(second)["title"] = "b2"
            try other.save()
            first["title"] = "a2"
            try context.save()
            #expect(try fixture.reopened().all("Account").map { $0.text("title") ?? "" }.sorted() == ["a2", "b2"])
        }
    }

    @Test(arguments: StoreKind.allCases) func everyConflictOfASaveIsListed_S13(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let accounts = try (0..<5).map { try context.make("Account", ["balance": $0]) }
            try context.save()
            let other = fixture.context()
            for account in accounts[1..<4] { try other.same(account)["note"] = "x" }
            try other.save()
            for account in accounts { account["note"] = "y" }
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(Set(error?.conflicts.map(\.objectID) ?? []) == Set(accounts[1..<4].map(\.objectID)))
        }
    }

    @Test(arguments: StoreKind.allCases) func insertingAMemberConflictsWithAnEditOfTheOwner_S11(kind: StoreKind) throws
    {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let person = try context.make("Person", ["name": "Ada"])
            try context.save()
            let other = fixture.context()
            try other.same(person)["name"] = "Grace"
            try other.save()
            try context.make("Account", ["owner": person])
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.conflicts.map(\.objectID) == [person.objectID])
            context.mergePolicy = .mergeByPropertyStoreTrump
            try context.save()
            #expect(person.text("name") == "Grace" && (person["accounts"] as? Set<ManagedObject>)?.count == 1)
        }
    }
}

extension MergePolicyTests {
    // MARK: To-one relationships

    @Test(arguments: StoreKind.allCases, merging) func aToOneIsMergedWithItsInverse_S17(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let people = try ["a", "b", "c"].map { try context.make("Person", ["name": $0]) }
            let account = try context.make("Account", ["title": "shared", "owner": people[0]])
            try context.save()
            #expect(people.map { ($0["accounts"] as? Set<ManagedObject>)?.count } == [1, 0, 0])
            let other = fixture.context()
            try other.same(account)["owner"] = try other.same(people[2])
            try other.save()
            account["owner"] = people[1]
            try context.save()
            let winner = type == .mergeByPropertyStoreTrump || type == .rollback ? 2 : 1
            #expect(account.target("owner") === people[winner])
            #expect(
                people.map { ($0["accounts"] as? Set<ManagedObject>)?.count } == (0..<3).map { $0 == winner ? 1 : 0 })
            let stored = try fixture.reopened().one("Account")
            #expect(stored.target("owner")?.text("name") == ["a", "b", "c"][winner])
        }
    }
}

extension MergePolicyTests {
    // MARK: To-many relationships (S20)

    @Test(
        arguments: StoreKind.allCases,
        [MergePolicyType.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite])
    func linksAreMergedAsWhatCameAndWent_S20(kind: StoreKind, type: MergePolicyType) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let account = try context.make("Account", [:])
            let tags = try ["a", "b", "c", "d"].map { try context.make("Tag", ["word": $0]) }
            account["tags"] = Set(tags[0...1])
            try context.save()
            let other = fixture.context()
            let same = try other.same(account)
            // Elsewhere a goes and c comes; here b goes and d comes.
            same["tags"] = Set([try other.same(tags[1]), try other.same(tags[2])])
            try other.save()
            account["tags"] = Set([tags[0], tags[3]])
            try context.save()
            #expect(account.texts("tags", "word") == ["c", "d"])
            #expect(tags.map { ($0["accounts"] as? Set<ManagedObject>)?.count } == [0, 0, 1, 1])
            #expect(try fixture.reopened().one("Account").texts("tags", "word") == ["c", "d"])
        }
    }

    @Test(arguments: StoreKind.allCases) func rollbackTakesLinksBackAtBothEnds_S17(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, .rollback) { account, context in
                account["tags"] = Set([try context.make("Tag", ["word": "mine"])])
            } elsewhere: { account, context in
                account["tags"] = Set([try context.make("Tag", ["word": "theirs"])])
            }
            try context.save()
            #expect(account.texts("tags", "word") == ["theirs"])
            #expect((try context.one("Tag", "word == 'mine'")["accounts"] as? Set<ManagedObject>)?.isEmpty == true)
            #expect(try fixture.reopened().one("Account").texts("tags", "word") == ["theirs"])
        }
    }

    @Test(arguments: StoreKind.allCases, merging) func ownedMembersOfBothSidesStay_S20(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, MergePolicy(merge: type)) { account, context in
                _ = try context.make("Entry", ["text": "here", "account": account])
            } elsewhere: { account, context in
                _ = try context.make("Entry", ["text": "there", "account": account])
            }
            try context.save()
            #expect(account.texts("entries", "text").sorted() == ["here", "there"])
            #expect(try fixture.reopened().one("Account").texts("entries", "text").sorted() == ["here", "there"])
        }
    }

    @Test(arguments: StoreKind.allCases) func orderIsTheContextsWhereItTrumps_S20(kind: StoreKind) throws {
        for (policy, expected) in [
            (MergePolicy.mergeByPropertyObjectTrump, ["3", "2", "1", "new"]),
            (.mergeByPropertyStoreTrump, ["1", "2", "3", "new"]),
        ] {
            try GraphFixture.run(kind) { fixture in
                let context = fixture.context(policy)
                let account = try context.make("Account", [:])
                for text in ["1", "2", "3"] { try context.make("Entry", ["text": text, "account": account]) }
                try context.save()
                let other = fixture.context()
                try other.make("Entry", ["text": "new", "account": try other.same(account)])
                try other.save()
                account["entries"] = Array((account["entries"] as? [ManagedObject] ?? []).reversed())
                try context.save()
                #expect(account.texts("entries", "text") == expected)
                #expect(try fixture.reopened().one("Account").texts("entries", "text") == expected)
            }
        }
    }
}

extension MergePolicyTests {
    // MARK: Deleted on one side (S18, S19)

    @Test(arguments: StoreKind.allCases, MergePolicyType.allCases) func editedHereAndDeletedInTheStore_S18(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, MergePolicy(merge: type)) { account, context in
                account["title"] = "here"
                account["tags"] = Set([try context.make("Tag", ["word": "mine"])])
            } elsewhere: { account, context in
                context.delete(account)
            }
            let id = account.objectID
            switch type {
            case .error:
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.conflicts.map(\.newVersion) == [0] && error?.conflicts.first?.persistedSnapshot == nil)
                #expect(account.text("title") == "here")
            case .mergeByPropertyObjectTrump, .overwrite:
                try context.save()
                #expect(account.objectID == id && !account.hasChanges)
                let stored = try fixture.reopened().one("Account")
                #expect(
                    stored.text("title") == "here" && stored.text("note") == "n0"
                        && stored.texts("tags", "word") == ["mine"])
                #expect(stored.objectID == id)
            case .mergeByPropertyStoreTrump, .rollback:
                try context.save()
                #expect(account.managedObjectContext == nil)
                let again = try fixture.reopened()
                #expect(try again.all("Account").isEmpty)
                #expect((try again.one("Tag")["accounts"] as? Set<ManagedObject>)?.isEmpty == true)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, MergePolicyType.allCases) func deletedHereAndEditedInTheStore_S19(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let person = try context.make("Person", ["name": "Ada"]),
                friend = try context.make("Person", ["name": "Friend"])
            let pupil = try context.make("Person", ["name": "Pupil", "mentor": person])
            person["friends"] = Set([friend])
            try context.save()
            let other = fixture.context()
            try other.same(person)["name"] = "Countess"
            try other.save()
            context.delete(person)
            switch type {
            case .error:
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.code == .conflict && person.isDeleted)
            case .mergeByPropertyObjectTrump, .overwrite:
                try context.save()
                let again = try fixture.reopened()
                #expect(try again.all("Person").map { $0.text("name") ?? "" }.sorted() == ["Friend", "Pupil"])
                #expect(try again.one("Person", "name == 'Pupil'").target("mentor") == nil)
            case .mergeByPropertyStoreTrump, .rollback:
                try context.save()
                #expect(!person.isDeleted && person.text("name") == "Countess" && context.deletedObjects.isEmpty)
                #expect(pupil.target("mentor") === person && person.texts("friends", "name") == ["Friend"])
                let stored = try fixture.reopened().one("Person", "name == 'Countess'")
                #expect(stored.texts("pupils", "name") == ["Pupil"] && stored.texts("friends", "name") == ["Friend"])
            }
        }
    }
}

extension MergePolicyTests {
    /// A pupil that is inserted again belongs to a mentor whom somebody else, who saw none, is
    /// about to delete.
    @Test(arguments: StoreKind.allCases) func whoeverDeletesTheOwnerOfWhatIsInsertedAgainMeetsAConflict_S18_S19_R11(
        kind: StoreKind
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.overwrite)
            let mentor = try context.make("Person", ["name": "Ada"]),
                pupil = try context.make("Person", ["name": "Bob", "mentor": mentor])
            try context.save()
            let other = fixture.context(), third = fixture.context(.overwrite)
            other.delete(try other.same(pupil))
            try other.save()
            third.delete(try third.same(mentor))
            third.processPendingChanges()
            pupil["age"] = 2
            try context.save()
            try third.save()
            let stored = try fixture.reopened().one("Person")
            #expect(stored.text("name") == "Bob" && stored.number("age") == 2 && stored.target("mentor") == nil)
        }
    }

    /// The person was read before the card came to it, the card after that.
    @Test(arguments: StoreKind.allCases, ["taken away", "given on", "taken over"])
    func aCardLeavesAPersonThatIsKnownHereWithoutIt_S17_R2(kind: StoreKind, step: String) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let person = try context.make("Person", ["name": "Ada"]),
                next = try context.make("Person", ["name": "Next"])
            let card = try context.make("Card", ["bank": "b"])
            try context.save()
            context.refresh(card, mergeChanges: false)
            let other = fixture.context()
            try other.same(card)["person"] = other.same(person)
            try other.save()
            #expect(card.target("person") === person && person.target("card") == nil)
            switch step {
            case "taken away": card["person"] = nil
            case "given on": card["person"] = next
            default: next["card"] = card
            }
            try context.save()
            #expect(person.target("card") == nil)
            let again = try fixture.reopened()
            #expect(try again.one("Person", "name == 'Ada'").target("card") == nil)
            #expect(try again.one("Card").target("person")?.text("name") == (step == "taken away" ? nil : "Next"))
        }
    }

    /// The card went to another person here before its first one was deleted, and that deletion is
    /// given up.
    @Test(arguments: StoreKind.allCases, [MergePolicyType.mergeByPropertyStoreTrump, .rollback])
    func theCardOfAPersonThatStaysAgreesWithIt_S19(kind: StoreKind, type: MergePolicyType) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let person = try context.make("Person", ["name": "Ada"]),
                heir = try context.make("Person", ["name": "Heir"])
            let card = try context.make("Card", ["bank": "b", "person": person])
            try context.save()
            let other = fixture.context()
            try other.same(person)["name"] = "Countess"
            try other.save()
            card["person"] = heir
            context.delete(person)
            try context.save()
            let holder = type == .rollback ? person : heir
            #expect(card.target("person") === holder)
            for shown in [person, heir] { #expect(shown.target("card") === (shown === holder ? card : nil)) }
            let again = try fixture.reopened()
            #expect(try again.one("Card").target("person")?.text("name") == holder.text("name"))
            #expect(
                try again.all("Person").filter { $0.target("card") != nil }.map { $0.text("name") } == [
                    holder.text("name")
                ])
        }
    }
}

extension MergePolicyTests {
    @Test(arguments: StoreKind.allCases) func whatCameToADeletedOwnerMeanwhileFollowsItsDeleteRule_S19_R11(
        kind: StoreKind
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.overwrite)
            let person = try context.make("Person", ["name": "Ada"])
            try context.make("Account", ["title": "old", "owner": person])
            try context.save()
            let other = fixture.context()
            let same = try other.same(person)
            try other.make("Account", ["title": "new", "owner": same])
            try other.make("Person", ["name": "Pupil", "mentor": same])
            try other.save()
            context.delete(person)
            try context.save()
            let again = try fixture.reopened()
            #expect(try again.all("Account").isEmpty)
            #expect(try again.one("Person").target("mentor") == nil)
        }
    }

    /// The pupils are known here as they were before they came to the deleted person, which itself
    /// is read as it is, or in conflict too.
    @Test(arguments: StoreKind.allCases, [false, true]) func whatCameToADeletedObjectIsKnownHereAsItWas_S19_R11(
        kind: StoreKind, isReadBefore: Bool
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(isReadBefore ? .overwrite : .error)
            let person = try context.make("Person", ["name": "Ada"]),
                pupil = try context.make("Person", ["name": "Bob"])
            let changed = try context.make("Person", ["name": "Cyd", "age": 1])
            try context.save()
            if !isReadBefore { context.refresh(person, mergeChanges: false) }
            let other = fixture.context()
            let mentor = try other.same(person)
            for member in [pupil, changed] { try other.same(member)["mentor"] = mentor }
            try other.save()
            if isReadBefore { changed["age"] = 2 }
            context.delete(person)
            try context.save()
            #expect(pupil.target("mentor") == nil)
            let again = try fixture.reopened()
            #expect(try again.one("Person", "name == 'Bob'").target("mentor") == nil)
            let stored = try again.one("Person", "name == 'Cyd'")
            #expect(stored.target("mentor") == nil && stored.number("age") == (isReadBefore ? 2 : 1))
        }
    }

    @Test(arguments: StoreKind.allCases) func theCardThatCameToADeletedObjectIsKnownHereAsItWas_S19_R11(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let person = try context.make("Person", ["name": "Ada"]), card = try context.make("Card", ["bank": "b"])
            try context.save()
            context.refresh(card, mergeChanges: false)
            let other = fixture.context()
            try other.same(card)["person"] = other.same(person)
            try other.save()
            // The card is deleted, and its person is known here without one.
            context.delete(card)
            try context.save()
            #expect(person.target("card") == nil)
            #expect(try fixture.reopened().one("Person").target("card") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases, merging) func deletedOnBothSidesIsNoConflict_S18(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let (account, context) = try conflict(fixture, MergePolicy(merge: type)) { account, context in
                context.delete(account)
            } elsewhere: { account, context in
                context.delete(account)
            }
            try context.save()
            #expect(account.managedObjectContext == nil && !context.hasChanges)
            #expect(try fixture.reopened().all("Account").isEmpty)
        }
    }
}

extension MergePolicyTests {
    @Test(arguments: StoreKind.allCases) func aReferenceToAnObjectThatIsGoneIsNotWritten_S18(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.mergeByPropertyStoreTrump)
            let person = try context.make("Person", ["name": "Ada"]),
                account = try context.make("Account", ["title": "t"])
            try context.save()
            let other = fixture.context()
            other.delete(try other.same(person))
            try other.save()
            account["owner"] = person
            try context.save()
            #expect(account.target("owner") == nil)
            #expect(try fixture.reopened().one("Account").target("owner") == nil)
        }
    }

    /// The object itself is in conflict for its members, and the policy writes all that it has, or
    /// what was set here.
    @Test(arguments: StoreKind.allCases, [MergePolicyType.overwrite, .mergeByPropertyObjectTrump])
    func whatWinsOverTheStoreLeadsToNothingThatIsGone_S18(kind: StoreKind, type: MergePolicyType) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let mentor = try context.make("Person", ["name": "Ada"]),
                other = try context.make("Person", ["name": "Cyd"])
            let pupil = try context.make("Person", ["name": "Bob", "mentor": mentor]),
                account = try context.make("Account", ["title": "t", "owner": pupil])
            try context.save()
            let second = fixture.context()
            second.delete(try second.same(mentor))
            try second.save()
            if type == .mergeByPropertyObjectTrump {
                pupil["mentor"] = other
                pupil["mentor"] = mentor
            }
            account["owner"] = nil
            pupil["age"] = 7
            try context.save()
            #expect(pupil.target("mentor") == nil)
            let stored = try fixture.reopened().one("Person", "name == 'Bob'")
            #expect(stored.target("mentor") == nil && stored.number("age") == 7)
        }
    }
}
