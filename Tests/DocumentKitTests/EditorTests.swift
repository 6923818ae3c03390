import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// What an editor does with a document, in orders that one does not think of at first.
@Suite(.serialized) struct EditorTests {
    /// A document with a file of its own.
    private final class NotedDocument: PersistentDocument {
        var state = "1"

        override func extraContent() throws -> [ExtraFile] {
            [
                ExtraFile("state.txt") { [state] in Data(state.utf8) }
            ]
        }
    }

    private func waitUntil(_ condition: () throws -> Bool) async throws {
        for _ in 0..<1000 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("it never came to that")
    }

    private let quick = SavingPolicy(
        idle: .milliseconds(20), minimumInterval: .milliseconds(20), maximumDelay: .milliseconds(100))

    @Test func operationsOfAClosedDocumentThrow() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            try await document.close()
            let other = folder.appendingPathComponent("B.folio")
            func expectUsage(_ operation: () async throws -> Void) async {
                let error = await #expect(throws: DocumentError.self) { try await operation() }
                #expect(error?.code == .usage)
            }
            await expectUsage { try await document.save(as: other) }
            await expectUsage { try await document.write(to: other) }
            await expectUsage { _ = try await document.duplicate() }
            await expectUsage { try await document.move(to: other) }
            await expectUsage { try await document.rename(to: "B") }
            await expectUsage { _ = try document.versions() }
            await expectUsage { _ = try document.quarantinedFiles() }
        }
    }

    /// The close comes first; what was called after it finds the document closed.
    @Test @MainActor func aSaveAsThatWaitsForACloseThrows() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            try Library.insertBook("one", document)
            let close = Task { @MainActor in try await document.close(.save) }
            let save = Task { @MainActor in try await document.save(as: folder.appendingPathComponent("B.folio")) }
            try await close.value
            await #expect(throws: DocumentError.self) { try await save.value }
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("B.folio").path))
        }
    }

    @Test func aSaveElsewhereTakesChangesAlongThatAreWorthNoSave() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            try document.makeDiscardableChanges { _ in try Library.insertBook("selected", document) }
            #expect(document.discardableChangeCount == 1)
            try await document.save(as: folder.appendingPathComponent("B.folio"))
            #expect(document.discardableChangeCount == 0)
            try await document.close()
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func undoGoesBackBehindASaveElsewhere(_ form: DocumentForm)
        async throws
    {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model(), form: form)
            document.context.undoManager = UndoManager()
            try Library.insertBook("one", document)
            try await document.save()
            try Library.insertBook("two", document)
            try await document.save(as: folder.appendingPathComponent("B.folio"))
            document.context.undo()
            #expect(try Library.titles(document) == ["one"])
            try await document.save()
            document.context.undo()
            try await document.save()
            #expect(try Library.titles(document).isEmpty)
            document.context.redo()
            document.context.redo()
            try await document.save()
            #expect(try Library.titles(document) == ["one", "two"])
            try await document.close()
        }
    }
}

