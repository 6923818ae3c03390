import Folio
import Foundation
import TestSupport
import Testing

/// A small editor of notes, as an application would write it: on the main actor, through what Folio
/// says in public alone.
@MainActor
private final class Editor {
    let document: PersistentDocument
    private(set) var outsideChanges: [OutsideChange] = []
    var context: ManagedObjectContext { document.context }

    init(_ document: PersistentDocument, policy: SavingPolicy = .off) {
        self.document = document
        document.context.undoManager = UndoManager()
        document.outsideChangeHandler = { [weak self] in self?.outsideChanges.append($0) }
        document.startBackgroundTasks(policy)
    }

    nonisolated static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Note", attributes: [.init("text", .string, isOptional: false), .init("page", .integer64)])
            ], versionIdentifiers: ["1"])
    }

    /// What a keystroke does: one event.
    func write(_ text: String) throws {
        let note = try context.insert("Note")
        note["text"] = text
        context.processPendingChanges()
    }

    var texts: [String] {
        get throws {
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).compactMap { $0["text"] as? String }
                .sorted()
        }
    }
}

@Suite("A small editor", .serialized) @MainActor
struct SmallEditorTests {
    private nonisolated static let part = ProcessInfo.processInfo.environment["FOLIO_TEST_PART"]
    private nonisolated static let partPath = ProcessInfo.processInfo.environment["FOLIO_TEST_PATH"] ?? ""

    private func waitUntil(_ condition: @MainActor () throws -> Bool) async throws {
        for _ in 0..<1500 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("it never came to that")
    }

    private let quick = SavingPolicy(
        idle: .milliseconds(30), minimumInterval: .milliseconds(30), maximumDelay: .milliseconds(200))

    @Test func goesOnEditingWhileItSaves() async throws {
        try await withFolder { folder in
            for form in [DocumentForm.package, .archive] {
                let url = folder.appendingPathComponent("\(form).notes")
                let editor = Editor(try await PersistentDocument.create(at: url, model: Editor.model(), form: form))
                for number in 0..<500 { try editor.write("first \(number)") }
                let save = Task { @MainActor in try await editor.document.save() }
                // The save begins when this turn ends; what comes between its turns is edited while
                // it writes.
                var edits = 0
                while editor.document.saved == nil || editor.document.manifest?.generation == 0, edits < 2000 {
                    await Task.yield()
                    edits += 1
                    if edits.isMultiple(of: 100) { try editor.write("second \(edits)") }
                }
                try await save.value
                try editor.write("third")
                #expect(editor.document.hasUnsavedChanges)
                let expected = try editor.texts
                try await editor.document.save()
                #expect(!editor.document.hasUnsavedChanges)
                try await editor.document.close()
                let again = Editor(try await PersistentDocument.open(url))
                #expect(try again.texts == expected && expected.contains("third"))
                try await again.document.close()
            }
        }
    }

    @Test func autosavesWhenItIsIdleAndWhenItNeverIs() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.notes")
            let editor = Editor(try await PersistentDocument.create(at: url, model: Editor.model()), policy: quick)
            try editor.write("draft")
            try await waitUntil { editor.document.hasAutosavedWork }
            #expect(editor.document.hasUnsavedChanges && !editor.context.hasChanges)
            // An edit every few milliseconds leaves no pause.
            let before = editor.document.autosaved
            for number in 0..<40 {
                try editor.write("busy \(number)")
                try await Task.sleep(for: .milliseconds(15))
            }
            #expect(editor.document.autosaved != before)
            // What is not valid yet is kept all the same.
            try editor.context.insert("Note")
            try await waitUntil { !editor.context.hasChanges }
            #expect(editor.document.hasAutosavedWork)
            try await editor.document.close(.discard)
        }
    }

    @Test func withoutSavingEverythingIsSaved() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.notes")
            var policy = quick
            policy.savesWhenIdle = true
            policy.unsavedWorkOnClose = .save
            let editor = Editor(try await PersistentDocument.create(at: url, model: Editor.model()), policy: policy)
            try editor.write("idle")
            try await waitUntil { !editor.document.hasUnsavedChanges }
            try editor.write("closed")
            try await editor.document.close()
            let again = Editor(try await PersistentDocument.open(url, recovery: .refuse))
            #expect(try again.texts == ["closed", "idle"])
            try await again.document.close()
        }
    }
}

