import ObjectGraph
import Query
import Schema
import Testing

@Suite("Undo (U)")
struct UndoTests {
    let library: Library
    let context: ManagedObjectContext
    let undo: UndoManager

    init() throws {
        library = try Library()
        context = library.context
        undo = UndoManager()
        context.undoManager = undo
    }

    @Test func withoutAManagerNothingHappens_U1_U2() throws {
        let context = library.anotherContext()
        #expect(context.undoManager == nil)
        let tag = try context.insert("Tag")
        context.undo()
        context.redo()
        #expect(tag.isInserted)
    }

    @Test func valuesGoBackAndForth() throws {
        let author = try library.author("Austen")
        try context.save()
        author["name"] = "Jane"
        author["name"] = "Jane Austen"
        author["note"] = "transient"
        context.processPendingChanges()
        author["born"] = 1775
        #expect(undo.canUndo && !undo.canRedo)
        context.undo()
        #expect(author["born"] == nil && author["name"] as? String == "Jane Austen")
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["note"] == nil && !context.hasChanges)
        context.redo()
        context.redo()
        #expect(
            author["name"] as? String == "Jane Austen" && author["born"] as? Int == 1775
                && author["note"] as? String == "transient")
        #expect(!undo.canRedo)
    }

    @Test func aGroupThatIsCancelledIsUndoneAloneAndNotRedone() throws {
        let author = try library.author("Austen")
        try context.save()
        author["name"] = "Jane"
        context.processPendingChanges()
        let position = context.editPosition, count = undo.undoCount
        undo.beginUndoGrouping()
        author["name"] = "outer"
        undo.beginUndoGrouping()
        author["name"] = "inner"
        _ = try library.book("Emma", by: author)
        undo.cancelUndoGrouping()
        #expect(author["name"] as? String == "outer" && author.names("books").isEmpty && !undo.canRedo)
        #expect(undo.groupingLevel == 1)
        undo.cancelUndoGrouping()
        #expect(author["name"] as? String == "Jane" && undo.undoCount == count && !undo.canRedo)
        #expect(context.editPosition == position && undo.groupingLevel == 0)
        context.undo()
        #expect(author["name"] as? String == "Austen")
    }

    @Test func editsThatFailAreReversedAloneWithAndWithoutAManager() throws {
        struct Failure: Error {}
        let author = try library.author("Austen")
        try context.save()
        for manager in [undo, nil] {
            context.undoManager = manager
            author["name"] = "Jane"
            context.processPendingChanges()
            let position = context.editPosition
            #expect(throws: Failure.self) {
                try context.asOneStep {
                    author["name"] = "other"
                    context.delete(author)
                    throw Failure()
                }
            }
            #expect(author["name"] as? String == "Jane" && !author.isDeleted)
            #expect(context.editPosition == position && context.undoManager === manager)
            try context.asOneStep { author["name"] = "done" }
            #expect(author["name"] as? String == "done" && context.editPosition != position)
        }
    }

    @Test func insertionsGoBackAndForth_U7() throws {
        let author = try library.author("Austen")
        context.processPendingChanges()
        let book = try library.book("Emma", by: author)
        context.undo()
        #expect(
            context.insertedObjects == [author] && author.names("books").isEmpty && book.managedObjectContext == nil)
        context.redo()
        #expect(
            context.insertedObjects == [author, book] && author.names("books") == ["Emma"]
                && book.object("author") === author)
        try context.save()
        #expect(library.anotherContext().fetchNames("Book") == ["Emma"])
    }
}

extension UndoTests {
    @Test func deletionsWithAllTheyDidGoBack_U5() throws {
        let author = try library.author("Austen")
        let emma = try library.book("Emma", by: author)
        for title in ["one", "two"] {
            let chapter = try context.insert("Chapter")
            chapter["title"] = title
            chapter["book"] = emma
        }
        let tag = try context.insert("Tag")
        tag["name"] = "classic"
        emma["tags"] = Set([tag])
        let friend = try library.author("Friend")
        friend["friends"] = Set([author])
        try context.save()
        context.delete(author)
        context.processPendingChanges()
        #expect(context.deletedObjects.count == 4 && friend.names("friends").isEmpty && tag.names("books").isEmpty)
        context.undo()
        #expect(context.deletedObjects.isEmpty && !context.hasChanges)
        #expect(friend.names("friends") == ["Austen"] && tag.names("books") == ["Emma"])
        #expect(author.names("books") == ["Emma"] && emma.names("chapters") == ["one", "two"])
        context.redo()
        #expect(context.deletedObjects.count == 4)
        try context.save()
        #expect(library.anotherContext().fetchNames("Author") == ["Friend"] && library.store.storedLinks == 0)
    }

