import CoreData
import Synchronization
import Testing

/// Saving, conflicts and several contexts, as the page *Core Data's behavior* numbers them.
struct SavingFactTests {
    @Test(arguments: Facts.Kind.allCases)
    func aSavePostsInItsOrder_S1_S2_S3_S4_S6_S7(kind: Facts.Kind) throws {
        let context = try Facts(kind).context()
        let empty = try Posts.of(context, .NSManagedObjectContextDidSave) { try context.save() }
        #expect(empty.allSatisfy { $0[NSInsertedObjectsKey] == 0 })
        let person = try context.person()
        let posts = try Posts.of(
            context, .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange,
            .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs
        ) { try context.save() }
        #expect(posts.contains { $0.name == .NSManagedObjectContextObjectsDidChange && $0[NSInsertedObjectsKey] == 1 })
        #expect(posts.first { $0.name == .NSManagedObjectContextWillSave }?.keys == [])
        #expect(posts.first { $0.name == .NSManagedObjectContextDidSave }?[NSInsertedObjectsKey] == 1)
        #expect(posts.first { $0.name == .NSManagedObjectContextDidSaveObjectIDs }?[NSInsertedObjectIDsKey] == 1)
        #expect(person.events.firstIndex(of: "willSave")! < person.events.firstIndex(of: "validateInsert")!)
        #expect(person.events.firstIndex(of: "validateInsert")! < person.events.firstIndex(of: "didSave")!)
        #expect(
            try Posts.of(context, .NSManagedObjectContextObjectsDidChange) { _ = try context.all("Person") }.isEmpty)
    }

    /// Two contexts of one coordinator, and the same person in both.
    private func two(_ facts: Facts) throws -> (NSManagedObjectContext, FactPerson, NSManagedObjectContext, FactPerson)
    {
        let one = facts.context(), other = facts.context()
        let mine = try one.saved(["name": "Ann", "nickname": "base"])
        let theirs = try #require(other.existingObject(with: mine.objectID) as? FactPerson)
        return (one, mine, other, theirs)
    }

    @Test(arguments: Facts.Kind.allCases)
    func editsOfOneObjectConflict_S9_S12_S13_S14_S15_S16(kind: Facts.Kind) throws {
        let facts = try Facts(kind), (one, mine, other, theirs) = try two(facts)
        theirs.setValue("theirs", forKey: "nickname")
        try other.save()
        mine.setValue("mine", forKey: "nickname")
        let error = try #require(failure { try one.save() })
        #expect(error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectMergeError)
        let conflicts = try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])
        #expect(conflicts.count == 1 && conflicts[0].sourceObject === mine && conflicts[0].newVersionNumber != 0)
        #expect(conflicts[0].objectSnapshot?["nickname"] as? String == "base")
        let newer = conflicts[0].cachedSnapshot ?? conflicts[0].persistedSnapshot
        #expect(newer?["nickname"] as? String == "theirs" && newer?["pets"] == nil)
        #expect(mine.text("nickname") == "mine" && one.hasChanges)
        #expect(try facts.context().all("Person").first?.text("nickname") == "theirs")
    }

    @Test(arguments: Facts.Kind.allCases)
    func whatConflictsAndWhatDoesNot_S10_S11_S21(kind: Facts.Kind) throws {
        let facts = try Facts(kind), (one, mine, other, theirs) = try two(facts)
        _ = mine.text("name")
        let second = try other.person(["name": "second"])
        theirs.setValue("theirs", forKey: "nickname")
        try other.save()
        try one.person(["name": "new"])
        try one.save()
        second.setValue("s", forKey: "nickname")
        try other.save()
        try one.person(["name": "newer"])
        one.detectConflicts(for: mine)
        #expect(failure { try one.save() }?.code == NSManagedObjectMergeError)
        one.rollback()
        let (third, own, fourth, copy) = try two(facts)
        copy.setValue("edit", forKey: "nickname")
        try fourth.save()
        third.make("Pet", ["owner": own])
        #expect(failure { try third.save() }?.code == NSManagedObjectMergeError)
    }

    @Test(arguments: [
        (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, "theirs", "mine"),
        (.mergeByPropertyObjectTrumpMergePolicyType, "mine", "mine"),
        (.overwriteMergePolicyType, "mine", "mine"), (.rollbackMergePolicyType, "theirs", "Ann"),
    ])
    func policiesDecide_S17(type: NSMergePolicyType, nickname: String, name: String) throws {
        for kind in Facts.Kind.allCases {
            let facts = try Facts(kind), (one, mine, other, theirs) = try two(facts)
            theirs.setValue("theirs", forKey: "nickname")
            theirs.setValue(44, forKey: "age")
            try other.save()
            mine.setValue("mine", forKey: "nickname")
            mine.setValue("mine", forKey: "name")
            one.mergePolicy = NSMergePolicy(merge: type)
            try one.save()
            #expect(mine.text("nickname") == nickname && mine.text("name") == name, "\(kind)")
            #expect(mine.int("age") == (type == .overwriteMergePolicyType ? 18 : 44), "\(kind)")
            let stored = try #require(facts.context().all("Person").first)
            #expect(stored.text("nickname") == nickname && stored.text("name") == name, "\(kind)")
        }
    }

    @Test(arguments: Facts.Kind.allCases)
    func deletionsAgainstEdits_S18_S19(kind: Facts.Kind) throws {
        for (type, left) in [
            (NSMergePolicyType.errorMergePolicyType, 0), (.rollbackMergePolicyType, 0),
            (.mergeByPropertyStoreTrumpMergePolicyType, 0), (.overwriteMergePolicyType, 1),
            (.mergeByPropertyObjectTrumpMergePolicyType, 1),
        ] {
            let facts = try Facts(kind), (one, mine, other, theirs) = try two(facts)
            other.delete(theirs)
            try other.save()
            mine.setValue("mine", forKey: "nickname")
            one.mergePolicy = NSMergePolicy(merge: type)
            #expect(throwsError { try one.save() } == (type == .errorMergePolicyType), "\(type)")
            #expect(try facts.context().all("Person").count == left, "\(type)")
        }
        for (type, left) in [
            (NSMergePolicyType.errorMergePolicyType, 1), (.rollbackMergePolicyType, 1),
            (.mergeByPropertyStoreTrumpMergePolicyType, 1), (.overwriteMergePolicyType, 0),
            (.mergeByPropertyObjectTrumpMergePolicyType, 0),
        ] {
            let facts = try Facts(kind), (one, mine, other, theirs) = try two(facts)
            theirs.setValue("theirs", forKey: "nickname")
            try other.save()
            one.delete(mine)
            one.mergePolicy = NSMergePolicy(merge: type)
            #expect(throwsError { try one.save() } == (type == .errorMergePolicyType), "\(type)")
            #expect(try facts.context().all("Person").count == left, "\(type)")
        }
    }
}

