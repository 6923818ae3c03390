import ArchiveKit
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Documents that somebody else made or spoilt: each is refused for what it is, and nothing is
/// changed.
struct HostileDocumentTests {
    private func refusal(_ url: URL, _ mode: PersistentDocument.Mode = .reading) async throws -> DocumentError? {
        do {
            try await PersistentDocument.open(url, mode: mode).close()
            return nil
        } catch let error as DocumentError {
            return error
        }
    }

    private func change(_ url: URL, _ old: String, _ new: String) throws {
        let text = try String(decoding: Disk.read(url.path, limit: 1 << 20), as: UTF8.self)
        #expect(text.contains(old))
        try Disk.replaceFile(url.path, with: Array(text.replacingOccurrences(of: old, with: new).utf8))
    }

    @Test func aNewerDocumentNeedsANewerProgram() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), manifest = url.appendingPathComponent("manifest.json")
            try await PersistentDocument.create(at: url, model: Library.model()).close()
            try change(manifest, "\"minimumReader\" : 1", "\"minimumReader\" : 9")
            for mode in [PersistentDocument.Mode.reading, .editing] {
                #expect(try await refusal(url, mode)?.code == .newer)
            }
            #expect(throws: DocumentError.self) { try DocumentInfo(of: url) }
        }
    }

    @Test func aStoreOfAnotherDocumentIsNoticed() async throws {
        try await withFolder { folder in
            let first = folder.appendingPathComponent("A.folio"), second = folder.appendingPathComponent("B.folio")
            for url in [first, second] { try await PersistentDocument.create(at: url, model: Library.model()).close() }
            try Disk.removeFile(first.path + "/store/store.sqlite")
            try Disk.copyFile(second.path + "/store/store.sqlite", to: first.path + "/store/store.sqlite")
            #expect(try await refusal(first)?.code == .malformed)
            #expect(try !DocumentVerifier.verify(first).isEmpty)
        }
    }

    /// Numbers that are raised with each save are refused where raising them would run over.
    @Test func numbersAtTheEndOfTheirRangeAreRefusedOrNotBelieved() async throws {
        let greatest = "9223372036854775807"
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            for title in ["one", "two"] {
                try Library.insertBook(title, document)
                try await document.save()
            }
            try await document.close()

            let counted = folder.appendingPathComponent("Counted.folio")
            try Disk.copyTree(url.path, to: counted.path)
            try change(counted.appendingPathComponent("manifest.json"), "\"Book\" : 2", "\"Book\" : \(greatest)")
            let first = try await PersistentDocument.open(counted)
            try Library.insertBook("three", first)
            try await first.save()
            try await first.close()
            #expect(try DocumentVerifier.verify(counted, isThorough: true).isEmpty)

            let indexed = folder.appendingPathComponent("Indexed.folio")
            try Disk.copyTree(url.path, to: indexed.path)
            try change(indexed.appendingPathComponent("versions/index.json"), "\"next\":3", "\"next\":\(greatest)")
            let second = try await PersistentDocument.open(indexed)
            #expect(throws: DocumentError.self) { try second.versions() }
            try Library.insertBook("three", second)
            try await second.save()
            #expect((second.postCommitError as? DocumentError)?.code == .malformed)
            #expect(try second.versions().count == 1)
            try await second.close()

            for key in ["FolioCommitCounter", "FolioGeneration"] {
                let marked = folder.appendingPathComponent("\(key).folio")
                try Disk.copyTree(url.path, to: marked.path)
                let store = try SQLitePersistentStore.open(
                    PersistentStoreDescription(url: marked.appendingPathComponent("store/store.sqlite")))
                var changes = ChangeSet()
                changes.metadata[key] = .string(greatest)
                _ = try store.apply(changes)
                try store.closeAsOneFile()
                for mode in [PersistentDocument.Mode.reading, .editing] {
                    #expect(try await refusal(marked, mode)?.code == .malformed)
                }
            }
        }
    }
}

extension HostileDocumentTests {
    @Test(.timeLimit(.minutes(1))) func anIndexOfManyKeysIsReadInTimeThatItsSizeTakes() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Disk.makeDirectories(url.path + "/versions")
            let keys = (0..<90_000).map { "\"\($0)\":1" }.joined(separator: ",")
            try Disk.replaceFile(url.path + "/versions/index.json", with: Array("{\(keys)}".utf8))
            let begin = ContinuousClock.now
            #expect(throws: DocumentError.self) { try document.versions() }
            #expect(begin.duration(to: .now) < .seconds(5))
            try await document.close()
        }
    }

    @Test func damageIsFoundPartByPart() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.fill(document.context)
            try await document.save()
            try await document.close()
            try Disk.replaceFile(url.path + "/mimetype", with: Array("text/plain".utf8))
            try Disk.removeTree(url.path + "/content")
            try change(url.appendingPathComponent("manifest.json"), "\"Author\" : 1", "\"Author\" : 7")
            let parts = Set(try DocumentVerifier.verify(url, isThorough: true).map(\.part))
            #expect(parts == ["mimetype", "manifest.json", "attachments"])
        }
    }

    @Test(arguments: [
        "store/store.sqlite-wal", "store/store.sqlite-journal", "store/other", ".hidden", "bin/sh", "manifest.json/x",
        "content/ab/x.lock",
    ])
    func whatHasNoPlaceInAnArchiveIsRefused(_ name: String) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), package = folder.appendingPathComponent("A.folio")
            try await PersistentDocument.create(at: package, model: Library.model()).close()
            var parts = try contents(of: package).sorted { $0.key < $1.key }.map {
                ArchivePart(name: $0.key, content: .bytes($0.value))
            }
            parts.append(ArchivePart(name: name, content: .bytes([1])))
            let file = try File(url.path, .create())
            try ArchiveWriter.write(parts, to: file)
            file.close()
            for mode in [PersistentDocument.Mode.reading, .editing] {
                #expect(try await refusal(url, mode)?.code == .malformed)
            }
        }
    }

    @Test func anArchivePackedByAnotherToolIsADocument() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), package = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: package, model: Library.model())
            try Library.insertBook("packed", document)
            try await document.save()
            try await document.close()
            // Any order, everything compressed.
            let parts = try contents(of: package).map { ArchivePart(name: $0.key, content: .bytes($0.value)) }
            let file = try File(url.path, .create())
            try ArchiveWriter.write(parts, to: file)
            file.close()
            let packed = try await PersistentDocument.open(url)
            #expect(try Library.titles(packed) == ["packed"])
            try Library.insertBook("saved", packed)
            try await packed.save()
            try await packed.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}

extension HostileDocumentTests {
    @Test(.enabled(if: runsSweeps)) func aReaderMeetsWholeDocumentsWhileTheyAreReplaced() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await PersistentDocument.create(at: url, model: Library.model()).close()
            let model = try Library.model()
            async let replacing: Void = Self.replace(url, model)
            for _ in 0..<40 {
                let reader = try await PersistentDocument.open(url, mode: .reading)
                do {
                    #expect(try Library.titles(reader).isEmpty)
                } catch let error as StorageError {
                    // Replaced after it was opened: said, not mixed up.
                    #expect(error.code == .busy)
                }
                try await reader.close()
                await Task.yield()
            }
            try await replacing
        }
    }

    @concurrent private static func replace(_ url: URL, _ model: ManagedObjectModel) async throws {
        for _ in 0..<20 { try await PersistentDocument.writeEmpty(at: url, model: model, replacing: true) }
    }
}
