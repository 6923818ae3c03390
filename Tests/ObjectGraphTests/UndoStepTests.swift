import ObjectGraph
import Query
import Schema
import Testing

/// What is one step of undo, and what observers hear of it.
@Suite("Steps of undo (U3, U4)")
struct UndoStepTests {
    let library: Library
    let context: ManagedObjectContext
    let undo = UndoManager()

    init() throws {
        library = try Library()
        context = library.context
        context.undoManager = undo
    }

    private func saved(_ name: String = "Austen") throws -> ManagedObject {
        let author = try library.author(name)
        try context.save()
        undo.removeAllActions()
        return author
    }

    private var authors: FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Author")
        request.sortDescriptors = [SortKey("name")]
        return request
    }

    enum Reading: CaseIterable {
        case fetch, first, count, ids, results, refresh, merge, child, disabled
    }

    @Test(arguments: Reading.allCases) func whatReadsInTheMiddleOfAnActionEndsNoStep(_ reading: Reading) throws {
        let author = try saved()
        let request = authors
        let tag = try context.insert("Tag")
        switch reading {
        case .fetch: #expect(try context.fetch(request).count == 1)
        case .first: _ = try context.first("Author")
        case .count: #expect(try context.count("Tag") == 1)
        case .ids: _ = try context.fetch(FetchRequest<ManagedObjectID>(entityName: "Author"))
        case .results:
            try FetchedResultsController(fetchRequest: request, managedObjectContext: context).performFetch()
        case .refresh: context.refresh(author, mergeChanges: true)
        case .merge: context.mergeChanges(from: SavedChanges(updated: [author.objectID]))
        case .child: _ = try ManagedObjectContext(parent: context).count("Tag")
        case .disabled: context.edits.withoutEditing { author["note"] = "transient" }
        }
        tag["name"] = "new"
        author["name"] = "Jane"
        context.processPendingChanges()
        context.undo()
        #expect(try context.count("Tag") == 0 && author["name"] as? String == "Austen")
        #expect(!undo.canUndo && undo.canRedo)
        context.redo()
        #expect(try context.count("Tag") == 1 && author["name"] as? String == "Jane" && !undo.canRedo)
    }

    @Test func observersHearOfAFetchInTheMiddleOfAnAction() throws {
        let author = try saved()
        var heard: [Set<ManagedObject>] = []
        let observation = context.observe(.objectsDidChange) { heard.append($0.updated) }
        author["name"] = "Jane"
        _ = try context.fetch(authors)
        #expect(heard == [[author]] && undo.groupingLevel == 1 && undo.canUndo)
        undo.setActionName("Rename")
        author["born"] = 1775
        context.processPendingChanges()
        #expect(heard.count == 2 && undo.groupingLevel == 0 && undo.undoActionName == "Rename")
        context.undo()
        // One notification for all of the step.
        #expect(heard.count == 3 && author["name"] as? String == "Austen" && author["born"] == nil)
        observation.cancel()
    }

    @Test func aSaveAndPerformEndTheStep() async throws {
        let author = try saved()
        author["name"] = "a"
        _ = try context.fetch(authors)
        try context.save()
        #expect(undo.groupingLevel == 0 && undo.undoCount == 1)
        try await context.perform {
            author["name"] = "b"
            _ = try context.count("Author")
        }
        #expect(undo.groupingLevel == 0 && undo.undoCount == 2)
        try context.performAndWait {
            author["name"] = "c"
            _ = try context.count("Author")
        }
        #expect(undo.groupingLevel == 1)
        context.undo()
        #expect(author["name"] as? String == "b")
    }

    @Test func anEventIsOneStepWithAName() throws {
        let author = try saved()
        author["born"] = 1775
        let count = try context.event("Rename") {
            author["name"] = "Jane"
            let count = try context.count("Author")
            context.processPendingChanges()
            author["rating"] = 4.0
            return count
        }
        #expect(count == 1 && undo.groupingLevel == 0 && undo.undoActionName == "Rename" && undo.undoCount == 2)
        context.undo()
        #expect(
            author["name"] as? String == "Austen" && author["rating"] as? Double != 4 && author["born"] as? Int == 1775)
        context.undo()
        #expect(author["born"] == nil && !undo.canUndo)
        context.event("Nothing") {}
        #expect(!undo.canUndo)
    }

    @Test func eventsNestAndTheOuterNameCounts() throws {
        let author = try saved()
        context.event("Outer") {
            author["name"] = "1"
            context.event("Inner") { author["name"] = "2" }
            author["born"] = 3
        }
        #expect(undo.undoCount == 1 && undo.undoActionName == "Outer")
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] == nil)
    }

    @Test func anEventThatThrowsIsAStepToo() throws {
        struct Failure: Error {}
        let author = try saved()
        #expect(throws: Failure.self) {
            try context.event("Rename") {
                author["name"] = "Jane"
                _ = try context.count("Author")
                author["born"] = 1
                throw Failure()
            }
        }
        #expect(undo.groupingLevel == 0 && undo.undoCount == 1 && author["name"] as? String == "Jane")
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] == nil)
        // Without a manager, the event is processed.
        context.undoManager = nil
        var heard = 0
        let observation = context.observe(.objectsDidChange) { _ in heard += 1 }
        context.event { author["name"] = "x" }
        #expect(heard == 1)
        observation.cancel()
    }
}

