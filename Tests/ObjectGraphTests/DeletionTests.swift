import ObjectGraph
import Query
import Schema
import Storage
import Testing

@Suite("Deleting (R10–R15, L31–L33)")
struct DeletionTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.context
    }

    private func count(_ entity: String) throws -> Int {
        try library.anotherContext().count(for: FetchRequest<ManagedObject>(entityName: entity))
    }

    @Test func nullifyClearsTheInverseAtTheEndOfTheEvent_R10_R15_R17() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        try context.save()
        context.delete(book)
        #expect(book.isDeleted && author.names("books") == ["Emma"])
        context.processPendingChanges()
        #expect(author.names("books").isEmpty && author.isUpdated)
        try context.save()
        #expect(!book.isDeleted && book.managedObjectContext == nil)
        #expect(try count("Book") == 0 && count("Author") == 1)
    }

    @Test func cascadeDeletesRecursively_R11() throws {
        let author = try library.author("Austen")
        for title in ["Emma", "Persuasion"] {
            let book = try library.book(title, by: author)
            for _ in 0..<3 { try context.insert("Chapter")["book"] = book }
            book["cover"] = try context.insert("Cover")
        }
        let friend = try library.author("Friend")
        friend["friends"] = Set([author])
        try context.save()
        context.delete(author)
        try context.save()
        #expect(try count("Author") == 1 && count("Book") == 0 && count("Chapter") == 0 && count("Cover") == 0)
        #expect(friend.names("friends").isEmpty && library.store.storedLinks == 0)
    }

    @Test func cascadeWorksOnObjectsThatWereNotRead() throws {
        let author = try library.author("Austen")
        for title in ["Emma", "Persuasion"] {
            try context.insert("Chapter")["book"] = try library.book(title, by: author)
        }
        try context.save()
        let other = library.anotherContext()
        other.delete(other.object(with: author.objectID))
        try other.save()
        #expect(try count("Author") == 0 && count("Book") == 0 && count("Chapter") == 0)
    }

    /// That an object leads to the deleted one no longer belongs to the deletion, not to the
    /// object's own changes.
    @Test(arguments: [false, true]) func aDeletionOutlivesTheRefreshOfWhatLedToItsObject(mergesChanges: Bool) throws {
        let author = try library.author("Austen"), spouse = try library.author("Lefroy")
        author["spouse"] = spouse
        try context.save()
        spouse["name"] = "Tom"
        context.delete(author)
        context.refresh(spouse, mergeChanges: mergesChanges)
        #expect(spouse["spouse"] == nil && spouse["name"] as? String == (mergesChanges ? "Tom" : "Lefroy"))
        try context.save()
        #expect(!context.hasChanges)
        let other = library.anotherContext()
        #expect(try other.object(with: spouse.objectID).propertyValue(forKey: "spouse") == .null)
    }

    /// What leads to a deleted object is read again where it is known here as it was before; until
    /// that succeeds the deletion is not saved.
    @Test func aDeletionWaitsForWhatCannotBeRead() throws {
        let author = try library.author("Austen"), spouse = try library.author("Lefroy")
        try context.save()
        let other = library.anotherContext()
        let stale = other.object(with: spouse.objectID)
        try stale.fulfillFault()
        author["spouse"] = spouse
        try context.save()
        let deleted = other.object(with: author.objectID)
        for key in ["books", "friends", "favourites"] { #expect(deleted.names(key).isEmpty) }
        library.store.readError = StorageError(.inputOutput, "disk on fire")
        other.delete(deleted)
        for _ in 0..<2 { #expect(#expect(throws: GraphError.self) { try other.save() }?.code == .loadFailed) }
        library.store.readError = nil
        try other.save()
        #expect(stale["spouse"] == nil && !other.hasChanges)
        #expect(try count("Author") == 1)
        let third = library.anotherContext()
        #expect(try third.object(with: spouse.objectID).propertyValue(forKey: "spouse") == .null)
    }
}

extension DeletionTests {
    @Test func denyRefusesTheSaveAndNothingIsWritten_R12() throws {
        let shelf = try context.insert("Shelf")
        let book = try library.book("Emma")
        book["shelf"] = shelf
        try context.save()
        context.delete(shelf)
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(
            error?.code == .deleteDenied && error?.failures[0].key == "books"
                && error?.failures[0].object == shelf.objectID)
        #expect(try count("Shelf") == 1)
        #expect(context.deletedObjects == [shelf])
    }

    @Test func denyCountsOnlyThoseThatStay_R13() throws {
        let shelf = try context.insert("Shelf")
        let book = try library.book("Emma")
        book["shelf"] = shelf
        try context.save()
        context.delete(shelf)
        context.delete(book)
        try context.save()
        #expect(try count("Shelf") == 0 && count("Book") == 0)
    }

    @Test func anObjectThatWasNeverSavedIsForgotten_L31() throws {
        let author = try library.author("Austen")
        try context.save()
        let book = try library.book("Emma", by: author)
        context.delete(book)
        #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
        try context.save()
        #expect(author.names("books").isEmpty)
        #expect(try count("Book") == 0)
        #expect(book.managedObjectContext == nil)
    }

    @Test func deletedObjectsAreNotFetched() throws {
        let book = try library.book("Emma")
        try library.book("Persuasion")
        try context.save()
        context.delete(book)
        #expect(
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).map { $0["title"] as? String } == [
                "Persuasion"
            ])
        #expect(throws: GraphError.self) { try context.existingObject(with: book.objectID) }
    }

    @Test func linksGoWithEitherEnd() throws {
        let emma = try library.book("Emma"), romola = try library.book("Romola")
        let tag = try context.insert("Tag"), other = try context.insert("Tag")
        tag["books"] = Set([emma, romola])
        other["books"] = Set([emma])
        try context.save()
        #expect(library.store.storedLinks == 3)
        context.delete(emma)
        context.delete(other)
        try context.save()
        #expect(library.store.storedLinks == 1 && tag.names("books") == ["Romola"])
        context.delete(tag)
        try context.save()
        #expect(library.store.storedLinks == 0)
    }

    @Test func cascadesOfManyObjectsAreLinear() throws {
        let author = try library.author("Prolific")
        for number in 0..<20_000 { try library.book("\(number)", by: author) }
        try context.save()
        // One by one, from a list that stays: removing a member must not search the list.
        for book in author["books"] as? Set<ManagedObject> ?? [] { context.delete(book) }
        context.processPendingChanges()
        #expect(author.names("books").isEmpty)
        context.rollback()
        #expect(author.names("books").count == 20_000)
    }

    @Test func aCascadeAsksTheStoreAsOftenForManyObjectsAsForFew() throws {
        var trips: [[String]] = []
        for count in [10, 3000] {
            let library = try Library()
            let author = try library.author("Prolific")
            for number in 0..<count {
                let chapter = try library.context.insert("Chapter")
                chapter["book"] = try library.book("\(number)", by: author)
            }
            try library.context.save()
            let context = library.anotherContext()
            context.undoManager = UndoManager()
            let same = try context.existingObject(with: author.objectID)
            library.store.clearLog()
            context.delete(same)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 1 + 2 * count)
            context.undo()
            #expect(context.deletedObjects.isEmpty)
            context.redo()
            trips.append(library.store.log.map { $0.prefix { !$0.isWhitespace }.description })
        }
        // Which hierarchy comes first is no matter.
        #expect(trips[0].sorted() == trips[1].sorted() && !trips[0].isEmpty, "\(trips)")
    }
}
