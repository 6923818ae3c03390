import FileMigration
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// An application's documents: types, recent ones, those without a name, those that wait to be
/// recovered.
@Suite(.serialized) struct DocumentControllerTests {
    private func controller(
        _ application: String = "folio-test-\(UUID().uuidString)", migration: MigrationPolicy? = nil
    ) throws -> DocumentController {
        var type = DocumentType(
            "Library", mimeType: "application/x-folio-test", extensions: ["library", "libraryz"],
            model: try Library.model())
        type.migration = migration
        return DocumentController(application: application, types: [type])
    }

    @Test func aDocumentIsOpenedOnceAndRemembered() async throws {
        try await withFolder { folder in
            let controller = try controller(), url = folder.appendingPathComponent("A.library"),
                other = folder.appendingPathComponent("B.library")
            for url in [url, other] { try await PersistentDocument.writeEmpty(at: url, model: Library.model()) }
            let document = try await controller.open(url)
            #expect(try await controller.open(url) === document)
            #expect(document.type?.name == "Library" && controller.documents.count == 1)
            _ = try await controller.open(other)
            #expect(controller.recentDocuments.map { $0.url.lastPathComponent } == ["B.library", "A.library"])
            try Library.insertBook("unsaved", document)
            #expect(controller.hasUnsavedDocuments)
            try await document.rename(to: "C")
            #expect(controller.document(for: folder.appendingPathComponent("C.library")) === document)
            #expect(controller.recentDocuments.first?.url.lastPathComponent == "C.library")
            try await controller.closeAll(.save)
            #expect(controller.documents.isEmpty)
            try controller.clearRecentDocuments()
            #expect(controller.recentDocuments.isEmpty)
            #expect(try DocumentInfo(of: folder.appendingPathComponent("C.library")).entities["Book"] == 1)
        }
    }

    @Test func aDocumentWithoutANameIsRecoveredUntilItHasOne() async throws {
        try await withFolder { folder in
            let name = "folio-test-\(UUID().uuidString)"
            let first = try controller(name)
            let document = try await first.newDocument()
            #expect(document.isUntitled)
            try Library.insertBook("draft", document)
            await #expect(throws: DocumentError.self) { try await document.save() }
            try await document.autosave()
            // In use, it is nothing to recover.
            #expect(try first.recoverableDocuments().filter { $0.kind == .untitled }.isEmpty)
            try await document.close()

            let second = try controller(name)
            let left = try #require(try second.recoverableDocuments().first { $0.kind == .untitled })
            #expect(left.attempts == 0 && !left.isSkipped)
            let recovered = try await second.recover(left)
            #expect(try Library.titles(recovered) == ["draft"])
            let url = folder.appendingPathComponent("Named.library")
            try await recovered.save(as: url)
            #expect(!recovered.isUntitled && !recovered.hasUnsavedChanges)
            try await recovered.close()
            #expect(try second.recoverableDocuments().filter { $0.kind == .untitled }.isEmpty)
            #expect(second.recentDocuments.map { $0.url.lastPathComponent } == ["Named.library"])
            #expect(try DocumentInfo(of: url).entities["Book"] == 1)
        }
    }

    @Test func anUntitledDocumentThatIsGivenUpIsGone() async throws {
        let controller = try controller()
        let document = try await controller.newDocument()
        try Library.insertBook("draft", document)
        try await document.close(.keep)
        let left = try #require(try controller.recoverableDocuments().first { $0.kind == .untitled })
        try await controller.discard(left)
        #expect(try controller.recoverableDocuments().filter { $0.kind == .untitled }.isEmpty)
        #expect(try !Disk.exists(left.url.path))
    }
}