extension SavingFactTests {
    @Test func toManyDifferencesAreAdded_S20() throws {
        let facts = try Facts(.sqlite), (one, mine, other, theirs) = try two(facts)
        other.make("Club", ["name": "theirs", "members": Set([theirs])])
        try other.save()
        one.make("Club", ["name": "mine", "members": Set([mine])])
        one.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try one.save()
        #expect(try facts.context().all("Person").first?.objects("clubs").count == 2)
    }

    @Test func customPolicies_S22_S23() throws {
        final class Policy: NSMergePolicy, @unchecked Sendable {
            var calls: [String] = []
            override func resolve(mergeConflicts list: [Any]) throws {
                calls.append("merge")
                try super.resolve(mergeConflicts: list)
            }
            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                calls.append("optimistic")
                try super.resolve(optimisticLockingConflicts: list)
                list.first?.sourceObject.setValue("by the policy", forKey: "nickname")
            }
        }
        let facts = try Facts(.sqlite), (one, mine, other, theirs) = try two(facts)
        theirs.setValue("theirs", forKey: "nickname")
        try other.save()
        mine.setValue("mine", forKey: "nickname")
        let policy = Policy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        one.mergePolicy = policy
        try one.save()
        #expect(policy.calls.first == "optimistic")
        #expect(try facts.context().all("Person").first?.text("nickname") == "by the policy")
    }

    @Test(arguments: Facts.Kind.allCases)
    func childrenPushToTheirParent_S32_S33_S34_S35_S36_S37(kind: Facts.Kind) throws {
        let facts = try Facts(kind), parent = facts.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try parent.person(["name": "pending"])
        #expect(try child.names() == ["pending"])
        let new = try child.person(["name": "child"]), early = try child.person(["name": "early"])
        try child.obtainPermanentIDs(for: [early])
        #expect(try parent.names() == ["pending"])
        let posts = try Posts.of(parent, .NSManagedObjectContextObjectsDidChange) {
            try child.save()
            parent.processPendingChanges()
        }
        #expect(posts.contains { $0[NSInsertedObjectsKey] >= 2 })
        #expect(parent.hasChanges && !child.hasChanges && new.objectID.isTemporaryID)
        #expect(parent.registeredObject(for: early.objectID) != nil)
        #expect(try parent.names() == ["child", "early", "pending"] && facts.context().names().isEmpty)
        let saves = try Posts.of(parent, .NSManagedObjectContextDidSave) { try parent.save() }
        #expect(saves.first?[NSInsertedObjectsKey] == 3)
        let copy = try #require(child.all("Person", "name == 'pending'").first)
        try parent.all("Person", "name == 'pending'").first?.setValue("parent", forKey: "nickname")
        copy.setValue("child", forKey: "nickname")
        try child.save()
        #expect(try parent.all("Person", "name == 'pending'").first?.text("nickname") == "child")
    }

    @Test(arguments: Facts.Kind.allCases)
    func mergingNotifications_S41_S42_S43_S44(kind: Facts.Kind) throws {
        let facts = try Facts(kind), (one, mine, other, theirs) = try two(facts)
        let gone = try other.saved(["name": "gone"])
        let held = try one.existingObject(with: gone.objectID)
        mine.setValue("edited", forKey: "nickname")
        theirs.setValue(55, forKey: "age")
        other.delete(gone)
        let new = try other.person(["name": "new"])
        nonisolated(unsafe) var note: Notification?
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { note = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        try other.save()
        let posts = try Posts.of(
            one, .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidMergeChangesObjectIDs
        ) {
            one.mergeChanges(fromContextDidSave: try #require(note))
            one.processPendingChanges()
        }
        #expect(mine.int("age") == 55 && mine.text("nickname") == "edited")
        #expect(held.isDeleted)
        #expect(try !one.all("Person").contains(held))
        #expect(try one.names("name == 'new'") == ["new"])
        #expect(!one.insertedObjects.contains { $0.objectID == new.objectID })
        #expect(posts.contains { $0.name == .NSManagedObjectContextDidMergeChangesObjectIDs })
        let changes = posts.filter { $0.name == .NSManagedObjectContextObjectsDidChange }
        #expect(
            changes.contains { $0[NSRefreshedObjectsKey] == 1 } && changes.contains { $0[NSInsertedObjectsKey] == 1 },
            "\(changes)")
    }

    @Test(arguments: Facts.Kind.allCases)
    func followersFollow_S38_S39_S40(kind: Facts.Kind) async throws {
        let facts = try Facts(kind), (one, mine, other, theirs) = try two(facts)
        #expect(!one.automaticallyMergesChangesFromParent)
        theirs.setValue(55, forKey: "age")
        try other.save()
        one.performAndWait { #expect(mine.int("age") == 18) }
        one.performAndWait { one.refresh(mine, mergeChanges: true) }
        one.automaticallyMergesChangesFromParent = true
        one.performAndWait { mine.setValue("edited", forKey: "nickname") }
        theirs.setValue(66, forKey: "age")
        try other.save()
        await one.perform {}
        one.performAndWait { #expect(mine.int("age") == 66 && mine.text("nickname") == "edited") }
    }
}

extension SavingFactTests {
    @Test func remoteChangesAreMerged_S45_B3() throws {
        let facts = try Facts(.sqlite), (one, mine, _, _) = try two(facts)
        let request = NSBatchUpdateRequest(entityName: "Person")
        (request.propertiesToUpdate, request.resultType) = (["age": 70], .updatedObjectIDsResultType)
        let result = try #require(one.execute(request) as? NSBatchUpdateResult)
        let ids = try #require(result.result as? [NSManagedObjectID])
        #expect(mine.int("age") == 18)
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [one])
        #expect(mine.int("age") == 70)
        let again = NSBatchUpdateRequest(entityName: "Person")
        again.propertiesToUpdate = ["age": 71]
        try one.execute(again)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: ids.map { $0.uriRepresentation() }], into: [one])
        #expect(mine.int("age") == 71)
    }

    @Test func performAndItsEvents_S46_S47_S49_S50_R16() async throws {
        let facts = try Facts(.inMemory), context = facts.context()
        try context.performAndWait {
            let posts = try Posts.of(context, .NSManagedObjectContextObjectsDidChange) {
                try context.performAndWait { _ = try context.person() }
            }
            #expect(posts.isEmpty)
            let processed = Posts.of(context, .NSManagedObjectContextObjectsDidChange) {
                context.processPendingChanges()
            }
            #expect(processed.count == 1)
        }
        let posted = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in posted.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await context.perform { _ = try context.person() }
        await context.perform {}
        #expect(posted.withLock { $0 } == 1)
        let container = try Library.container()
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        #expect(!container.viewContext.automaticallyMergesChangesFromParent)
        #expect(container.viewContext.queryGenerationToken == nil)
        #expect(container.newBackgroundContext().concurrencyType == .privateQueueConcurrencyType)
    }
}