extension EditorTests {
    @Test(arguments: [DocumentForm.package, .archive]) func revertingLeavesNoObjectThatWasNeverSaved(
        _ form: DocumentForm
    ) async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model(), form: form)
            try Library.insertBook("saved", document)
            try await document.save()
            let list = FetchedResultsController(
                fetchRequest: FetchRequest<ManagedObject>(entityName: "Book"), managedObjectContext: document.context)
            try list.performFetch()
            let autosaved = try document.context.insert("Book")
            try await document.autosave()
            let pending = try document.context.insert("Book")
            document.context.processPendingChanges()
            #expect(list.fetchedObjects?.count == 3)
            try await document.revert()
            #expect(autosaved.isDeleted && pending.managedObjectContext == nil)
            #expect(list.fetchedObjects?.map { $0["title"] as? String } == ["saved"])
            #expect(!document.hasUnsavedChanges)
            try await document.save()
            #expect(autosaved.managedObjectContext == nil && !document.context.hasChanges)
            // A version that lacks an object, too.
            if let version = try document.versions().first {
                try await document.revert(to: version)
                #expect(list.fetchedObjects?.isEmpty == true && !document.hasUnsavedChanges)
            }
            try await document.close()
        }
    }

    /// Whoever recovers the work saves no deletion that is denied, until what denies it is gone or
    /// leads to another object.
    @Test(arguments: [DocumentForm.package, .archive], ["reassign", "delete", "revert"])
    func aRecoveredDeletionIsStillDenied(_ form: DocumentForm, by wayOut: String) async throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Author", attributes: [.init("name", .string)],
                    relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0, deleteRule: .deny)]),
                EntityDefinition(
                    "Book", attributes: [.init("title", .string)],
                    relationships: [.init("author", to: "Author", inverse: "books")]),
            ], versionIdentifiers: ["1"])
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: model, form: form)
            let author = try document.context.insert("Author")
            try await document.save()
            // What denies it is new.
            try document.context.insert("Book")["author"] = author
            document.context.delete(author)
            try await document.autosave()
            try await document.close(.keep)
            for _ in 0..<2 {
                // An autosave in between forgets nothing.
                let again = try await PersistentDocument.open(url, recovery: .keep)
                try again.context.insert("Author")["name"] = "Eliot"
                try await again.autosave()
                let error = await #expect(throws: ValidationError.self) { try await again.save() }
                #expect(
                    error?.code == .deleteDenied && error?.failures.first?.entity == "Author"
                        && error?.failures.first?.key == "books")
                await #expect(throws: ValidationError.self) {
                    try await again.save(as: folder.appendingPathComponent("B.folio"))
                }
                try await again.close(.keep)
            }
            let last = try await PersistentDocument.open(url, recovery: .keep)
            let book = try #require(try last.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            switch wayOut {
            case "reassign": book["author"] = try last.context.insert("Author")
            case "delete": last.context.delete(book)
            default: try await last.revert()
            }
            try last.context.insert("Author")["name"] = "Sand"
            try await last.save()
            try await last.close()
            let saved = try await PersistentDocument.open(url)
            #expect(
                try saved.context.count(for: FetchRequest<ManagedObject>(entityName: "Author"))
                    == (wayOut == "reassign" ? 4 : wayOut == "delete" ? 3 : 2))
            try saved.context.insert("Author")
            try await saved.autosave()
            try await saved.save()
            try await saved.close()
        }
    }
}

extension EditorTests {
    @Test(arguments: [DocumentForm.package, .archive]) func anAutosaveAllowsNoDeletionThatIsDenied(_ form: DocumentForm)
        async throws
    {
        let model = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Author", attributes: [.init("name", .string)],
                    relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0, deleteRule: .deny)]),
                EntityDefinition(
                    "Book", attributes: [.init("title", .string)],
                    relationships: [.init("author", to: "Author", inverse: "books")]),
            ], versionIdentifiers: ["1"])
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: model, form: form)
            let context = document.context
            context.undoManager = UndoManager()
            let author = try context.insert("Author"), book = try context.insert("Book")
            book["author"] = author
            try await document.save()
            func expectDenial() async {
                let error = await #expect(throws: ValidationError.self) { try await document.save() }
                #expect(error?.code == .deleteDenied)
            }
            context.delete(author)
            await expectDenial()
            for _ in 0..<2 {
                try await document.autosave()
                await expectDenial()
                await #expect(throws: ValidationError.self) {
                    try await document.save(as: folder.appendingPathComponent("B.folio"))
                }
                book["title"] = "Emma"
            }
            // Taken back it is allowed…
            while context.undoManager?.canUndo == true, author.managedObjectContext == nil || author.isDeleted {
                context.undo()
            }
            #expect(book["author"] as? ManagedObject === author)
            try await document.save()
            // …and so it is with what denies it.
            context.delete(author)
            try await document.autosave()
            context.delete(book)
            try await document.save()
            #expect(!document.hasUnsavedChanges)
            #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).isEmpty)
            // Reverting forgets it.
            let other = try context.insert("Author")
            try context.insert("Book")["author"] = other
            try await document.save()
            context.delete(other)
            try await document.autosave()
            try await document.revert()
            try context.insert("Author")
            try await document.save()
            #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).count == 2)
            try await document.close()
        }
    }

    @Test @MainActor func withoutSavingWhatIsThereAndWhatIsNotedIsSavedWhenIdle() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            var saveless = quick
            saveless.savesWhenIdle = true
            let document = try await NotedDocument.create(at: url, model: Library.model())
            try Library.insertBook("one", document)
            try await document.close(.keep)
            let again = try await NotedDocument.open(url, recovery: .keep)
            #expect(again.hasUnsavedChanges)
            again.startBackgroundTasks(saveless)
            try await waitUntil { !again.hasUnsavedChanges }
            again.state = "2"
            again.noteChange()
            try await waitUntil { !again.hasUnsavedChanges }
            #expect(try await again.extraFile("state.txt") == Data("2".utf8))
            try await again.close()
        }
    }
}

