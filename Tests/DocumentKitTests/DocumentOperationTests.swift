import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import TestSupport
import Testing

/// A document with files of its own, a preview and a title.
private final class Album: PersistentDocument {
    var view = "first page"
    var isComplete = true

    override func validate() throws {
        if !isComplete { throw DocumentError(.usage, "the album is not complete", stage: .validating) }
    }

    override func extraContent() throws -> [ExtraFile] {
        let view = self.view
        return [ExtraFile("view/state.txt") { Data(view.utf8) }]
    }

    override func preview() throws -> [ExtraFile] { [ExtraFile("thumbnail.png") { Data([0x89, 0x50]) }] }
    override var title: String? { "Album: \(view)" }
    override var keywords: [String]? { ["album"] }
}

/// A document whose preview counts.
private final class Sketch: PersistentDocument {
    var page = 1
    override func preview() throws -> [ExtraFile] {
        [ExtraFile("thumbnail.png") { [page] in Data(repeating: UInt8(page), count: 3000) }]
    }
    override var title: String? { "page \(page)" }
}

/// Moving, copying, locking, and what subclasses add.
struct DocumentOperationTests {
    @Test(arguments: [DocumentForm.package, .archive, .store]) func aDocumentIsMovedWithItsUnsavedWork(
        _ form: DocumentForm
    ) async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model(), form: form)
            document.context.undoManager = UndoManager()
            try Library.insertBook("saved", document)
            try await document.save()
            try Library.insertBook("autosaved", document)
            if form != .store { try await document.autosave() }
            try Library.insertBook("pending", document)
            try await document.rename(to: "B")
            #expect(document.url.lastPathComponent == "B.folio" && document.hasUnsavedChanges)
            #expect(
                DocumentLock.holder(of: folder.path + "/B.folio") != nil
                    && DocumentLock.holder(of: folder.path + "/A.folio") == nil)
            try await document.save()
            #expect(try Library.titles(document) == ["autosaved", "pending", "saved"])
            // Something that is there stays there, and the document where it is.
            try Disk.replaceFile(folder.path + "/C.folio", with: [1])
            await #expect(throws: DocumentError.self) { try await document.rename(to: "C.folio") }
            #expect(document.url.lastPathComponent == "B.folio" && document.isOpen)
            try Library.insertBook("later", document)
            try await document.save()
            let (kind, uuid) = (document.kind, document.uuid)
            try await document.close()
            // What identifies the document stays known.
            #expect(!document.isOpen && document.url.lastPathComponent == "B.folio" && document.mode == .editing)
            #expect(document.kind == kind && document.uuid == uuid)
            let again = try await PersistentDocument.open(folder.appendingPathComponent("B.folio"))
            #expect(try Library.titles(again) == ["autosaved", "later", "pending", "saved"])
            try await again.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["B.folio", "C.folio"])
        }
    }

    /// Work that an editor left is not the document's saved state, however one came to edit it.
    @Test func unlockingKeepsAutosavedWorkThatWasLeft() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), left = folder.appendingPathComponent("Left.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("autosaved", document)
            try await document.autosave()
            // As a crash leaves it.
            try Disk.copyTree(url.path, to: left.path)
            try await document.close(.discard)
            let reader = try await PersistentDocument.open(left, mode: .reading)
            try await reader.unlock()
            #expect(reader.hasUnsavedChanges && reader.recovered != nil)
            #expect(try Library.titles(reader) == ["autosaved"])
            try await reader.close()
            let again = try await PersistentDocument.open(left, recovery: .keep)
            #expect(try Library.titles(again) == ["autosaved"])
            try await again.close(.save)
        }
    }

    @Test func aPreviewThatCannotBeWrittenWholeDoesNotReplaceTheOldOne() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await Sketch.create(at: url, model: Library.model())
            try Library.insertBook("one", document)
            try await document.save()
            document.page = 2
            try Library.insertBook("two", document)
            try await FaultInjection.with({ call, path in
                call == .write && path.contains("/preview/") ? .error(28) : nil
            }) { try await document.save() }
            #expect(try await document.previewFile("thumbnail.png") == Data(repeating: 1, count: 3000))
            #expect(try Disk.list(url.path + "/preview").map(\.name) == ["thumbnail.png"])
            try await document.close()
        }
    }
}

