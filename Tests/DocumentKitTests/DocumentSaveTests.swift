import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Synchronization
import TestSupport
import Testing

/// Saves that write while their document is edited.
///
/// One at a time: a save that waits at a gate blocks a thread of the pool, of which there may be
/// two.
@Suite(.serialized) struct DocumentSaveTests {
    /// Lets whoever saves wait before the first write to a path that ends in `suffix`, until it is
    /// let go.
    private final class Gate: Sendable {
        private let state = Mutex((isReached: false, isOpen: false))
        var isReached: Bool { state.withLock { $0.isReached } }
        func open() { state.withLock { $0.isOpen = true } }
        func pass() {
            state.withLock { $0.isReached = true }
            while !state.withLock({ $0.isOpen }) { usleep(2000) }
        }
    }

    /// A document with a file of its own.
    private final class NotedDocument: PersistentDocument {
        var state = "1"
        var gate: Gate?

        override func extraContent() throws -> [ExtraFile] {
            [
                ExtraFile("state.txt") { [state, gate] in
                    gate?.pass()
                    return Data(state.utf8)
                }
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

    @Test @MainActor func whatIsNotedWhileTheDocumentIsSavedElsewhereIsSavedNext() async throws {
        try await withFolder { folder in
            let document = try await NotedDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            let gate = Gate()
            document.gate = gate
            document.noteChange()
            let save = Task { @MainActor in try await document.save(as: folder.appendingPathComponent("B.folio")) }
            try await waitUntil { gate.isReached }
            document.state = "2"
            document.gate = nil
            document.noteChange()
            gate.open()
            try await save.value
            #expect(document.hasUnsavedChanges)
            try await document.save()
            #expect(try await document.extraFile("state.txt") == Data("2".utf8))
            #expect(!document.hasUnsavedChanges)
            // What fails is noted still.
            document.noteChange()
            await #expect(throws: DocumentError.self) {
                try await document.save(as: folder.appendingPathComponent("none/C.folio"))
            }
            #expect(document.hasUnsavedChanges)
            document.state = "3"
            try await document.save()
            #expect(try await document.extraFile("state.txt") == Data("3".utf8))
            try await document.close()
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) @MainActor
    func whatIsEditedWhileASaveWritesStaysUnsavedAndIsSavedNext(_ form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
            try Library.insertBook("first", document)
            let gate = Gate()
            // The manifest (of an archive the new file) is written after the commit.
            let save = Task { @MainActor in
                try await FaultInjection.with { call, path in
                    if call == .fsync, path.hasPrefix(folder.path),
                        path.contains(form == .package ? "manifest.json" : ".tmp-")
                    {
                        gate.pass()
                    }
                    return nil
                } _: {
                    try await document.save()
                }
            }
            try await waitUntil { gate.isReached }
            try Library.insertBook("second", document)
            #expect(try Library.titles(document) == ["first", "second"])
            gate.open()
            try await save.value
            #expect(document.hasUnsavedChanges)
            #expect(document.context.insertedObjects.count == 1)
            try await document.save()
            #expect(!document.hasUnsavedChanges)
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(try Library.titles(again) == ["first", "second"])
            try await again.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}

extension DocumentSaveTests {
    @Test @MainActor func aSecondSaveWaitsForTheFirstAndACloseForBoth() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            let gate = Gate(), order = Mutex<[String]>([])
            let first = Task { @MainActor in
                try await FaultInjection.with { call, path in
                    if call == .fsync, path.contains("manifest.json") { gate.pass() }
                    return nil
                } _: {
                    try await document.save()
                }
                order.withLock { $0.append("first") }
            }
            try await waitUntil { gate.isReached }
            try Library.insertBook("second", document)
            let second = Task { @MainActor in
                try await document.save()
                order.withLock { $0.append("second") }
            }
            let close = Task { @MainActor in
                // After the second save has taken its place.
                try await Task.sleep(for: .milliseconds(50))
                try await document.close()
                order.withLock { $0.append("close") }
            }
            try await Task.sleep(for: .milliseconds(150))
            #expect(order.withLock { $0 }.isEmpty)
            gate.open()
            try await first.value
            try await second.value
            try await close.value
            #expect(order.withLock { $0 } == ["first", "second", "close"])
            #expect(try DocumentInfo(of: url).entities["Book"] == 2)
        }
    }

    @Test @MainActor func aSaveThatFailsInTheBackgroundLosesNothing() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("first", document)
            let before = try Disk.read(url.path, limit: 1 << 30)
            await #expect(throws: DocumentError.self) {
                try await FaultInjection.with { call, path in
                    call == .exchange && path == url.path ? .error(EIO) : nil
                } _: {
                    try await document.save()
                }
            }
            #expect(try Disk.read(url.path, limit: 1 << 30) == before)
            #expect(document.hasUnsavedChanges)
            try await document.save()
            #expect(!document.hasUnsavedChanges)
            try await document.close()
            #expect(try DocumentInfo(of: url).entities["Book"] == 1)
        }
    }

    @Test func aCancelledSaveOrExportLeavesEverythingAsItWas() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), copy = folder.appendingPathComponent("B.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            let before = try committed(url)
            let progress = Progress(totalUnitCount: 1)
            progress.cancel()
            await #expect(throws: CancellationError.self) { try await document.save(progress: progress) }
            await #expect(throws: CancellationError.self) {
                try await document.write(to: copy, form: .archive, progress: progress)
            }
            await #expect(throws: CancellationError.self) { try await document.save(as: copy, progress: progress) }
            #expect(try committed(url) == before)
            #expect(document.hasUnsavedChanges && document.url.path == url.path)
            #expect(try Disk.list(folder.path).map(\.name).filter { !$0.hasSuffix(".lock") } == ["A.folio"])
            let told = Progress(totalUnitCount: 1)
            try await document.write(to: copy, form: .archive, progress: told)
            #expect(told.totalUnitCount > 1000 && told.completedUnitCount == told.totalUnitCount)
            try await document.save()
            try await document.close()
            #expect(try DocumentInfo(of: copy).entities["Book"] == 1)
        }
    }
}