    @Test func undoWorksAcrossSaves_U10_U11() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        try context.save()
        author["name"] = "Jane"
        try context.save()
        #expect(undo.canUndo)
        context.undo()
        #expect(author["name"] as? String == "Austen" && author.isUpdated)
        try context.save()
        #expect(library.anotherContext().fetchNames("Author") == ["Austen"])
        let id = book.objectID
        context.delete(book)
        try context.save()
        #expect(library.anotherContext().fetchNames("Book").isEmpty)
        context.undo()
        #expect(book.isInserted && book.objectID == id && author.names("books") == ["Emma"])
        try context.save()
        let other = library.anotherContext()
        #expect(other.object(with: id).object("author")?["name"] as? String == "Austen")
        #expect(other.object(with: author.objectID).names("books") == ["Emma"])
    }

    @Test func undoingAnInsertionThatWasSavedDeletesIt() throws {
        let author = try library.author("Austen")
        context.processPendingChanges()
        let book = try library.book("Emma", by: author)
        context.processPendingChanges()
        book["author"] = nil
        try context.save()
        context.undo()
        #expect(book.object("author") === author)
        context.undo()
        #expect(book.isDeleted && author.names("books").isEmpty)
        try context.save()
        #expect(library.anotherContext().fetchNames("Book").isEmpty)
        context.redo()
        context.redo()
        #expect(book.isInserted && book["author"] == nil)
        try context.save()
        #expect(library.anotherContext().fetchNames("Book") == ["Emma"])
    }

    @Test func referencesToNewObjectsSurviveTheirSave() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        context.processPendingChanges()
        book["author"] = nil
        context.processPendingChanges()
        try context.save()
        context.undo()
        #expect(book.object("author") === author && !author.objectID.isTemporaryID)
        try context.save()
        #expect(library.anotherContext().authorNameOfFirstBook == "Austen")
    }
}

extension UndoTests {
    @Test func groupsAreUndoneTogether_U4_U14() throws {
        let author = try library.author("Austen")
        try context.save()
        undo.removeAllActions()
        undo.beginUndoGrouping()
        author["name"] = "A"
        context.processPendingChanges()
        undo.beginUndoGrouping()
        author["born"] = 1
        undo.endUndoGrouping()
        undo.setActionName("Typing")
        undo.endUndoGrouping()
        author["name"] = "B"
        #expect(undo.groupingLevel == 0)
        context.undo()
        #expect(author["name"] as? String == "A")
        #expect(undo.undoActionName == "Typing" && undo.undoMenuItemTitle == "Undo Typing")
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] == nil && undo.redoActionName == "Typing")
        context.redo()
        #expect(author["name"] as? String == "A" && author["born"] as? Int == 1)
    }

    @Test func levelsAreLimited() throws {
        let author = try library.author("0")
        try context.save()
        undo.removeAllActions()
        undo.levelsOfUndo = 3
        for number in 1...5 {
            author["name"] = "\(number)"
            context.processPendingChanges()
        }
        for _ in 0..<5 { context.undo() }
        #expect(author["name"] as? String == "2")
    }

    @Test func editsWithoutRegistrationAreLeftAlone_U9() throws {
        let author = try library.author("Austen")
        try context.save()
        undo.removeAllActions()
        author["name"] = "A"
        undo.disableUndoRegistration()
        author["born"] = 1
        undo.enableUndoRegistration()
        author["rating"] = 5.0
        context.undo()
        #expect(author["rating"] as? Double == 2.5 && author["name"] as? String == "A")
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] as? Int == 1 && !undo.canUndo)
    }

    @Test func rollbackAndResetForgetUndo_U8() throws {
        try library.author("Austen")
        context.processPendingChanges()
        context.rollback()
        #expect(!undo.canUndo)
        try library.author("Austen")
        context.processPendingChanges()
        context.reset()
        #expect(!undo.canUndo)
    }

    @Test func fetchingIsNotUndone() throws {
        try library.author("Austen")
        try context.save()
        undo.removeAllActions()
        context.reset()
        let author = try #require(context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
        #expect(author["name"] as? String == "Austen")
        context.refresh(author, mergeChanges: false)
        context.processPendingChanges()
        #expect(!undo.canUndo)
    }

    @Test func aNewChangeForgetsRedo() throws {
        let author = try library.author("Austen")
        context.processPendingChanges()
        author["name"] = "A"
        context.undo()
        author["name"] = "B"
        #expect(!undo.canRedo)
    }

    @Test func otherThingsCanBeRegisteredToo() {
        final class Counter { var value = 0 }
        let counter = Counter()
        func add(_ amount: Int) {
            counter.value += amount
            undo.registerUndo(withTarget: counter) { _ in add(-amount) }
        }
        var events: [UndoManager.Event] = []
        let observation = undo.observe { events.append($0) }
        add(3)
        undo.endEvent()
        undo.undo()
        #expect(counter.value == 0)
        undo.redo()
        #expect(counter.value == 3 && events.contains(.didUndo) && events.contains(.didRedo))
        undo.removeObserver(observation)
        let count = events.count
        undo.undo()
        undo.redo()
        #expect(counter.value == 3 && events.count == count)
        undo.removeAllActions(withTarget: counter)
        #expect(!undo.canUndo)
    }
}