extension UndoStepTests {
    @Test func membersAreReversedInObjectsThatBecameFaults() throws {
        let author = try library.author("Austen"), tag = try context.insert("Tag")
        let book = try library.book("Emma", by: author)
        tag["name"] = "novel"
        book["tags"] = Set([tag])
        try context.save()
        undo.removeAllActions()
        context.delete(book)
        try context.save()
        context.refreshAllObjects()
        #expect(author.isFault && tag.isFault)
        context.undo()
        #expect(author.names("books") == ["Emma"] && (tag["books"] as? Set<ManagedObject>) == [book])
        try context.save()
        context.refreshAllObjects()
        context.redo()
        context.refreshAllObjects()
        context.undo()
        try context.save()
        let other = library.anotherContext()
        #expect(try other.count("Book") == 1)
        #expect(try other.first("Author").map { $0.names("books") } == ["Emma"])
    }

    @Test func anObjectThatWasRefreshedAfterItsDeletionIsNotBroughtBackTwice() throws {
        let author = try saved()
        context.delete(author)
        context.processPendingChanges()
        context.refresh(author, mergeChanges: false)
        #expect(!author.isDeleted)
        context.undo()
        #expect(author["name"] as? String == "Austen")
        try context.save()
        #expect(try library.anotherContext().count("Author") == 1)
    }

    @Test(arguments: [false, true], [false, true])
    func undoOfADeletionIsToldAsOneInsertion(isEdited: Bool, isSaved: Bool) throws {
        let author = try saved()
        let results = FetchedResultsController(fetchRequest: authors, managedObjectContext: context)
        try results.performFetch()
        if isEdited {
            author["born"] = 1775
            context.processPendingChanges()
        }
        context.delete(author)
        context.processPendingChanges()
        if isSaved { try context.save() }
        #expect(results.fetchedObjects == [])
        var told: [ContextNotification] = []
        let observation = context.observe(.objectsDidChange) { told.append($0) }
        context.undo()
        context.processPendingChanges()
        #expect(told.count == 1 && told.first?.inserted == [author])
        #expect(told.first?.updated.isEmpty == true && told.first?.deleted.isEmpty == true)
        #expect(results.fetchedObjects == [author] && author["born"] as? Int == (isEdited ? 1775 : nil))
        context.redo()
        #expect(told.count == 2 && told.last?.deleted == [author] && results.fetchedObjects == [])
        observation.cancel()
    }
}