extension DocumentSaveTests {
    @Test func undoPastASaveIsUnsavedAgainAndBackToItIsClean() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            document.context.undoManager = UndoManager()
            try Library.insertBook("first", document)
            document.context.processPendingChanges()
            try await document.save()
            #expect(!document.hasUnsavedChanges)
            let book = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            book["title"] = "second"
            document.context.processPendingChanges()
            // An autosave is no save.
            try await document.autosave()
            #expect(document.hasUnsavedChanges && document.hasAutosavedWork)
            document.context.undo()
            #expect(!document.hasUnsavedChanges)
            document.context.undo()
            #expect(document.hasUnsavedChanges)
            document.context.redo()
            #expect(!document.hasUnsavedChanges)
            // What was undone is no work that the next opening should find.
            try await document.close()
            let again = try await PersistentDocument.open(url, recovery: .refuse)
            #expect(try Library.titles(again) == ["first"])
            try await again.close()
        }
    }

    @Test func discardableChangesAskForNoSave() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            try await document.save()
            let book = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            document.makeDiscardableChanges { _ in book["pages"] = 7 }
            #expect(!document.hasUnsavedChanges && document.discardableChangeCount == 1)
            try await document.autosave()
            #expect(!document.hasAutosavedWork)
            book["title"] = "second"
            #expect(document.hasUnsavedChanges)
            try await document.save()
            #expect(document.discardableChangeCount == 0)
            document.makeDiscardableChanges { _ in book["pages"] = 8 }
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(
                try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first?["pages"] as? Int == 7)
            try await again.close()
        }
    }

    @Test func closingSavesKeepsOrDiscards() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("saved", document)
            try await document.close(.save)
            let second = try await PersistentDocument.open(url)
            try Library.insertBook("kept", second)
            try await second.close(.keep)
            let third = try await PersistentDocument.open(url, recovery: .keep)
            #expect(try Library.titles(third) == ["kept", "saved"])
            try Library.insertBook("more", third)
            try await third.close(.discard)
            let fourth = try await PersistentDocument.open(url)
            #expect(try Library.titles(fourth) == ["saved"])
            // What can't be saved keeps the document open.
            _ = try fourth.context.insert("Author")
            await #expect(throws: ValidationError.self) { try await fourth.close(.save) }
            #expect(fourth.isOpen)
            try await fourth.close(.discard)
        }
    }
}

