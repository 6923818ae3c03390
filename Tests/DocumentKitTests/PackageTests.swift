import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// A document in a package folder: created, saved, autosaved, reverted, closed.
struct PackageTests {
    @Test func aNewDocumentHasItsModelAndNothingElse() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("New.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), modelName: "Library 1")
            #expect(document.kind == .package)
            #expect(try Library.titles(document).isEmpty)
            #expect(!document.hasUnsavedChanges)
            try await document.close()
            #expect(
                try contents(of: url).keys.sorted() == [
                    "manifest.json", "mimetype", "model/Library 1.xcdatamodel/contents", "store/store.sqlite",
                ])
            #expect(try Disk.list(folder.path).map(\.name) == ["New.folio"])
        }
    }

    @Test func whatWasSavedIsReadBack() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.fill(document.context)
            #expect(document.hasUnsavedChanges)
            try await document.save()
            #expect(!document.hasUnsavedChanges)
            #expect(document.manifest?.generation == 1)
            try await document.close()
            #expect(try contents(of: url).keys.filter { $0.hasPrefix("store/") } == ["store/store.sqlite"])
            #expect(try contents(of: url).keys.contains { $0.hasPrefix("content/") })

            let again = try await PersistentDocument.open(url, mode: .reading)
            #expect(try Library.titles(again) == ["Essays", "Middlemarch"])
            let novel = try #require(try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
            #expect((novel["author"] as? ManagedObject)?["name"] as? String == "Eliot")
            #expect(try (novel["cover"] as? LargeValue)?.data() == Library.cover)
            #expect(again.manifest?.entities == ["Author": 1, "Book": 1, "Novel": 1, "Tag": 1])
            #expect(again.manifest?.attachments.count == 1)
            try await again.close()
        }
    }

    @Test func whatACrashLeftOfMakingAModelGoesAtTheNextOpening() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await PersistentDocument.writeEmpty(at: url, model: Library.model(), modelName: "Library 1")
            let left = FilePath.sibling(
                of: url.path + "/model/Library 2.xcdatamodel", tag: "tmp", id: UniqueName.make())
            try Disk.makeDirectory(left)
            try File(left + "/contents", .create()).close()
            try await PersistentDocument.open(url).close()
            #expect(try Disk.list(url.path + "/model").map(\.name) == ["Library 1.xcdatamodel"])
        }
    }

    @Test func readingLeavesEveryByteAndMakesNoFile() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.fill(document.context)
            try await document.save()
            try await document.close()
            let before = try contents(of: folder)
            let reader = try await PersistentDocument.open(url, mode: .reading)
            _ = try Library.titles(reader)
            #expect(try contents(of: folder) == before)
            await #expect(throws: DocumentError.self) { try await reader.save() }
            try await reader.close()
            #expect(try contents(of: folder) == before)
        }
    }
}

extension PackageTests {
    @Test func autosavedWorkIsNoSaveAndIsSeenByReaders() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("saved", document)
            try await document.save()
            let main = try Disk.read(url.path + "/store/store.sqlite", limit: 1 << 30)
            try Library.insertBook("autosaved", document)
            try await document.autosave()
            #expect(!document.context.hasChanges)
            #expect(document.hasUnsavedChanges)
            #expect(try Disk.read(url.path + "/store/store.sqlite", limit: 1 << 30) == main)

            let reader = try await PersistentDocument.open(url, mode: .reading)
            #expect(reader.hasAutosavedWork)
            #expect(try Library.titles(reader) == ["autosaved", "saved"])
            try await reader.close()
            let info = try DocumentInfo(of: url)
            #expect(info.hasUnsavedChanges)
            #expect(info.entities["Book"] == 2)
            #expect(info.lock?.pid == ProcessInfo.processInfo.processIdentifier)

