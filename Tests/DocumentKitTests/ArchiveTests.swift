import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// A document in one zip file. Working sets go to the state folder of the user, which the tests leave as they found it.
@Suite(.serialized) struct ArchiveTests {
    private func workingSets(_ uuid: String) throws -> [String] {
        let path = StateFolder.documents + "/" + uuid
        return try Disk.exists(path) ? Disk.list(path).map(\.name) : []
    }

    @Test func whatWasSavedIsReadBack() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            #expect(document.kind == .archive)
            let uuid = document.uuid
            try Library.fill(document.context)
            try await document.save()
            #expect(document.manifest?.generation == 1)
            try Library.insertBook("third", document)
            try await document.save()
            try await document.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folioz"])
            #expect(try workingSets(uuid).isEmpty)

            let again = try await PersistentDocument.open(url, mode: .reading)
            #expect(again.uuid == uuid)
            #expect(try Library.titles(again) == ["Essays", "Middlemarch", "third"])
            let novel = try #require(try again.context.fetch(FetchRequest<ManagedObject>("Novel")).first)
            #expect(try (novel["cover"] as? LargeValue)?.data() == Library.cover)
            try await again.close()
            #expect(try workingSets(uuid).isEmpty)
            let info = try DocumentInfo(of: url)
            #expect(info.entities["Book"] == 2)
            #expect(info.kind == .archive)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func autosaveNeverTouchesTheArchive() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("saved", document)
            try await document.save()
            let before = try Disk.read(url.path, limit: 1 << 30)
            try Library.insertBook("autosaved", document)
            try await document.autosave()
            #expect(try Disk.read(url.path, limit: 1 << 30) == before)
            let reader = try await PersistentDocument.open(url, mode: .reading)
            #expect(try Library.titles(reader) == ["autosaved", "saved"])
            #expect(reader.hasAutosavedWork)
            try await reader.close()
            // An editor that goes without saving leaves it to be recovered.
            try await document.close()
            #expect(try DocumentInfo(of: url).hasUnsavedChanges)
            await #expect(throws: DocumentError.self) { _ = try await PersistentDocument.open(url) }
            let kept = try await PersistentDocument.open(url, recovery: .keep)
            #expect(kept.recovered != nil)
            #expect(try Library.titles(kept) == ["autosaved", "saved"])
            try await kept.revert()
            #expect(try Library.titles(kept) == ["saved"])
            try Library.insertBook("again", kept)
            try await kept.autosave()
            try await kept.save()
            let uuid = kept.uuid
            try await kept.close()
            #expect(try workingSets(uuid).isEmpty)
            let last = try await PersistentDocument.open(url, mode: .reading)
            #expect(try Library.titles(last) == ["again", "saved"])
            try await last.close()
        }
    }

    @Test func anArchiveThatSomebodyReplacedIsNotOverwritten() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("mine", document)
            let theirs = try Disk.read(url.path, limit: 1 << 30)
            try Disk.replaceFile(url.path, with: theirs)
            do {
                try await document.save()
                Issue.record("overwritten")
            } catch let error as DocumentError {
                #expect(error.code == .changed)
            }
            #expect(try Disk.read(url.path, limit: 1 << 30) == theirs)
            // The work is still there, to be written elsewhere.
            try await document.save(as: folder.appendingPathComponent("B.folioz"))
            #expect(try Library.titles(document) == ["mine"])
            try await document.close()
        }
    }

    @Test func zipFilesThatAreNoDocumentsAreNamedAsSuch() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            try await PersistentDocument.create(at: url, model: Library.model(), form: .archive).close()
            let bytes = try Disk.read(url.path, limit: 1 << 30)
            try Disk.replaceFile(url.path, with: Array(bytes.dropLast(100)))
            do {
                _ = try await PersistentDocument.open(url, mode: .reading)
                Issue.record("opened")
            } catch let error as DocumentError {
                #expect(error.code == .malformed)
            }
        }
    }
}