extension DocumentSaveTests {
    @Test(arguments: [DocumentForm.package, .archive]) @MainActor func closingWithoutAWordKeepsUnsavedWork(
        _ form: DocumentForm
    ) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
            try Library.insertBook("saved", document)
            try await document.save()
            try Library.insertBook("unsaved", document)
            try await document.close()
            let error = await #expect(throws: DocumentError.self) { _ = try await PersistentDocument.open(url) }
            #expect(error?.code == .recoverable)
            let second = try await PersistentDocument.open(url, recovery: .keep)
            #expect(try Library.titles(second) == ["saved", "unsaved"])
            second.startBackgroundTasks(.off)
            try Library.insertBook("more", second)
            try await second.close()
            let third = try await PersistentDocument.open(url, recovery: .keep)
            #expect(try Library.titles(third) == ["more", "saved", "unsaved"])
            try await third.close(discardingUnsavedWork: true)
            let fourth = try await PersistentDocument.open(url)
            #expect(try Library.titles(fourth) == ["saved"])
            try await fourth.close()
            // A reader has nothing to keep.
            let reader = try await PersistentDocument.open(url, mode: .reading)
            try Library.insertBook("scratch", reader)
            try await reader.close()
        }
    }

    /// A store by itself has no autosave, and the application's own files are part of none.
    @Test(arguments: [true, false]) func closingWhatCannotBeKeptThrowsAndLeavesTheDocumentOpen(isBare: Bool)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent(isBare ? "A.sqlite" : "A.folio")
            let model = try Library.model()
            let document =
                isBare
                ? try await PersistentDocument.create(at: url, model: model, form: .store)
                : try await NotedDocument.create(at: url, model: model)
            if isBare { try Library.insertBook("one", document) } else { document.noteChange() }
            for close in [{ try await document.close() }, { try await document.close(.keep) }] {
                let error = await #expect(throws: DocumentError.self) { try await close() }
                #expect(error?.code == .unsavedChanges && document.isOpen && document.hasUnsavedChanges)
            }
            try await document.save()
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(try Library.titles(again) == (isBare ? ["one"] : []))
            try Library.insertBook("two", again)
            try await again.close(.discard)
        }
    }

    /// Holds the first commit of `operation` at its end, has a book inserted meanwhile, and lets it
    /// go on.
    @MainActor private func editing(
        _ document: PersistentDocument, _ title: String,
        during operation: @escaping @MainActor @Sendable () async throws -> Void
    ) async throws {
        let gate = Gate()
        let work = Task { @MainActor in
            try await FaultInjection.with { call, path in
                if call == .fsync, path.hasSuffix("-wal") { gate.pass() }
                return nil
            } _: {
                try await operation()
            }
        }
        try await waitUntil { gate.isReached }
        try Library.insertBook(title, document)
        gate.open()
        try await work.value
    }
}

extension DocumentSaveTests {
    @Test @MainActor func whatIsEditedWhileAClosingDocumentIsWrittenIsKeptToo() async throws {
        try await withFolder { folder in
            for work in [PersistentDocument.UnsavedWork.save, .keep] {
                let url = folder.appendingPathComponent("\(work).folio")
                let document = try await PersistentDocument.create(at: url, model: Library.model())
                try Library.insertBook("first", document)
                try await editing(document, "second") { try await document.close(work) }
                let again = try await PersistentDocument.open(url, recovery: work == .save ? .refuse : .keep)
                #expect(try Library.titles(again) == ["first", "second"])
                try await again.close()
            }
        }
    }

    @Test @MainActor func whatIsEditedWhileAVersionIsRestoredIsKeptAsAVersion() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            try await document.save()
            let version = try #require(try document.versions().last)
            try Library.insertBook("second", document)
            try await editing(document, "third") { try await document.revert(to: version) }
            #expect(try Library.titles(document).isEmpty && !document.hasUnsavedChanges && !document.context.hasChanges)
            let kept = try #require(try document.versions().last)
            let old = try await PersistentDocument.open(url, version: kept.generation)
            #expect(try Library.titles(old) == ["first", "second", "third"])
            try await old.close()
            try await document.close()
        }
    }

    @Test(arguments: [true, false]) @MainActor func aContextIsRolledBackOrResetWhileAnAutosaveWrites(rollsBack: Bool)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            let gate = Gate()
            let save = Task { @MainActor in
                try await FaultInjection.with { call, path in
                    if call == .fsync, path.hasSuffix("-wal") { gate.pass() }
                    return nil
                } _: {
                    try await document.autosave()
                }
            }
            try await waitUntil { gate.isReached }
            try Library.insertBook("second", document)
            if rollsBack { document.context.rollback() } else { document.context.reset() }
            gate.open()
            try await save.value
            #expect(try Library.titles(document) == ["first"])
            #expect(document.hasUnsavedChanges && document.hasAutosavedWork && !document.context.hasChanges)
            try Library.insertBook("third", document)
            try await document.save()
            #expect(!document.hasUnsavedChanges)
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(try Library.titles(again) == ["first", "third"])
            try await again.close()
        }
    }
}
