import ObjectGraph
import Schema
import Testing

/// What code that was written for Core Data expects of a context.
struct CoreDataHabitsTests {
    @Test func deleteRulesWaitForTheSaveIfTheContextSaysSo() throws {
        let library = try Library(), context = library.context
        let author = try context.insert("Author"), book = try context.insert("Book")
        book["author"] = author
        try context.save()
        context.propagatesDeletesAtEndOfEvent = false
        context.delete(author)
        context.processPendingChanges()
        #expect(author.isDeleted && !book.isDeleted)
        try context.save()
        #expect(try library.anotherContext().count("Book") == 0)
    }

    @Test func deleteRulesRunAtTheEndOfTheEventOtherwise() throws {
        let library = try Library(), context = library.context
        let author = try context.insert("Author"), book = try context.insert("Book")
        book["author"] = author
        try context.save()
        context.delete(author)
        context.processPendingChanges()
        #expect(author.isDeleted && book.isDeleted)
    }

    /// An author whom another context has changed since this one read it, and a book to save.
    private func withStaleAuthor(_ body: (ManagedObjectContext, _ author: ManagedObject) throws -> Void) throws {
        let library = try Library(), context = library.context
        let author = try context.insert("Author")
        author["name"] = "Ada"
        try context.save()
        let other = library.anotherContext()
        try other.existingObject(with: author.objectID)["name"] = "Grace"
        try other.save()
        try context.insert("Book")["title"] = "Notes"
        try body(context, author)
    }

    @Test func aSaveDetectsTheConflictOfAWatchedObject() throws {
        try withStaleAuthor { context, author in
            context.detectConflicts(for: author)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict && error?.conflicts.map(\.objectID) == [author.objectID])
            #expect(context.hasChanges)
        }
    }

    @Test func theMergePolicyResolvesTheConflictOfAWatchedObject() throws {
        try withStaleAuthor { context, author in
            context.detectConflicts(for: author)
            context.mergePolicy = .mergeByPropertyStoreTrump
            try context.save()
            #expect(author["name"] as? String == "Grace" && !context.hasChanges)
        }
    }

    @Test func anObjectThatIsNotWatchedDoesNotFailTheSave() throws {
        try withStaleAuthor { context, author in
            context.detectConflicts(for: author)
            context.rollback()
            try context.insert("Book")["title"] = "Notes"
            try context.save()
            #expect(author["name"] as? String == "Ada")
        }
    }

    @Test func valuesAreSetAndReadByDictionaries() async throws {
        let context = try Library().context
        let author = try await context.perform { try context.insert("Author") }
        author.setValuesForKeys(["name": "Ada", "born": 1815])
        let values = context.performAndWait { author.dictionaryWithValues(forKeys: ["name", "born", "rating"]) }
        #expect(values["name"] as? String == "Ada" && values["rating"] as? Double == 2.5 && values.count == 3)
    }
}