extension DocumentOperationTests {
    @Test func aTitleIsNotForgottenByASaveThatFailed() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await Sketch.create(at: url, model: Library.model())
            try Library.insertBook("one", document)
            await #expect(throws: DocumentError.self) {
                try await FaultInjection.with({ call, path in
                    call == .fsync && path.hasSuffix("-wal") ? .error(28) : nil
                }) { try await document.save() }
            }
            #expect(document.manifest?.title == nil)
            try await document.save()
            let metadata = try document.store.metadata()
            #expect(metadata["FolioTitle"] == .string("page 1"), "\(metadata.keys.sorted())")
            try await document.close()
        }
    }

    @Test func aDuplicateIsADocumentOfItsOwn() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            try Library.insertBook("unsaved", document)
            let copy = try await document.duplicate()
            #expect(copy.url.lastPathComponent == "A (copy).folio" && copy.uuid != document.uuid)
            #expect(try Library.titles(copy) == ["unsaved"] && !copy.hasUnsavedChanges && document.hasUnsavedChanges)
            let second = try await document.duplicate()
            #expect(second.url.lastPathComponent == "A (copy 2).folio")
            for each in [document, copy, second] { try await each.close(.discard) }
        }
    }

    @Test func aLockedDocumentIsReadAndNotEdited() async throws {
        try await withFolder { folder in
            for form in [DocumentForm.package, .archive] {
                let url = folder.appendingPathComponent("\(form).folio")
                let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
                try Library.insertBook("saved", document)
                await #expect(throws: DocumentError.self) { try await document.lock() }
                try await document.save()
                try await document.lock()
                #expect(document.isLocked && document.mode == .reading)
                #expect(try Library.titles(document) == ["saved"])
                await #expect(throws: DocumentError.self) { try await document.save() }
                do {
                    _ = try await PersistentDocument.open(url)
                    Issue.record("edited")
                } catch let error as DocumentError {
                    #expect(error.code == .permission)
                }
                try await document.unlock()
                #expect(!document.isLocked && document.mode == .editing)
                try Library.insertBook("next", document)
                try await document.save()
                try await document.close()
                #expect(try DocumentInfo(of: url).entities["Book"] == 2)
            }
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func aSubclassAddsFilesAPreviewAndATitle(_ form: DocumentForm)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let album = try await Album.create(at: url, model: Library.model(), form: form)
            try Library.insertBook("one", album)
            album.isComplete = false
            await #expect(throws: DocumentError.self) { try await album.save() }
            #expect(album.hasUnsavedChanges)
            album.isComplete = true
            try await album.save()
            #expect(album.manifest?.title == "Album: first page" && album.manifest?.keywords == ["album"])
            // A change outside the objects is one, too.
            album.view = "second page"
            #expect(!album.hasUnsavedChanges)
            album.noteChange()
            #expect(album.hasUnsavedChanges)
            try await album.save()
            #expect(!album.hasUnsavedChanges)
            try await album.write(to: folder.appendingPathComponent("B.folio"), form: .package)
            try await album.close()

            for name in ["A.folio", "B.folio"] {
                let again = try await PersistentDocument.open(folder.appendingPathComponent(name))
                #expect(try await again.extraFile("view/state.txt") == Data("second page".utf8))
                #expect(try await again.previewFile("thumbnail.png") == Data([0x89, 0x50]))
                #expect(try await again.extraFile("view/none") == nil)
                #expect(again.title == "Album: second page")
                await #expect(throws: DocumentError.self) { _ = try await again.extraFile("../manifest.json") }
                try await again.close()
                #expect(try DocumentVerifier.verify(folder.appendingPathComponent(name), isThorough: true).isEmpty)
            }
        }
    }
}

extension DocumentOperationTests {
    @Test func aFileThatCanNotBeWrittenFailsTheSaveBeforeItsCommit() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let album = try await Album.create(at: url, model: Library.model())
            try Library.insertBook("one", album)
            try await album.save()
            try Library.insertBook("two", album)
            album.view = "second page"
            let before = try committed(url)
            await #expect(throws: DocumentError.self) {
                try await FaultInjection.with { call, path in
                    call == .write && path.contains("state.txt") ? .error(ENOSPC) : nil
                } _: {
                    try await album.save()
                }
            }
            #expect(try committed(url) == before)
            #expect(album.hasUnsavedChanges)
            // What a crash left of such a file goes with the next save.
            try Disk.replaceFile(
                url.path + "/extra/view/.state.txt.tmp-01234567-89ab-4cde-8f01-23456789abcd", with: [1])
            try await album.save()
            #expect(try Disk.list(url.path + "/extra/view").map(\.name) == ["state.txt"])
            try await album.close()
        }
    }
}
