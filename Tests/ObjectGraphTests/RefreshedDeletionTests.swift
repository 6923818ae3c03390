import ObjectGraph
import Query
import Schema
import Storage
import Testing

@Suite("Refreshing deletions, and what led to what is deleted (F10, R11–R13, S13, U10)")
struct RefreshedDeletionTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.context
        context.undoManager = UndoManager()
    }

    /// A deletion that was made again is of what the store has now, and so is what taking it back
    /// gives.
    @Test func aDeletionThatIsMadeAgainLeavesTheStoresValues() throws {
        let author = try library.author("Austen")
        try context.save()
        let other = library.anotherContext()
        other.object(with: author.objectID)["name"] = "Jane"
        context.delete(author)
        context.processPendingChanges()
        try other.save()
        context.refresh(author, mergeChanges: true)
        #expect(author.isDeleted && context.undoManager?.canUndo == false)
        context.rollback()
        #expect(!author.isDeleted && author["name"] as? String == "Jane")
        author["born"] = 1775
        try context.save()
        let third = library.anotherContext()
        #expect(try third.object(with: author.objectID).propertyValue(forKey: "name") == .string("Jane"))
    }

    /// Undo keeps what has nothing to do with the deletion, and going back behind it does not lead
    /// to where the context stood then.
    @Test func aDeletionThatIsMadeAgainLeavesOtherStepsOfUndo() throws {
        let author = try library.author("Austen"), book = try library.book("Emma", by: author),
            shelf = try context.insert("Shelf"), tag = try context.insert("Tag")
        shelf["number"] = 1
        try context.save()
        let saved = context.editPosition
        shelf["number"] = 2
        context.processPendingChanges()
        tag["name"] = "classic"
        tag["books"] = Set([book])
        context.processPendingChanges()
        context.delete(author)
        context.processPendingChanges()
        shelf["number"] = 3
        context.processPendingChanges()
        let other = library.anotherContext()
        try other.insert("Book")["author"] = other.object(with: author.objectID)
        other.object(with: author.objectID)["name"] = "Jane"
        try other.save()
        context.refresh(author, mergeChanges: true)
        #expect(author.isDeleted && book.isDeleted)
        context.undo()
        #expect(shelf["number"] as? Int == 2 && author.isDeleted)
        context.undo()
        #expect(shelf["number"] as? Int == 1 && author.isDeleted && tag["name"] as? String == "classic")
        #expect(context.editPosition != saved)
        context.redo()
        context.redo()
        #expect(shelf["number"] as? Int == 3)
        for _ in 0..<2 { context.undo() }
        try context.save()
        let third = library.anotherContext()
        #expect(third.fetchNames("Author").isEmpty && third.fetchNames("Book").isEmpty)
        #expect(
            try third.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).map { $0["name"] as? String } == ["classic"]
        )
    }

    @Test func aDeletionThatNobodyElseChangedStaysUndoable() throws {
        let author = try library.author("Austen")
        try context.save()
        context.delete(author)
        context.processPendingChanges()
        context.refresh(author, mergeChanges: true)
        #expect(author.isDeleted)
        context.undo()
        #expect(!author.isDeleted)
    }

    /// Until what came to a deleted object was read, its deletion meets the conflict.
    @Test(arguments: 1...2) func aDeletionThatCannotBeMadeAgainKeepsItsConflict(reads: Int) throws {
        let author = try library.author("Austen")
        try context.save()
        context.delete(author)
        context.processPendingChanges()
        let other = library.anotherContext()
        let book = try other.insert("Book")
        book["author"] = other.object(with: author.objectID)
        try other.save()
        library.store.readsBeforeError = reads
        library.store.readError = StorageError(.inputOutput, "disk on fire")
        context.refresh(author, mergeChanges: true)
        library.store.readError = nil
        #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .loadFailed)
        #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .conflict)
        context.refresh(author, mergeChanges: true)
        try context.save()
        let third = library.anotherContext()
        for entity in ["Author", "Book"] {
            #expect(try third.count(for: FetchRequest<ManagedObject>(entityName: entity)) == 0)
        }
    }
}

extension RefreshedDeletionTests {
    /// The same of objects whose changes are kept: what they lead to agrees with them, or their
    /// save meets the conflict.
    @Test(arguments: [false, true]) func whatCannotBeSettledKeepsItsConflict(merges: Bool) throws {
        let author = try library.author("Austen"), spouse = try library.author("Lefroy"),
            rival = try library.author("Rival")
        try context.save()
        author["spouse"] = spouse
        context.processPendingChanges()
        let other = library.anotherContext()
        other.object(with: author.objectID)["spouse"] = other.object(with: rival.objectID)
        try other.save()
        library.store.readsBeforeError = 1
        library.store.readError = StorageError(.inputOutput, "disk on fire")
        if merges {
            context.mergeChanges(from: SavedChanges(updated: [author.objectID, rival.objectID]))
        } else {
            context.refresh(author, mergeChanges: true)
        }
        library.store.readError = nil
        #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .loadFailed)
        #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .conflict)
        context.refreshAllObjects()
        try context.save()
        let third = library.anotherContext()
        #expect(try third.object(with: rival.objectID).propertyValue(forKey: "spouse") == .null)
        #expect(try third.object(with: author.objectID).propertyValue(forKey: "spouse") == .object(spouse.objectID))
    }

    /// A book was taken from its shelf and the shelf deleted: that it is taken from it stays with
    /// the deletion.
    @Test func aBookOfADeletedShelfLeadsNowhereAfterItsRefresh() throws {
        let shelf = try context.insert("Shelf"), book = try library.book("Emma")
        book["shelf"] = shelf
        try context.save()
        book["shelf"] = nil
        context.delete(shelf)
        context.processPendingChanges()
        context.refresh(book, mergeChanges: false)
        #expect(book["shelf"] == nil)
        try context.save()
        let third = library.anotherContext()
        #expect(try third.object(with: book.objectID).propertyValue(forKey: "shelf") == .null)
    }

    /// What goes along with a deletion because of a refresh can be brought back alone, and leads to
    /// nothing that is deleted.
    @Test func undoBringsBackWhatARefreshDeleted() throws {
        let author = try library.author("Austen"), book = try library.book("Emma", by: author)
        try context.save()
        book["author"] = nil
        context.delete(author)
        context.processPendingChanges()
        context.refresh(book, mergeChanges: false)
        context.processPendingChanges()
        #expect(book.isDeleted)
        context.undo()
        #expect(!book.isDeleted && author.isDeleted)
        try context.save()
        let third = library.anotherContext()
        #expect(try third.object(with: book.objectID).propertyValue(forKey: "author") == .null)
    }
}
