import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Undo of events that did nothing but set values, which are exchanged where they stand: whoever
/// listens or not, as often as one likes.
@Suite("Undo of values")
struct UndoOfValuesTests {
    /// Who looks on decides how much of an event is noted.
    enum Onlooker: CaseIterable {
        case nobody, observer, ownClass, tracking
    }

    private final class Author: ManagedObject {
        // Of the one case that registers the class.
        nonisolated(unsafe) static var awakened = 0
        override func awake(fromSnapshotEvents events: SnapshotEvents) {
            if events == .undoUpdate { Self.awakened += 1 }
        }
    }

    private static func states(_ authors: [ManagedObject]) -> [String] {
        authors.map { author in
            let spouse = (author["spouse"] as? ManagedObject)?["name"] as? String
            return
                "\(author["name"] as? String ?? "–") \(author["born"] as? Int ?? 0) \(author["rating"] as? Double ?? 0) \(author["note"] as? String ?? "–") \(spouse ?? "–")"
        }
    }

    @Test(arguments: Onlooker.allCases) func valuesGoBackAndForthAsOftenAsOneLikes(onlooker: Onlooker) throws {
        let library = try Library(classes: onlooker == .ownClass ? ["Author": Author.self] : [:])
        let context = library.context, undo = UndoManager()
        context.undoManager = undo
        context.isObservable = onlooker == .tracking
        var told: Set<ManagedObject> = []
        let observation =
            onlooker == .observer ? context.observe(.objectsDidChange) { told.formUnion($0.updated) } : nil
        let authors = try (0..<100).map { number in
            let author = try library.author("Author number \(number) of many")
            author["born"] = 1800 + number
            return author
        }
        try context.save()
        undo.removeAllActions()
        var states = [Self.states(authors)]
        func end() {
            context.processPendingChanges()
            states.append(Self.states(authors))
        }
        for author in authors { author["born"] = (author["born"] as? Int ?? 0) + 1 }
        end()
        for (number, author) in authors.enumerated() where number % 3 != 0 {
            author["name"] = "Somebody else, number \(number)"
            author["rating"] = nil
            author["note"] = "transient \(number)"
            author["born"] = number % 2 == 0 ? nil : 7
        }
        end()
        // Some are new to the changes, some have been there.
        for author in authors.prefix(50) { author["name"] = nil }
        end()
        #expect(undo.undoCount == 3)
        for round in 0..<3 {
            for place in [2, 1, 0] {
                told = []
                if onlooker == .ownClass { Author.awakened = 0 }
                context.undo()
                #expect(Self.states(authors) == states[place])
                let changed = zip(states[place], states[place + 1]).count { $0 != $1 }
                if onlooker == .observer { #expect(told.count == changed) }
                if onlooker == .ownClass { #expect(Author.awakened == changed) }
            }
            #expect(
                !context.hasChanges && context.updatedObjects.isEmpty
                    && authors.allSatisfy { $0.changedValues().isEmpty }, "round \(round)")
            #expect(undo.undoCount == 0 && undo.canRedo)
            for place in [1, 2, 3] {
                context.redo()
                #expect(Self.states(authors) == states[place])
                #expect(context.updatedObjects.count == 100)
            }
        }
        withExtendedLifetime(observation) {}
        context.undo()
        try context.save()
        let other = library.anotherContext()
        let names = { (context: ManagedObjectContext) in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).map {
                "\($0["name"] ?? "–") \($0["born"] ?? 0)"
            }
            .sorted()
        }
        #expect(try names(other) == names(context))
        // Across the save: what is undone differs from what was saved now.
        context.undo()
        #expect(
            context.updatedObjects.count == 66
                && authors[1].changedValues().keys.sorted() == ["born", "name", "rating"])
        context.redo()
        #expect(!context.hasChanges && Self.states(authors) == states[2])
        context.redo()
        context.rollback()
        #expect(
            Self.states(authors).map { $0.replacing(/transient \d+|–/, with: "") }
                == states[2].map { $0.replacing(/transient \d+|–/, with: "") })
    }
}

extension UndoOfValuesTests {
    @Test func aValueOfAnObjectThatWasSavedMeanwhileIsExchanged() throws {
        let library = try Library()
        let context = library.context, undo = UndoManager()
        context.undoManager = undo
        let chapter = try context.insert("Chapter")
        chapter["title"] = "None"
        context.processPendingChanges()
        chapter["title"] = "One"
        context.processPendingChanges()
        #expect(chapter.objectID.isTemporaryID)
        context.undo()
        #expect(chapter["title"] as? String == "None" && chapter.isInserted)
        context.redo()
        try context.save()
        #expect(!chapter.objectID.isTemporaryID)
        context.undo()
        #expect(chapter["title"] as? String == "None" && chapter.isUpdated)
        context.redo()
        #expect(chapter["title"] as? String == "One" && !context.hasChanges)
        context.undo()
        context.undo()
        #expect(chapter.isDeleted)
        context.redo()
        context.redo()
        #expect(chapter["title"] as? String == "One" && !chapter.isDeleted)
    }

    @Test func aChangeAfterEverythingWasUndoneIsTheFirstOneAgain() throws {
        let library = try Library()
        let context = library.context
        context.undoManager = UndoManager()
        let author = try library.author("Austen")
        try context.save()
        var count = 0
        context.firstChangeHandler = { count += 1 }
        author["name"] = "Jane"
        author["born"] = 1775
        context.undo()
        #expect(count == 1 && !context.hasChanges)
        author["name"] = "Jane Austen"
        #expect(count == 2 && context.hasChanges)
        context.undo()
        context.redo()
        #expect(count == 3 && author["name"] as? String == "Jane Austen")
        try context.save()
        #expect(library.anotherContext().fetchNames("Author") == ["Jane Austen"])
    }

    @Test func anObjectThatIsGoneIsLeftOut() throws {
        let library = try Library()
        let context = library.context, undo = UndoManager()
        context.undoManager = undo
        let (gone, staying) = (try library.author("Gone"), try library.author("Staying"))
        try context.save()
        undo.removeAllActions()
        gone["name"] = "G"
        staying["name"] = "S"
        try context.save()
        undo.disableUndoRegistration()
        context.delete(gone)
        try context.save()
        undo.enableUndoRegistration()
        #expect(gone.managedObjectContext == nil)
        for _ in 0..<3 {
            context.undo()
            #expect(staying["name"] as? String == "Staying")
            context.redo()
            #expect(staying["name"] as? String == "S")
        }
        context.undo()
        try context.save()
        #expect(library.anotherContext().fetchNames("Author") == ["Staying"])
    }

    @Test func whatIsChangedByAnObserverOfUndoIsAStepOfItsOwn() throws {
        let library = try Library()
        let context = library.context, undo = UndoManager()
        context.undoManager = undo
        let author = try library.author("Austen")
        try context.save()
        undo.removeAllActions()
        author["born"] = 1
        context.processPendingChanges()
        let observation = undo.observe { if $0 == .didUndo { author["rating"] = 9.0 } }
        context.undo()
        undo.removeObserver(observation)
        #expect(author["born"] == nil && author["rating"] as? Double == 9)
        context.undo()
        #expect(author["rating"] as? Double == 2.5 && !context.hasChanges)
    }
}
