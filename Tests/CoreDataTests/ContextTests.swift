import CoreData
import Synchronization
import Testing

/// Contexts: queues, parents, notifications, conflicts.
struct ContextTests {
    @Test func blocksRunInTheContextsQueueAndReturnTheirResults() async throws {
        let container = try Library.container()
        let context = container.newBackgroundContext()
        let count = try await context.perform { () -> Int in
            _ = Book(context: context)
            try context.save()
            // Inside of a block the same queue is no wait.
            return try context.performAndWait { try context.count(for: NSFetchRequest<Book>(entityName: "Book")) }
        }
        #expect(count == 1)
        let titles = await container.performBackgroundTask { background in
            (try? background.fetch(NSFetchRequest<Book>(entityName: "Book")).compactMap(\.title)) ?? []
        }
        #expect(titles == ["Untitled"])
        await #expect(throws: CocoaError.self) {
            try await context.perform(schedule: .enqueued) {
                _ = Author(context: context)
                try context.save()
            }
        }
        await withCheckedContinuation { continuation in
            container.performBackgroundTask { background in
                #expect(background.concurrencyType == .privateQueueConcurrencyType)
                continuation.resume()
            }
        }
    }

    @Test func aChildSavesToItsParent() throws {
        let container = try Library.container()
        let parent = container.newBackgroundContext()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        #expect(child.persistentStoreCoordinator === container.persistentStoreCoordinator)
        let id = try child.performAndWait {
            let author = Author(context: child)
            author.name = "Lem"
            try child.save()
            return author.objectID
        }
        try parent.performAndWait {
            #expect((parent.object(with: id) as? Author)?.name == "Lem" && parent.hasChanges)
            try parent.save()
        }
        #expect(try container.viewContext.count(for: NSFetchRequest<Author>(entityName: "Author")) == 1)
    }

    @Test func aParentsSaveLeavesAChildAtWorkAlone() throws {
        let container = try Library.container()
        let parent = container.newBackgroundContext()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let working = DispatchSemaphore(value: 0), saved = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let states = Mutex<[Bool]>([])
        child.perform {
            let author = Author(context: child), book = Book(context: child)
            author.name = "Lem"
            do {
                try child.save()
                working.signal()
                saved.wait()
                // The parent's save is over, and nothing has changed under the block's hands.
                states.withLock { $0.append(author.objectID.isTemporaryID) }
                book.title = "Solaris"
                book.author = author
                try child.save()
                states.withLock { $0.append(author.objectID.isTemporaryID) }
            } catch {
                Issue.record(error)
            }
            done.signal()
        }
        working.wait()
        try parent.performAndWait { try parent.save() }
        saved.signal()
        done.wait()
        #expect(states.withLock { $0 } == [true, false])
        try parent.performAndWait { try parent.save() }
        let books = try container.viewContext.fetch(NSFetchRequest<Book>(entityName: "Book"))
        #expect(books.map(\.author?.name) == ["Lem"] && books.map(\.title) == ["Solaris"])
    }
}

extension ContextTests {
    @Test func aChildHasThePermanentIDsInItsNextBlock() throws {
        let container = try Library.container()
        let parent = container.newBackgroundContext()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let book = try child.performAndWait {
            let book = Book(context: child)
            try child.save()
            return book
        }
        try parent.performAndWait { try parent.save() }
        try child.performAndWait {
            #expect(!book.objectID.isTemporaryID)
            child.refreshAllObjects()
            #expect(book.title == "Untitled")
            child.delete(book)
            try child.save()
        }
        try parent.performAndWait { try parent.save() }
        #expect(try container.viewContext.count(for: NSFetchRequest<Book>(entityName: "Book")) == 0)
    }

    @Test func aViewContextMergesWhatOthersSave() async throws {
        let container = try Library.container()
        let view = container.newBackgroundContext()
        view.automaticallyMergesChangesFromParent = true
        let (merges, continuation) = AsyncStream.makeStream(of: Set<NSManagedObjectID>.self)
        let observer = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: view, queue: nil
        ) { note in
            continuation.yield(note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> ?? [])
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let background = container.newBackgroundContext()
        let id = try await background.perform {
            let book = Book(context: background)
            try background.save()
            return book.objectID
        }
        var iterator = merges.makeAsyncIterator()
        #expect(await iterator.next() == [id])
    }