extension UndoTests {
    @Test func anInsertionIsUndoneWhereItsObjectIsAFaultAgain() throws {
        let author = try library.author("Austen")
        _ = try library.book("Emma", by: author)
        try context.save()
        context.refreshAllObjects()
        #expect(author.isFault)
        context.undo()
        #expect(context.deletedObjects.count == 2 && context.fetchNames("Book").isEmpty)
        try context.save()
        #expect(library.anotherContext().fetchNames("Author").isEmpty)
        context.redo()
        try context.save()
        #expect(library.anotherContext().authorNameOfFirstBook == "Austen")
    }

    @Test func aNameIsThatOfThePendingChanges_U14() throws {
        let author = try library.author("Austen")
        context.processPendingChanges()
        undo.setActionName("Insert")
        author["name"] = "Jane"
        #expect(undo.canUndo && undo.undoActionName.isEmpty && undo.undoMenuItemTitle == "Undo")
        undo.setActionName("Rename")
        author["born"] = 1775
        #expect(undo.undoActionName == "Rename")
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] == nil)
        #expect(undo.undoActionName == "Insert" && undo.redoActionName == "Rename")
        author["born"] = 1776
        #expect(undo.redoActionName.isEmpty && undo.redoMenuItemTitle == "Redo")
        // A name goes with the changes that it was given to.
        undo.setActionName("Guess")
        context.rollback()
        _ = try library.author("Eliot")
        context.processPendingChanges()
        #expect(undo.undoActionName.isEmpty && undo.groupingLevel == 0)
    }

    /// The oldest groups give way; the values that they hold count too.
    @Test func groupsAreKeptUpToALimitOfBytes() throws {
        let library = try Library(), context = library.context, manager = UndoManager()
        context.undoManager = manager
        let author = try library.author("Austen")
        try context.save()
        manager.removeAllActions()
        for number in 0..<10 {
            author["name"] = String(repeating: "\(number)", count: 10_000)
            context.processPendingChanges()
        }
        #expect(manager.undoCount == 10)
        manager.byteLimit = 55_000
        #expect(manager.undoCount == 5)
        author["name"] = "short"
        context.processPendingChanges()
        #expect(manager.undoCount == 5)
        for _ in 0..<5 { context.undo() }
        #expect(!manager.canUndo && (author["name"] as? String)?.first == "5")
        for _ in 0..<5 { context.redo() }
        #expect(author["name"] as? String == "short" && manager.undoCount == 5)
        manager.byteLimit = 100
        #expect(!manager.canUndo)
        manager.registerUndo(withTarget: author) { _ in }
        manager.endEvent()
        #expect(!manager.canUndo)
    }
}

extension ManagedObjectContext {
    func fetchNames(_ entity: String) -> [String] {
        (try? fetch(FetchRequest<ManagedObject>(entityName: entity)).compactMap {
            ($0.entity.name == "Author" ? $0["name"] : $0["title"]) as? String
        }.sorted()) ?? []
    }

    var authorNameOfFirstBook: String? {
        (try? fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)?.object("author")?["name"] as? String
    }
}
