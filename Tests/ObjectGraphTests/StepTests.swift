import ObjectGraph
import Testing

/// Steps whose changes are all made or all taken back.
struct StepTests {
    private struct Failure: Error {}

    private let library: Library
    private let context: ManagedObjectContext
    private let undo = UndoManager()

    init() throws {
        library = try Library()
        context = library.context
        context.undoManager = undo
    }

    private func fail(_ author: ManagedObject) {
        #expect(throws: Failure.self) {
            try context.edits.asOneStep(named: "Fail") {
                author["name"] = "Jane"
                context.processPendingChanges()
                _ = try library.book("Emma", by: author)
                author["born"] = 1775
                throw Failure()
            }
        }
        #expect(author.names("books").isEmpty && author["born"] == nil)
    }

    @Test func aStepThatFailsIsTakenBackAndUndoIsAsBefore() throws {
        let author = try library.author("Austen")
        context.processPendingChanges()
        author["name"] = "J. Austen"
        context.processPendingChanges()
        context.undo()
        let position = context.edits.position
        fail(author)
        #expect(author["name"] as? String == "Austen" && context.insertedObjects == [author])
        #expect(context.edits.position == position && undo.undoCount == 1 && undo.groupingLevel == 0)
        context.redo()
        #expect(author["name"] as? String == "J. Austen")
        context.undo()
        context.undo()
        #expect(context.insertedObjects.isEmpty)
    }

    @Test func aStepIsOneGroupWithItsName() throws {
        let author = try library.author("Austen")
        context.processPendingChanges()
        let count = try context.edits.asOneStep(named: "Change") {
            author["name"] = "Jane"
            context.processPendingChanges()
            author["born"] = 1775
            return 2
        }
        #expect(count == 2 && undo.undoCount == 2 && undo.undoActionName == "Change")
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] == nil)
    }

    @Test func aStepWithinAGroupIsTakenBackAlone() throws {
        let author = try library.author("Austen")
        try context.save()
        let position = context.edits.position
        undo.beginUndoGrouping()
        author["note"] = "x"
        author["name"] = "In the group"
        fail(author)
        #expect(author["name"] as? String == "In the group" && undo.groupingLevel == 1)
        try context.edits.asOneStep(named: "Ignored") { author["born"] = 1776 }
        undo.endUndoGrouping()
        #expect(undo.undoCount == 2 && undo.undoActionName.isEmpty)
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] == nil)
        #expect(context.edits.position == position && !context.hasChanges)
    }

    @Test func withoutAManagerAStepThatFailsIsTakenBack() throws {
        context.undoManager = nil
        let author = try library.author("Austen")
        context.processPendingChanges()
        let position = context.edits.position
        fail(author)
        #expect(author["name"] as? String == "Austen" && context.insertedObjects == [author])
        #expect(context.undoManager == nil && context.edits.position == position)
        try context.edits.asOneStep { author["name"] = "Jane" }
        #expect(author["name"] as? String == "Jane" && context.edits.position != position)
    }

    @Test func whileNothingIsRecordedAStepThatFailsIsTakenBack() throws {
        let author = try library.author("Austen")
        try context.save()
        author["name"] = "Recorded"
        context.processPendingChanges()
        context.undo()
        context.redo()
        undo.disableUndoRegistration()
        let position = context.edits.position, groups = undo.undoCount
        fail(author)
        #expect(author["name"] as? String == "Recorded" && context.edits.position == position)
        try context.edits.asOneStep { author["born"] = 1775 }
        #expect(undo.undoCount == groups && !undo.isUndoRegistrationEnabled && context.edits.position != position)
        undo.enableUndoRegistration()
        context.undo()
        #expect(author["name"] as? String == "Austen" && author["born"] as? Int == 1775)
        #expect(context.edits.position != position)
    }

    @Test func aGroupIsTakenBack() throws {
        let author = try library.author("Austen")
        try context.save()
        let position = context.edits.position
        undo.beginUndoGrouping()
        author["name"] = "Outer"
        undo.beginUndoGrouping()
        context.delete(author)
        context.edits.cancelUndoGroup()
        #expect(!author.isDeleted && author["name"] as? String == "Outer" && undo.groupingLevel == 1)
        context.edits.cancelUndoGroup()
        #expect(author["name"] as? String == "Austen" && undo.groupingLevel == 0)
        #expect(context.edits.position == position && !context.hasChanges && !undo.canRedo)
    }
}