            try await document.save()
            #expect(!document.hasUnsavedChanges)
            try await document.close()
            #expect(try DocumentInfo(of: url).entities["Book"] == 2)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func revertGivesTheLastSavedState() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("saved", document)
            try await document.save()
            let book = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            book["title"] = "autosaved"
            try await document.autosave()
            try Library.insertBook("autosaved too", document)
            try await document.autosave()
            book["title"] = "pending"
            try await document.revert()
            #expect(try Library.titles(document) == ["saved"])
            #expect(book["title"] as? String == "saved")
            #expect(!document.hasUnsavedChanges)
            // What is reverted can be edited and saved again.
            book["title"] = "edited"
            try await document.save()
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(try Library.titles(again) == ["edited"])
            try await again.close()
        }
    }

    @Test func workLeftByAnEditorIsRefusedKeptOrDiscarded() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("saved", document)
            try await document.save()
            try Library.insertBook("left", document)
            try await document.autosave()
            try await document.close()
            let left = try contents(of: folder)

            do {
                _ = try await PersistentDocument.open(url)
                Issue.record("opened")
            } catch let error as DocumentError {
                #expect(error.code == .recoverable)
                #expect(error.hint != nil)
            }
            #expect(try contents(of: folder) == left)

            let kept = try await PersistentDocument.open(url, recovery: .keep)
            #expect(kept.recovered != nil)
            #expect(kept.hasUnsavedChanges)
            #expect(try Library.titles(kept) == ["left", "saved"])
            try await kept.close()

            let discarded = try await PersistentDocument.open(url, recovery: .discard)
            #expect(try Library.titles(discarded) == ["saved"])
            #expect(discarded.recovered == nil)
            try Library.insertBook("next", discarded)
            try await discarded.save()
            try await discarded.close()
            let again = try await PersistentDocument.open(url)
            #expect(try Library.titles(again) == ["next", "saved"])
            try await again.close()
        }
    }
}

extension PackageTests {
    @Test func anAutosaveKeepsWhatASaveRefuses() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            let author = try document.context.insert("Author")
            await #expect(throws: ValidationError.self) { try await document.save() }
            try await document.autosave()
            #expect(!document.context.hasChanges)
            await #expect(throws: ValidationError.self) { try await document.save() }
            try await document.close()

            let again = try await PersistentDocument.open(url, recovery: .keep)
            await #expect(throws: ValidationError.self) { try await again.save() }
            let same = try #require(try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
            same["name"] = "now valid"
            try await again.save()
            try await again.close()
            _ = author
            #expect(try DocumentInfo(of: url).entities["Author"] == 1)
        }
    }

    @Test func aSecondEditorIsToldWhoHoldsTheDocument() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            do {
                _ = try await PersistentDocument.open(url)
                Issue.record("opened twice")
            } catch let error as DocumentError {
                #expect(error.code == .locked)
                #expect(error.holder?.pid == ProcessInfo.processInfo.processIdentifier)
            }
            try await document.close()
            try await PersistentDocument.open(url).close()
        }
    }

    @Test func somethingThatIsThereIsNotOverwritten() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await PersistentDocument.create(at: url, model: Library.model()).close()
            let before = try contents(of: folder)
            do {
                _ = try await PersistentDocument.create(at: url, model: Library.model())
                Issue.record("overwritten")
            } catch let error as DocumentError {
                #expect(error.code == .cannotCreate)
            }
            #expect(try contents(of: folder) == before)
            try await PersistentDocument.create(at: url, model: Library.model(), replacing: true).close()
            #expect(try contents(of: folder) != before)
            // A folder that is no document is not thrown away.
            try Disk.makeDirectory(folder.path + "/home")
            try Disk.replaceFile(folder.path + "/home/letter", with: [1])
            await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.create(
                    at: folder.appendingPathComponent("home"), model: Library.model(), replacing: true)
            }
            await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.create(
                    at: folder.appendingPathComponent("none/A.folio"), model: Library.model())
            }
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio", "home"])
        }
    }

    @Test func plantedFilesBesideTheStoreAreRefused() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await PersistentDocument.create(at: url, model: Library.model()).close()
            let journal = url.path + "/store/store.sqlite-journal"
            try Disk.replaceFile(journal, with: [1, 2, 3])
            for mode in [PersistentDocument.Mode.reading, .editing] {
                do {
                    _ = try await PersistentDocument.open(url, mode: mode)
                    Issue.record("opened")
                } catch let error as DocumentError {
                    #expect(error.code == .malformed)
                }
            }
            try Disk.removeFile(journal)
            try Disk.rename(url.path + "/store/store.sqlite", to: folder.path + "/elsewhere")
            try FileManager.default.createSymbolicLink(
                atPath: url.path + "/store/store.sqlite", withDestinationPath: folder.path + "/elsewhere")
            await #expect(throws: DocumentError.self) { _ = try await PersistentDocument.open(url, mode: .reading) }
        }
    }
}

extension PackageTests {
    @Test func anotherModelIsNamedAsTheReason() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await PersistentDocument.create(at: url, model: Library.model()).close()
            let other = try ManagedObjectModel(entities: [
                EntityDefinition("Author", attributes: [.init("born", .date)])
            ])
            do {
                _ = try await PersistentDocument.open(url, mode: .reading, model: other)
                Issue.record("opened")
            } catch let error as DocumentError {
                #expect(error.code == .modelMismatch)
                #expect(error.entities.contains("Author"))
            }
        }
    }
}