extension EditorTests {
    /// An edit that is followed by none is not taken for another one at the first look.
    @Test @MainActor func oneEditIsAutosavedAfterTheIdleTime() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            let idle = Duration.seconds(2)
            document.startBackgroundTasks(SavingPolicy(idle: idle, minimumInterval: .zero))
            let start = ContinuousClock.now
            try Library.insertBook("one", document)
            try await waitUntil { document.hasAutosavedWork }
            let time = start.duration(to: .now)
            #expect(time >= idle && time < idle * 2)
            try await document.close()
        }
    }

    @Test @MainActor func whatIsUndoneIsAutosavedToo() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            document.context.undoManager = UndoManager()
            document.startBackgroundTasks(quick)
            try Library.insertBook("one", document)
            try await waitUntil { document.hasAutosavedWork }
            document.context.undo()
            #expect(!document.hasUnsavedChanges && document.context.hasChanges)
            try await waitUntil { !document.context.hasChanges }
            #expect(!document.hasUnsavedChanges)
            try await document.close()
        }
    }

    @Test(arguments: [DocumentForm.package, .archive, .store]) func aDocumentHasUndoFromTheBeginning(
        _ form: DocumentForm
    ) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent(form == .store ? "A.sqlite" : "A.folio")
            let created = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
            try Library.insertBook("one", created)
            try await created.save()
            created.context.undo()
            #expect(created.hasUnsavedChanges)
            #expect(try Library.titles(created).isEmpty)
            created.context.redo()
            #expect(!created.hasUnsavedChanges)
            try await created.close()
            let opened = try await PersistentDocument.open(url)
            #expect(opened.context.undoManager?.canUndo == false)
            try Library.insertBook("two", opened)
            opened.context.undo()
            #expect(!opened.hasUnsavedChanges)
            #expect(try Library.titles(opened) == ["one"])
            try await opened.close()
        }
    }

    /// What no editor's session makes is not kept for undo.
    @Test func anImportThatIsTooLargeForUndoIsForgottenByIt() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            let undoManager = try #require(document.context.undoManager)
            #expect(undoManager.byteLimit == 64 << 20)
            undoManager.byteLimit = 100_000
            try Library.insertBook("small", document)
            document.context.processPendingChanges()
            #expect(undoManager.canUndo)
            for number in 0..<2_000 { try Library.insertBook("\(number)", document) }
            try await document.save()
            #expect(!undoManager.canUndo && !document.hasUnsavedChanges)
            try Library.insertBook("last", document)
            document.context.undo()
            #expect(!document.hasUnsavedChanges)
            try await document.close()
        }
    }
}

extension EditorTests {
    @Test func whatIsEditedWhileTheDocumentIsLockedIsUnsavedOnceItIsNot() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            document.context.undoManager = UndoManager()
            try await document.lock()
            try Library.insertBook("one", document)
            try await document.unlock()
            #expect(document.hasUnsavedChanges)
            try await document.autosave()
            #expect(document.hasAutosavedWork)
            try await document.save()
            #expect(!document.hasUnsavedChanges)
            try await document.close()
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func aContextDoesNotSaveBehindTheDocument(_ form: DocumentForm)
        async throws
    {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model(), form: form)
            try Library.insertBook("one", document)
            let other = ManagedObjectContext(document.context.persistentStoreCoordinator)
            _ = try other.insert("Book")
            for context in [document.context, other] {
                let error = #expect(throws: DocumentError.self) { try context.save() }
                #expect(error?.code == .usage && context.hasChanges)
            }
            #expect(throws: DocumentError.self) {
                try other.execute(BatchInsertRequest(entityName: "Book", objects: [["title": "two"]]))
            }
            var update = BatchUpdateRequest(entityName: "Book")
            update.propertiesToUpdate = ["title": .constant(.string("two"))]
            let refusal = #expect(throws: DocumentError.self) { try other.execute(update) }
            #expect(
                refusal?.message.hasPrefix("a batch request can't be executed in the context of a document") == true)
            #expect(throws: DocumentError.self) { try document.context.execute(BatchDeleteRequest(entityName: "Book")) }
            // A child's save goes no further than the document's context.
            let child = ManagedObjectContext(parent: document.context)
            _ = try child.insert("Tag")
            try child.save()
            try await document.save()
            #expect(try Library.titles(document) == ["one"])
            try await document.close()
        }
    }
}
