import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// What other programs do to a document that is open.
struct OutsideChangeTests {
    /// Documents with one saved book, called “A” and “B”, of which the first is open.
    private func withDocuments(
        _ form: DocumentForm = .package,
        _ body: (_ folder: URL, _ document: PersistentDocument, _ other: URL) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let other = folder.appendingPathComponent("B.folio")
            let second = try await PersistentDocument.create(at: other, model: Library.model(), form: form)
            try Library.insertBook("theirs", second)
            try await second.save()
            try await second.close()
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model(), form: form)
            try Library.insertBook("mine", document)
            try await document.save()
            try await body(folder, document, other)
        }
    }

    @Test(arguments: [DocumentForm.package, .archive, .store]) func aDocumentThatIsMovedIsFollowed(_ form: DocumentForm)
        async throws
    {
        try await withDocuments(form) { folder, document, _ in
            let book = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            book["title"] = "edited"
            try Disk.makeDirectory(folder.path + "/sub")
            let place = folder.appendingPathComponent("sub/Moved.folio")
            try Disk.rename(document.url.path, to: place.path)
            #expect(await document.checkForOutsideChanges() == .moved(to: place))
            #expect(document.url.path == place.path && document.hasUnsavedChanges)
            #expect(
                DocumentLock.holder(of: place.path) != nil && DocumentLock.holder(of: folder.path + "/A.folio") == nil)
            #expect(await document.checkForOutsideChanges() == nil)
            try await document.save()
            #expect(book["title"] as? String == "edited")
            try await document.close()
            let again = try await PersistentDocument.open(place)
            #expect(try Library.titles(again) == ["edited"])
            try await again.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["B.folio", "sub"])
            #expect(try Disk.list(folder.path + "/sub").map(\.name) == ["Moved.folio"])
        }
    }

    @Test func autosavedWorkMovesAlong() async throws {
        for form in [DocumentForm.package, .archive] {
            try await withDocuments(form) { folder, document, _ in
                try Library.insertBook("autosaved", document)
                try await document.autosave()
                let place = folder.appendingPathComponent("Moved.folio")
                try Disk.rename(document.url.path, to: place.path)
                // A save notices by itself.
                try Library.insertBook("later", document)
                try await document.save()
                #expect(document.url.path == place.path)
                try await document.close()
                let again = try await PersistentDocument.open(place)
                #expect(try Library.titles(again) == ["autosaved", "later", "mine"])
                try await again.close()
                #expect(try DocumentVerifier.verify(place, isThorough: true).isEmpty)
            }
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func aDocumentThatIsReplacedIsReadAgainWhereNothingIsUnsaved(
        _ form: DocumentForm
    ) async throws {
        try await withDocuments(form) { folder, document, other in
            try Disk.exchange(document.url.path, other.path)
            let theirs = try contents(of: folder).filter { $0.key.hasPrefix("A.folio/") || $0.key == "A.folio" }
            #expect(await document.checkForOutsideChanges() == .reloaded)
            #expect(try Library.titles(document) == ["theirs"])
            #expect(!document.hasUnsavedChanges && document.outsideChange == nil)
            #expect(try contents(of: folder).filter { theirs[$0.key] != nil } == theirs)
            try Library.insertBook("next", document)
            try await document.save()
            try await document.close()
            #expect(try DocumentInfo(of: folder.appendingPathComponent("A.folio")).entities["Book"] == 2)
            #expect(try DocumentInfo(of: other).entities["Book"] == 1)
        }
    }
}

extension OutsideChangeTests {
    @Test(arguments: [DocumentForm.package, .archive]) func unsavedEditsMakeItAConflictAndNothingIsOverwritten(
        _ form: DocumentForm
    ) async throws {
        try await withDocuments(form) { folder, document, other in
            try Library.insertBook("unsaved", document)
            try await document.autosave()
            try Library.insertBook("pending", document)
            try Disk.exchange(document.url.path, other.path)
            try Disk.removeTree(other.path)
            var told: [OutsideChange] = []
            document.outsideChangeHandler = { told.append($0) }
            do {
                try await document.save()
                Issue.record("overwritten")
            } catch let error as DocumentError {
                #expect(error.code == .changed && error.hint != nil)
            }
            #expect(document.outsideChange == .conflict && told == [.conflict])
            await #expect(throws: DocumentError.self) { try await document.autosave() }
            #expect(try DocumentInfo(of: document.url).entities["Book"] == 1)

            let copy = try #require(try await document.resolveConflict(.keepMineAsCopy(at: nil)).copy)
            #expect(copy.lastPathComponent == "A (conflict).folio")
            #expect(try Library.titles(document) == ["theirs"])
            #expect(!document.hasUnsavedChanges && document.outsideChange == nil)
            let mine = try await PersistentDocument.open(copy)
            #expect(try Library.titles(mine) == ["mine", "pending", "unsaved"])
            try await mine.close()
            try Library.insertBook("next", document)
            try await document.save()
            try await document.close()
            #expect(try DocumentVerifier.verify(folder.appendingPathComponent("A.folio"), isThorough: true).isEmpty)
        }
    }

    @Test func aStoreThatIsExchangedWithinAPackageIsNoticedToo() async throws {
        try await withDocuments { folder, document, other in
            try Library.insertBook("unsaved", document)
            try await document.autosave()
            try Disk.rename(other.path + "/store/store.sqlite", to: document.url.path + "/store/store.sqlite")
            try Disk.rename(other.path + "/manifest.json", to: document.url.path + "/manifest.json")
            #expect(await document.checkForOutsideChanges() == .conflict)
            try await document.resolveConflict(.takeTheirs)
            #expect(try Library.titles(document) == ["theirs"])
            try Library.insertBook("next", document)
            try await document.save()
            try await document.close()
            let again = try await PersistentDocument.open(folder.appendingPathComponent("A.folio"))
            #expect(try Library.titles(again) == ["next", "theirs"])
            try await again.close()
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func aDocumentThatIsDeletedGoesOnAndCanBeSavedElsewhere(
        _ form: DocumentForm
    ) async throws {
        try await withDocuments(form) { folder, document, _ in
            try Library.insertBook("unsaved", document)
            try Disk.removeTree(document.url.path)
            #expect(await document.checkForOutsideChanges() == .deleted)
            #expect(await document.checkForOutsideChanges() == nil)
            #expect(try Library.titles(document) == ["mine", "unsaved"])
            do {
                try await document.save()
                Issue.record("saved")
            } catch let error as DocumentError {
                #expect(error.code == .changed)
            }
            #expect(try !Disk.exists(folder.path + "/A.folio"))
            let place = folder.appendingPathComponent("C.folio")
            try await document.save(as: place)
            #expect(document.outsideChange == nil && !document.hasUnsavedChanges)
            try await document.close()
            let again = try await PersistentDocument.open(place)
            #expect(try Library.titles(again) == ["mine", "unsaved"])
            try await again.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["B.folio", "C.folio"])
        }
    }
}

extension OutsideChangeTests {
    @Test func whatIsThrownIntoTheTrashIsDeleted() async throws {
        try await withDocuments { folder, document, _ in
            try Disk.makeDirectories(folder.path + "/share/Trash/files")
            try Disk.rename(document.url.path, to: folder.path + "/share/Trash/files/A.folio")
            #expect(await document.checkForOutsideChanges() == .deleted)
            try await document.close()
            #expect(try Disk.exists(folder.path + "/share/Trash/files/A.folio"))
        }
    }

    @Test func whatCanNotBeOpenedIsToldAndChangesNothing() async throws {
        try await withDocuments(.archive) { folder, document, _ in
            try Disk.replaceFile(document.url.path, with: Array("a text".utf8))
            guard case .unreadable(let error)? = await document.checkForOutsideChanges() else {
                Issue.record("not told")
                return
            }
            #expect(error.code == .malformed)
            #expect(try Library.titles(document) == ["mine"])
            try Library.insertBook("next", document)
            await #expect(throws: DocumentError.self) { try await document.save() }
            try await document.save(as: folder.appendingPathComponent("C.folio"))
            #expect(try Library.titles(document) == ["mine", "next"])
            try await document.close()
            #expect(try Disk.read(folder.path + "/A.folio", limit: 100) == Array("a text".utf8))
        }
    }

    @Test func aReaderShowsWhatAnEditorSaved() async throws {
        try await withDocuments { folder, document, _ in
            let reader = try await PersistentDocument.open(document.url, mode: .reading)
            #expect(try Library.titles(reader) == ["mine"])
            try Library.insertBook("next", document)
            try await document.save()
            #expect(await reader.checkForOutsideChanges() == .reloaded)
            #expect(try Library.titles(reader) == ["mine", "next"])
            try await reader.close()
            try await document.close()
        }
    }

    @Test @MainActor func anEditorOnTheMainActorIsToldByItself() async throws {
        try await withDocuments { folder, document, other in
            var told: [OutsideChange] = []
            document.outsideChangeHandler = { told.append($0) }
            document.startBackgroundTasks(.off)
            let place = folder.appendingPathComponent("Moved.folio")
            try Disk.rename(document.url.path, to: place.path)
            for _ in 0..<500 where told.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            #expect(told == [.moved(to: place)])
            // Its own saves are none of them, and the new place is watched as well.
            try Library.insertBook("next", document)
            try await document.save()
            try Disk.exchange(place.path, other.path)
            for _ in 0..<500 where told.count < 2 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(told.last == .reloaded && told.count == 2)
            #expect(try Library.titles(document) == ["theirs"])
            try await document.close()
        }
    }
}