    @Test func notificationsHaveCoreDatasNamesAndKeys() throws {
        let container = try Library.container()
        let context = container.viewContext
        let seen = Mutex<[String]>([])
        let names: [Notification.Name] = [
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave, .NSManagedObjectContextObjectsDidChange,
            .NSManagedObjectContextDidSaveObjectIDs,
        ]
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
                let objects = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
                let ids = note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
                seen.withLock { $0.append("\(note.name.rawValue) \(objects?.count ?? 0) \(ids?.count ?? 0)") }
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        _ = Book(context: context)
        try context.save()
        #expect(
            seen.withLock { $0 } == [
                "NSObjectsChangedInManagingContextNotification 1 0", "NSManagingContextWillSaveChangesNotification 0 0",
                "NSManagingContextDidSaveChangesNotification 1 0",
                "NSManagedObjectContextDidSaveObjectIDsNotification 0 1",
            ]
                || seen.withLock { $0 } == [
                    "NSManagingContextWillSaveChangesNotification 0 0",
                    "NSObjectsChangedInManagingContextNotification 1 0",
                    "NSManagingContextDidSaveChangesNotification 1 0",
                    "NSManagedObjectContextDidSaveObjectIDsNotification 0 1",
                ])
    }
}

extension ContextTests {
    @Test func aNotificationOfASaveIsMergedElsewhere() throws {
        let container = try Library.container()
        let one = container.newBackgroundContext(), other = container.newBackgroundContext()
        let book = Book(context: one)
        try one.save()
        let copy = try #require(other.existingObject(with: book.objectID) as? Book)
        #expect(copy.title == "Untitled")
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: one, queue: nil
        ) { other.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        book.title = "Dune"
        try one.save()
        #expect(copy.title == "Dune")
    }

    @Test func mergePoliciesSettleConflicts() throws {
        final class Recorder: NSMergePolicy, @unchecked Sendable {
            var conflicts: [NSMergeConflict] = []

            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                conflicts += list
                try super.resolve(optimisticLockingConflicts: list)
            }
        }
        let folder = try Folder()
        let container = try Library.container(in: folder)
        let one = container.newBackgroundContext(), other = container.newBackgroundContext()
        let mine = Book(context: one)
        try one.save()
        let theirs = try #require(other.existingObject(with: mine.objectID) as? Book)
        theirs.title = "Theirs"
        theirs.year = 2001
        try other.save()
        mine.title = "Mine"
        let error = #expect(throws: CocoaError.self) { try one.save() }
        #expect(error?.code == .managedObjectMerge)
        let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        #expect(conflicts?.first?.cachedSnapshot?["title"] as? String == "Theirs")
        #expect(conflicts?.first?.sourceObject === mine && error?.userInfo["conflictList"] is [NSMergeConflict])
        let policy = Recorder(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        one.mergePolicy = policy
        try one.save()
        #expect(policy.conflicts.count == 1 && policy.conflicts[0].objectSnapshot?["title"] as? String == "Untitled")
        #expect(mine.title == "Mine" && mine.year == 2001)
        #expect((NSMergeByPropertyObjectTrumpMergePolicy as AnyObject) is NSMergePolicy)
    }

    @Test func undoAndRedoFollowTheContext() throws {
        let context = try Library.container().viewContext
        let book = Book(context: context)
        try context.save()
        context.undoManager = UndoManager()
        book.title = "Dune"
        context.processPendingChanges()
        context.undo()
        #expect(book.title == "Untitled")
        context.redo()
        #expect(book.title == "Dune")
        context.rollback()
        #expect(book.title == "Untitled" && !context.hasChanges)
        context.reset()
        #expect(context.registeredObjects.isEmpty && book.managedObjectContext == nil)
        #expect(book.objectID.entity.name == "Book" && book.entity.name == "Book")
    }

    @Test func aContextGetsItsCoordinatorLater() throws {
        let context = NSManagedObjectContext(.privateQueue)
        context.name = "late"
        context.userInfo["key"] = 1
        #expect(!context.hasChanges && context.insertedObjects.isEmpty)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        context.persistentStoreCoordinator = coordinator
        #expect(context.persistentStoreCoordinator === coordinator)
        #expect(throws: CocoaError.self) { try context.fetch(NSFetchRequest<Book>(entityName: "Book")) }
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        #expect(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).isEmpty)
        #expect(context.name == "late" && context.userInfo["key"] as? Int == 1)
    }
}

extension ContextTests {
    @Test func anAsynchronousFetchTellsItsResult() async throws {
        let container = try Library.container()
        let context = container.newBackgroundContext()
        try await context.perform {
            _ = Book(context: context)
            try context.save()
        }
        let count = await withCheckedContinuation { continuation in
            let request = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<Book>(entityName: "Book")) { result in
                continuation.resume(returning: result.finalResult?.count ?? -1)
            }
            do { try context.execute(request) } catch { continuation.resume(returning: -2) }
        }
        #expect(count == 1)
    }
}
