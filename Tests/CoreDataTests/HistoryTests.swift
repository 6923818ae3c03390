import CoreData
import Testing

/// Requests for history.
struct HistoryTests {
    /// Two stores with histories: authors save books into the first, and one into the second.
    private struct Stores {
        let folder: Folder
        let context: NSManagedObjectContext
        let coordinator: NSPersistentStoreCoordinator

        init() throws {
            folder = try Folder()
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            for name in ["a", "b"] {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil,
                    at: folder.url.appendingPathComponent("\(name).sqlite"),
                    options: [NSPersistentHistoryTrackingKey: true])
            }
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            for (author, count, store) in [("Zoe", 1, 0), ("Ada", 3, 0), ("Kim", 2, 1)] {
                context.transactionAuthor = author
                for index in 0..<count {
                    let book = Book(context: context)
                    book.year = Int16(index)
                    context.assign(book, to: coordinator.persistentStores[store])
                }
                try context.save()
            }
        }

        func result<Result>(_ request: NSPersistentHistoryChangeRequest, as type: Result.Type = Result.self) throws
            -> Result
        {
            try #require((context.execute(request) as? NSPersistentHistoryResult)?.result as? Result)
        }

        func authors(_ request: NSPersistentHistoryChangeRequest) throws -> [String?] {
            try result(request, as: [NSPersistentHistoryTransaction].self).map(\.author)
        }
    }

    @Test func aRequestIsAboutItsStores() throws {
        let stores = try Stores()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        request.affectedStores = [stores.coordinator.persistentStores[1]]
        #expect(try stores.authors(request) == ["Kim"])
        request.affectedStores = stores.coordinator.persistentStores
        #expect(try stores.authors(request) == ["Zoe", "Ada", "Kim"])
        let first = stores.coordinator.persistentStores[0], second = stores.coordinator.persistentStores[1]
        let token = try #require(stores.coordinator.currentPersistentHistoryToken(fromStores: [second]))
        #expect(token != stores.coordinator.currentPersistentHistoryToken(fromStores: [first]))
        #expect(stores.coordinator.currentPersistentHistoryToken(fromStores: []) == nil)
        let book = Book(context: stores.context)
        stores.context.assign(book, to: second)
        stores.context.transactionAuthor = "Lou"
        try stores.context.save()
        #expect(try stores.authors(NSPersistentHistoryChangeRequest.fetchHistory(after: token)) == ["Lou"])
        let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        deletion.affectedStores = [second]
        try stores.context.execute(deletion)
        request.affectedStores = stores.coordinator.persistentStores
        #expect(try stores.authors(request) == ["Zoe", "Ada"])
    }

    @Test func transactionsAreSortedAndCounted() throws {
        let stores = try Stores()
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.affectedStores = stores.coordinator.persistentStores
        fetch.sortDescriptors = [NSSortDescriptor(key: "author", ascending: true)]
        #expect(try stores.authors(request) == ["Ada", "Kim", "Zoe"])
        (fetch.fetchOffset, fetch.fetchLimit) = (1, 1)
        #expect(try stores.authors(request) == ["Kim"])
        fetch.sortDescriptors = [NSSortDescriptor(key: "nothing", ascending: true)]
        #expect(throws: CocoaError.self) { try stores.authors(request) }
        request.affectedStores = nil
        fetch.affectedStores = [stores.coordinator.persistentStores[1]]
        (fetch.sortDescriptors, fetch.fetchOffset, fetch.fetchLimit) = (nil, 0, 0)
        #expect(try stores.authors(request) == ["Kim"])
    }

    @Test func changesKeepTheirNumbersHoweverTheyAreSelected() throws {
        let stores = try Stores()
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = .changesOnly
        fetch.sortDescriptors = [NSSortDescriptor(key: "changeID", ascending: false)]
        (fetch.fetchOffset, fetch.fetchLimit) = (1, 2)
        let changes = try stores.result(request, as: [NSPersistentHistoryChange].self)
        #expect(changes.map(\.changeID) == [1, 0])
        request.resultType = .transactionsAndChanges
        fetch.predicate = NSPredicate(format: "changedObjectID == %@", changes[0].changedObjectID)
        (fetch.fetchOffset, fetch.fetchLimit) = (0, 0)
        let transactions = try stores.result(request, as: [NSPersistentHistoryTransaction].self)
        #expect(transactions.map(\.author) == ["Ada"] && transactions[0].changes?.map(\.changeID) == [1])
    }
}