extension DocumentControllerTests {
    @Test func anArchiveWithWorkIsListedAndARecoveryThatCameToNoEndTwiceIsSkipped() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.libraryz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            let uuid = document.uuid
            try Library.insertBook("autosaved", document)
            try await document.close(.keep)
            let controller = try controller()
            func listed() throws -> RecoverableDocument? {
                try controller.recoverableDocuments().first { $0.uuid == uuid }
            }
            #expect(try listed()?.kind == .archive && listed()?.url.path == url.path)
            for attempt in 1...2 {
                // Let go without being closed, as by a crash.
                do {
                    let crashing = try await self.controller().open(url)
                    #expect(crashing.recovered != nil)
                }
                #expect(try listed()?.attempts == attempt)
            }
            #expect(try listed()?.isSkipped == true)
            do {
                _ = try await controller.open(url)
                Issue.record("recovered a third time")
            } catch let error as DocumentError {
                #expect(error.code == .recoverable)
            }
            let left = try #require(try listed())
            let recovered = try await controller.recover(left, force: true)
            #expect(try Library.titles(recovered) == ["autosaved"])
            try await recovered.save()
            try await recovered.close()
            #expect(try listed() == nil)
            #expect(try DocumentInfo(of: url).entities["Book"] == 1)
        }
    }

    @Test func anOpeningThatFailsIsNoRecoveryThatBroughtTheProgramDown() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.library"), controller = try controller()
            let editor = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("autosaved", editor)
            try await editor.autosave()
            // Another program has it open: nothing came to no end.
            for _ in 1...3 {
                do {
                    _ = try await controller.open(url)
                    Issue.record("opened")
                } catch let error as DocumentError {
                    #expect(error.code == .locked)
                }
            }
            try await editor.close(.keep)
            let document = try await controller.open(url)
            #expect(try Library.titles(document) == ["autosaved"])
            try await document.close(.save)
        }
    }

    @Test func anEarlierVersionOfTheModelIsTreatedAsThePolicySays() async throws {
        try await withFolder { folder in
            let old = try ManagedObjectModel(
                entities: [EntityDefinition("Tag", attributes: [.init("name", .string)])], versionIdentifiers: ["0"])
            let new = try ManagedObjectModel(
                entities: [EntityDefinition("Tag", attributes: [.init("name", .string), .init("color", .string)])],
                versionIdentifiers: ["1"])
            let url = folder.appendingPathComponent("A.tags")
            let document = try await PersistentDocument.create(at: url, model: old)
            try document.context.insert("Tag")["name"] = "classic"
            try await document.save()
            try await document.close()
            var type = DocumentType("Tags", mimeType: "application/x-folio-tags", extensions: ["tags"], model: new)
            func opened(_ policy: MigrationPolicy?) async throws -> PersistentDocument {
                type.migration = policy
                return try await DocumentController(application: "folio-test", types: [type]).open(url)
            }
            for policy: MigrationPolicy? in [.refuse, .ask { !$0.isNeeded }, nil] {
                do {
                    _ = try await opened(policy)
                    Issue.record("opened")
                } catch let error as DocumentError {
                    #expect(error.code == .modelMismatch)
                }
            }
            let before = try contents(of: url)
            let copy = try await opened(.readingCopy)
            #expect(copy.mode == .reading && copy.model == new)
            #expect(
                try copy.context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first?["name"] as? String
                    == "classic")
            let scratch = copy.url.deletingLastPathComponent().path
            try await copy.close()
            #expect(try !Disk.exists(scratch))
            #expect(try contents(of: url) == before)
            let migrated = try await opened(.automatic)
            #expect(migrated.mode == .editing && migrated.model == new)
            try await migrated.close()
        }
    }
}

extension DocumentControllerTests {
    @Test func desktopsAreToldOfTheTypes() throws {
        var type = DocumentType(
            "R&D <notes>", mimeType: "application/x-notes", extensions: ["notes"], model: try Library.model())
        type.role = .viewer
        let xml = DocumentType.sharedMimeInfo(for: [type])
        #expect(
            xml.contains("<comment>R&amp;D &lt;notes></comment>")
                || xml.contains("<comment>R&amp;D &lt;notes&gt;</comment>"))
        #expect(xml.contains(#"<glob pattern="*.notes"/>"#) && xml.contains(#"<glob pattern="*.folioz"/>"#))
        #expect(
            xml.contains(#"<mime-type type="application/x-notes">"#)
                && xml.contains(#"<sub-class-of type="application/zip"/>"#))
        #expect(type.matches(fileName: "A.NOTES") && !type.matches(fileName: "notes"))
    }
}
