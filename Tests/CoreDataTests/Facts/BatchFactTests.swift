import CoreData
import Testing

/// Batch requests, history and generations, as the page *Core Data's behavior* numbers them.
struct BatchFactTests {
    private let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]

    @Test func batchesBypassContexts_B1_B2_B3_B4_B5_V19() throws {
        let facts = try Facts(.sqlite), context = facts.context()
        let ann = try context.saved(["name": "Ann"])
        context.make("Student", ["name": "Dora"])
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Person")
        (update.propertiesToUpdate, update.resultType) =
            (["age": NSExpression(format: "age + 1")], .updatedObjectsCountResultType)
        #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 2)
        #expect(ann.int("age") == 18 && ann.events.isEmpty)
        context.refreshAllObjects()
        #expect(ann.int("age") == 19)
        update.includesSubentities = false
        #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 1)
        let status = NSBatchUpdateRequest(entityName: "Person")
        status.propertiesToUpdate = ["nickname": "n"]
        #expect((try context.execute(status) as? NSBatchUpdateResult)?.result as? Bool == true)
    }

    @Test func batchDeletions_B6_B7() throws {
        let facts = try Facts(.sqlite), context = facts.context()
        let ann = try context.person(["name": "Ann"]), bob = try context.person(["name": "Bob", "boss": ann])
        context.make("Pet", ["owner": ann])
        try context.save()
        let delete = NSBatchDeleteRequest(objectIDs: [ann.objectID])
        delete.resultType = .resultTypeObjectIDs
        let ids = (try context.execute(delete) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
        #expect(ids?.contains(ann.objectID) == true)
        let fresh = facts.context()
        #expect(try fresh.names() == ["Bob"] && fresh.all("Pet").isEmpty)
        #expect(try fresh.all("Person").first?.object("boss") == nil)
        context.refreshAllObjects()
        let lock = context.make("Lock", ["owner": bob])
        try context.save()
        #expect(failure { try context.execute(NSBatchDeleteRequest(objectIDs: [bob.objectID])) } != nil)
        #expect(failure { try context.execute(NSBatchDeleteRequest(objectIDs: [bob.objectID, lock.objectID])) } != nil)
    }

    @Test func batchInsertions_B8_B9_B10_B11() throws {
        let model = Facts.model()
        model.entitiesByName["Club"]?.uniquenessConstraints = [["name"]]
        let facts = try Facts(.sqlite, model: model), context = facts.context()
        nonisolated(unsafe) var left = 3
        let insert = NSBatchInsertRequest(entityName: "Person") { (row: NSMutableDictionary) in
            guard left > 0 else { return true }
            left -= 1
            row["name"] = "p\(left)"
            return false
        }
        insert.resultType = .count
        #expect((try context.execute(insert) as? NSBatchInsertResult)?.result as? Int == 3)
        #expect(try context.names() == ["p0", "p1", "p2"])
        let nameless = NSBatchInsertRequest(entityName: "Person", objects: [["name": "ok"], ["age": 3]])
        #expect(failure { try context.execute(nameless) } != nil)
        #expect(try context.names().count == 3)
        let clubs = NSBatchInsertRequest(entityName: "Club", objects: [["name": "c"]])
        try context.execute(clubs)
        #expect(failure { try context.execute(clubs) } != nil)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.execute(clubs)
        #expect(try context.all("Club").count == 1)
        let update = NSBatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["name": NSNull()]
        #expect(failure { try context.execute(update) } != nil)
    }

    private func transactions(_ context: NSManagedObjectContext, after token: NSPersistentHistoryToken?) throws
        -> [NSPersistentHistoryTransaction]
    {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try #require(context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    @Test func historyOfSaves_B12_B13_B14_B15_B16_B17_B19_B23() throws {
        let plain = try Facts(.sqlite), without = plain.context()
        try without.saved()
        #expect(try transactions(without, after: nil).isEmpty)
        let model = Facts.model()
        model.entitiesByName["Person"]?.attributesByName["name"]?.preservesValueInHistoryOnDeletion = true
        let facts = try Facts(.sqlite, model: model, options: tracking), context = facts.context()
        (context.name, context.transactionAuthor) = ("editor", "me")
        let ann = try context.saved(["name": "Ann"])
        ann.setValue("Bea", forKey: "name")
        try context.save()
        let token = facts.coordinator.currentPersistentHistoryToken(fromStores: nil)
        context.delete(ann)
        try context.save()
        let all = try transactions(context, after: nil)
        #expect(all.count == 3 && all.allSatisfy { $0.author == "me" && $0.contextName == "editor" })
        #expect(all.map { $0.changes?.first?.changeType } == [.insert, .update, .delete])
        #expect(all[1].changes?.first?.updatedProperties?.map(\.name) == ["name"])
        #expect(all[2].changes?.first?.tombstone?["name"] as? String == "Bea")
        #expect(all[0].storeID == facts.coordinator.persistentStores[0].identifier && !all[0].processID.isEmpty)
        #expect(try transactions(context, after: token).count == 1)
        let second = try facts.again(tracking)
        #expect(
            second.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
                == facts.coordinator.currentPersistentHistoryToken(fromStores: nil))
        let other = facts.context()
        other.mergeChanges(fromContextDidSave: all[0].objectIDNotification())
        let kinds = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        kinds.resultType = .transactionsOnly
        let bare =
            (try context.execute(kinds) as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        #expect(bare?.first?.changes == nil)
        kinds.resultType = .count
        #expect(((try context.execute(kinds) as? NSPersistentHistoryResult)?.result as? Int ?? 0) >= 3)
    }

    @Test func historyIsDeletedAndFiltered_B18_B20_B21_B25() throws {
        let facts = try Facts(.sqlite, options: tracking), context = facts.context()
        var tokens: [NSPersistentHistoryToken?] = []
        for author in ["one", "two", "three"] {
            context.transactionAuthor = author
            try context.saved()
            tokens.append(facts.coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "author == 'two'")
        let filtered = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        let found = (try context.execute(filtered) as? NSPersistentHistoryResult)?.result
        #expect((found as? [NSPersistentHistoryTransaction])?.map(\.author) == ["two"])
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[2]))
        #expect(try transactions(context, after: nil).map(\.author) == ["three"])
        #expect(
            failure { _ = try transactions(context, after: tokens[0]) }?.code == NSPersistentHistoryTokenExpiredError)
    }

    @Test func remoteChangesArePosted_B24() async throws {
        var options = tracking
        options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true
        let facts = try Facts(.sqlite, options: options), context = facts.context()
        let (posts, continuation) = AsyncStream.makeStream(of: Set<String>.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: facts.coordinator, queue: nil
        ) { note in continuation.yield(Set(note.userInfo?.keys.map { "\($0)" } ?? [])) }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.performAndWait { _ = try context.saved() }
        var iterator = posts.makeAsyncIterator()
        let keys = await iterator.next()
        #expect(keys?.isSuperset(of: [NSStoreUUIDKey, NSPersistentStoreURLKey]) == true)
    }

    @Test func generations_B27_B28_B29_B30_B31() throws {
        let facts = try Facts(.sqlite), writer = facts.context(), reader = facts.context()
        try writer.saved(["name": "a"])
        try reader.setQueryGenerationFrom(.current)
        #expect(try reader.names() == ["a"] && reader.queryGenerationToken != nil)
        try writer.saved(["name": "b"])
        #expect(try reader.names() == ["a"])
        try reader.setQueryGenerationFrom(.current)
        #expect(try reader.names() == ["a", "b"])
        let memory = try Facts(.inMemory).context()
        try memory.setQueryGenerationFrom(.current)
        #expect(try memory.names().isEmpty)
    }
}
