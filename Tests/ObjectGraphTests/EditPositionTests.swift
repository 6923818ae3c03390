import ObjectGraph
import Query
import Schema
import Testing

/// Whether a context stands where it stood when it was saved.
struct EditPositionTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.context
    }

    /// The position once what is pending is an event of its own.
    private var position: EditPosition? {
        context.processPendingChanges()
        return context.editPosition
    }

    @Test func undoPastASaveLeavesItsPositionAndRedoComesBack() throws {
        context.undoManager = UndoManager()
        let start = position
        let author = try library.author("Austen")
        #expect(context.editPosition == nil)
        let first = position
        try context.save()
        #expect(position == first && first != start)
        author["name"] = "Jane"
        let second = position
        context.undo()
        #expect(position == first)
        context.undo()
        #expect(position == start)
        context.redo()
        #expect(position == first)
        context.redo()
        #expect(position == second)
    }

    @Test func anotherEditAfterUndoIsAnotherPosition() throws {
        context.undoManager = UndoManager()
        let author = try library.author("Austen")
        _ = position
        author["name"] = "Jane"
        let jane = position
        context.undo()
        author["name"] = "Eliza"
        let eliza = position
        #expect(eliza != jane)
        context.undo()
        context.redo()
        #expect(position == eliza)
    }

    @Test func aSaveWithinAnOpenGroupIsAPositionOfItsOwn() throws {
        let undo = UndoManager()
        context.undoManager = undo
        let start = position
        undo.beginUndoGrouping()
        let author = try library.author("Austen")
        let middle = position
        undo.endUndoGrouping()
        #expect(position == middle && middle != start)
        undo.beginUndoGrouping()
        author["name"] = "Jane"
        let inner = position
        author["name"] = "Jane Austen"
        undo.endUndoGrouping()
        #expect(position != inner)
        context.undo()
        #expect(position == middle)
    }

    @Test func changesWithoutUndoCanNotBeTakenBack() throws {
        let start = position
        let author = try library.author("Austen")
        let inserted = position
        #expect(inserted != start)
        let undo = UndoManager()
        context.undoManager = undo
        #expect(position == inserted)
        author["name"] = "Jane"
        context.undo()
        #expect(position == inserted)
        undo.disableUndoRegistration()
        author["born"] = 1775
        undo.enableUndoRegistration()
        let silent = position
        #expect(silent != inserted)
        author["name"] = "Jane"
        context.undo()
        #expect(position == silent)
        context.noteUnrecordedEdit()
        #expect(position != silent)
    }

    @Test func aManagerThatGoesLeavesThePositionWhereItIs() throws {
        let start = position
        context.undoManager = UndoManager()
        #expect(position == start)
        let author = try library.author("Austen")
        let edited = position
        context.undoManager = nil
        #expect(position == edited)
        context.undoManager = UndoManager()
        #expect(position == edited)
        author["name"] = "Jane"
        context.undoManager = nil
        #expect(position != edited)
    }

    @Test func rollbackLeadsToTheLastCommit() throws {
        context.undoManager = UndoManager()
        let author = try library.author("Austen")
        let saved = position
        try context.save()
        author["name"] = "Jane"
        #expect(position != saved)
        context.rollback()
        #expect(position == saved)
        author["name"] = "Eliza"
        #expect(position != saved)
        context.undo()
        #expect(position == saved)
        _ = try library.author("Eliot")
        context.reset()
        #expect(position == saved)
    }

    @Test func changesThatAreNoEditsMoveNothing() throws {
        context.undoManager = UndoManager()
        let author = try library.author("Austen")
        let saved = position
        context.withoutEditing { author["note"] = "shown first" }
        #expect(position == saved && context.hasChanges)
        context.undo()
        context.redo()
        #expect(position == saved && author["note"] as? String == "shown first")
    }

    @Test func theFirstChangeIsTold() throws {
        var told = 0
        context.firstChangeHandler = { told += 1 }
        let author = try library.author("Austen")
        author["name"] = "Jane"
        #expect(told == 1)
        try context.save()
        author["name"] = "Eliza"
        author["born"] = 1775
        #expect(told == 2)
        try context.save()
        context.delete(author)
        #expect(told == 3)
    }
}