extension SmallEditorTests {
    @Test func undoesPastASave() async throws {
        try await withFolder { folder in
            let editor = Editor(
                try await PersistentDocument.create(at: folder.appendingPathComponent("A.notes"), model: Editor.model())
            )
            try editor.write("one")
            try await editor.document.save()
            try editor.write("two")
            try await editor.document.save()
            #expect(!editor.document.hasUnsavedChanges)
            editor.context.undo()
            #expect(try editor.texts == ["one"])
            #expect(editor.document.hasUnsavedChanges)
            editor.context.redo()
            #expect(!editor.document.hasUnsavedChanges)
            editor.context.undo()
            editor.context.undo()
            try await editor.document.save()
            #expect(try editor.texts.isEmpty)
            editor.context.redo()
            #expect(try editor.texts == ["one"])
            #expect(editor.document.hasUnsavedChanges)
            try await editor.document.close(.save)
            let again = Editor(try await PersistentDocument.open(folder.appendingPathComponent("A.notes")))
            #expect(try again.texts == ["one"])
            try await again.document.close()
        }
    }

    @Test func revertsToWhatWasSaved() async throws {
        try await withFolder { folder in
            let editor = Editor(
                try await PersistentDocument.create(
                    at: folder.appendingPathComponent("A.notes"), model: Editor.model()), policy: quick)
            try editor.write("saved")
            try await editor.document.save()
            try editor.write("autosaved")
            try await waitUntil { editor.document.hasAutosavedWork }
            try editor.write("pending")
            try await editor.document.revert()
            #expect(try editor.texts == ["saved"])
            #expect(!editor.document.hasUnsavedChanges)
            try editor.write("next")
            try await waitUntil { editor.document.hasAutosavedWork }
            try await editor.document.close(.save)
        }
    }

    @Test func isToldWhatAnotherProgramDoes() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.notes"), moved = folder.appendingPathComponent("Moved.notes")
            let editor = Editor(try await PersistentDocument.create(at: url, model: Editor.model()))
            try editor.write("mine")
            try await editor.document.save()
            try FileManager.default.moveItem(at: url, to: moved)
            try await waitUntil { !editor.outsideChanges.isEmpty }
            #expect(editor.outsideChanges == [.moved(to: moved)])
            try editor.write("unsaved")
            try FileManager.default.removeItem(at: moved)
            try await waitUntil { editor.document.outsideChange == .deleted }
            await #expect(throws: DocumentError.self) { try await editor.document.save() }
            try await editor.document.save(as: url)
            #expect(try editor.texts == ["mine", "unsaved"])
            try await editor.document.close(.save)
        }
    }

    @Test func closesWithUnsavedWorkAndFindsItAgain() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.notes")
            let editor = Editor(try await PersistentDocument.create(at: url, model: Editor.model()), policy: .explicit)
            try editor.write("unsaved")
            try await editor.document.close()
            #expect(!editor.document.isOpen)
            let again = Editor(try await PersistentDocument.open(url, recovery: .keep))
            #expect(again.document.recovered != nil && again.document.hasUnsavedChanges)
            #expect(try again.texts == ["unsaved"])
            try await again.document.save()
            try await again.document.close()
        }
    }
}

extension SmallEditorTests {
    /// The part of the editor that is killed: it writes a note at a time, autosaved by itself.
    @Test(.enabled(if: part == "small-editor")) func playEditor() async throws {
        let editor = Editor(try await PersistentDocument.open(URL(fileURLWithPath: Self.partPath)), policy: quick)
        for number in 1... {
            try editor.write("note \(number)")
            try await waitUntil { !editor.context.hasChanges }
            try Data(String(number).utf8).write(to: URL(fileURLWithPath: Self.partPath + ".count"))
        }
    }

    @Test(.enabled(if: part == nil)) func reopensAfterAKill() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.notes"), count = URL(fileURLWithPath: url.path + ".count")
            try await PersistentDocument.writeEmpty(at: url, model: Editor.model())
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["--testing-library", "swift-testing", "--filter", "SmallEditorTests/playEditor"]
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["FOLIO_TEST_PART": "small-editor", "FOLIO_TEST_PATH": url.path, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            func acknowledged() -> Int { (try? String(contentsOf: count, encoding: .utf8)).flatMap { Int($0) } ?? 0 }
            try await waitUntil { acknowledged() >= 3 || !process.isRunning }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let written = acknowledged()
            #expect(written >= 3)
            let editor = Editor(try await PersistentDocument.open(url, recovery: .keep))
            #expect(editor.document.recovered != nil)
            // One more may have been kept and not said.
            let found = try editor.texts.count
            #expect(found == written || found == written + 1)
            try await editor.document.save()
            try await editor.document.close()
        }
    }
}
