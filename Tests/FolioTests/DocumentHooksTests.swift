import Folio
import Foundation
import TestSupport
import Testing

/// A document of an application, with every hook that there is.
private final class LetterDocument: PersistentDocument {
    struct Refusal: Error {}
    var isRefusing = false
    var isBare = false
    var view = "top"
    var resolution: ConflictResolution?
    private(set) var asked: [String] = []

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [EntityDefinition("Letter", attributes: [.init("text", .string), .init("to", .string)])],
            versionIdentifiers: ["1"])
    }

    override func configureStore(_ description: inout PersistentStoreDescription) {
        asked.append("store")
        description.cacheKilobytes = 1_234
        description.tracksHistory = true
        description.timeout = 7
        // The document's own: of no effect.
        description.isReadOnly = true
        description.journalMode = .delete
    }

    override func validate() throws {
        asked.append("validation")
        if isRefusing { throw Refusal() }
    }

    override func extraContent() throws -> [ExtraFile] {
        let view = view
        // A store by itself has no place for them.
        return isBare ? [] : [ExtraFile("view/place.txt") { Data(view.utf8) }]
    }

    override func preview() throws -> [ExtraFile] { isBare ? [] : [ExtraFile("page.txt") { Data("a page".utf8) }] }
    override var title: String? { "Letters" }
    override var keywords: [String]? { ["post", "ink"] }
    override func conflictResolution() async -> ConflictResolution? {
        asked.append("conflict")
        return resolution
    }

    func write(_ text: String) throws { try context.insert("Letter")["text"] = text }
    var texts: [String] {
        get throws {
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Letter")).compactMap { $0["text"] as? String }
                .sorted()
        }
    }
    var asksOfStore: Int { asked.filter { $0 == "store" }.count }
}

@Suite("Hooks of a document") struct DocumentHooksTests {
    @Test func theStoreIsOpenedAsTheDocumentSays() async throws {
        for form in [DocumentForm.package, .archive, .store] {
            try await withFolder { folder in
                let url = folder.appendingPathComponent("A.letters")
                let document = try await LetterDocument.create(at: url, model: LetterDocument.model(), form: form)
                document.isBare = form == .store
                #expect(document.asksOfStore == 1)
                // What belongs to the document stays the document's.
                #expect(document.mode == .editing)
                try document.write("one")
                try await document.save()
                // Also where it is opened again: after each save of an archive, after reverting and
                // moving.
                try document.write("two")
                try await document.save()
                if form != .store {
                    try document.write("given up")
                    try await document.autosave()
                    try await document.revert()
                }
                try document.write("three")
                try await document.save()
                #expect(try document.texts == ["one", "three", "two"])
                #expect(document.asksOfStore == 1)
                #expect(try document.context.fetchHistory().count == 3, "\(form)")
                try await document.close()
            }
        }
    }

    @Test func aSaveAsksForEverythingAndAFailedCheckKeepsItFromTheDisk() async throws {
        for form in [DocumentForm.package, .archive] {
            try await withFolder { folder in
                let url = folder.appendingPathComponent("A.letters")
                let document = try await LetterDocument.create(at: url, model: LetterDocument.model(), form: form)
                try document.write("one")
                document.isRefusing = true
                await #expect(throws: LetterDocument.Refusal.self) { try await document.save() }
                // An autosave does not ask.
                try await document.autosave()
                document.isRefusing = false
                try await document.save()
                #expect(document.asked.filter { $0 == "validation" }.count == 2)
                #expect(try await document.extraFile("view/place.txt") == Data("top".utf8))
                #expect(try await document.previewFile("page.txt") == Data("a page".utf8))
                document.view = "bottom"
                document.noteChange()
                try await document.save()
                try await document.close()
                let info = try DocumentInfo(of: url)
                #expect(info.entities["Letter"] == 1)
                let reader = try await PersistentDocument.open(url, mode: .reading)
                #expect(reader.manifest?.title == "Letters" && reader.manifest?.keywords == ["post", "ink"])
                #expect(try await reader.extraFile("view/place.txt") == Data("bottom".utf8))
                try await reader.close()
            }
        }
    }

    /// The document and a copy that another program has saved later.
    private func withConflict(_ body: (_ document: LetterDocument, _ told: () -> [OutsideChange]) async throws -> Void)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.letters"), other = folder.appendingPathComponent("B.letters")
            let document = try await LetterDocument.create(at: url, model: LetterDocument.model())
            try document.write("one")
            try await document.save()
            try await document.close()
            try FileManager.default.copyContents(of: url, to: other)
            let outside = try await LetterDocument.open(other)
            try outside.write("theirs")
            try await outside.save()
            try await outside.close()
            let again = try await LetterDocument.open(url)
            try again.write("mine")
            try FileManager.default.removeItem(at: url)
            try FileManager.default.moveItem(at: other, to: url)
            var told: [OutsideChange] = []
            again.outsideChangeHandler = { told.append($0) }
            try await body(again) { told }
            try await again.close()
        }
    }
}

extension DocumentHooksTests {
    @Test func aConflictIsSettledAsTheDocumentSays() async throws {
        try await withConflict { document, told in
            document.resolution = .merge(.mergeByPropertyObjectTrump)
            // The save notices, merges, and goes on.
            try await document.save()
            #expect(try document.texts == ["mine", "one", "theirs"])
            #expect(!document.hasUnsavedChanges)
            guard case .resolved(let outcome)? = told().first else {
                Issue.record("\(told())")
                return
            }
            #expect(told().count == 1 && outcome.clashes.isEmpty && outcome.version?.reason == .conflict)
        }
        try await withConflict { document, told in
            document.resolution = .takeTheirs
            #expect(await document.checkForOutsideChanges() != .conflict)
            let versions = try document.versions(), texts = try document.texts
            #expect(texts == ["one", "theirs"] && versions.last?.reason == .conflict)
        }
    }

    @Test func aConflictOfWhichTheDocumentSaysNothingWaits() async throws {
        try await withConflict { document, told in
            #expect(await document.checkForOutsideChanges() == .conflict)
            #expect(await document.checkForOutsideChanges() == nil)
            await #expect(throws: DocumentError.self) { try await document.save() }
            #expect(document.asked.filter { $0 == "conflict" }.count == 1 && told() == [.conflict])
            try await document.resolveConflict(.takeTheirs)
            #expect(try document.texts == ["one", "theirs"])
        }
    }
}
