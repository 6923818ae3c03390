import ArchiveKit
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

/// A document in one zip file. Working sets go to the state folder of the user, which the tests
/// leave as they found it.
@Suite(.serialized) struct ArchiveTests {
    private func workingSets(_ uuid: String) throws -> [String] {
        let path = StateFolder.documents + "/" + uuid
        return try Disk.exists(path) ? Disk.list(path).map(\.name) : []
    }

    /// An editor that closes takes the folder away between two looks of whoever reads.
    @Test func aWorkingSetThatGoesWhileItIsLookedForIsNone() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("saved", document)
            try await document.save()
            let sets = StateFolder.documents + "/" + document.uuid
            for nth in 1... {
                let count = Mutex(0)
                let hook: FaultInjection.Hook = { _, path in
                    guard path.hasPrefix(sets) else { return nil }
                    return count.withLock {
                        $0 += 1
                        return $0 == nth ? .error(2) : nil
                    }
                }
                let info = try FaultInjection.with(hook) { try DocumentInfo(of: url) }
                #expect(info.entities["Book"] == 1, "call \(nth)")
                if count.withLock({ $0 }) < nth { break }
                #expect(nth < 200)
            }
            try await document.close()
        }
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
            let novel = try #require(try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
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
}

extension ArchiveTests {
    @Test func autosavedWorkIsFoundAfterTheArchiveWasPutBackFromABackupOfItsOwn() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), other = folder.appendingPathComponent("B.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("autosaved", document)
            try await document.autosave()
            let uuid = document.uuid
            try await document.close()
            // The same content in another file: with its own place it is the document, elsewhere it
            // is a copy that nobody has edited.
            let bytes = try Disk.read(url.path, limit: 1 << 30)
            try Disk.replaceFile(other.path, with: bytes)
            try Disk.replaceFile(url.path, with: bytes)

            let copy = try await PersistentDocument.open(other)
            #expect(try Library.titles(copy) == [])
            try await copy.close()
            let kept = try await PersistentDocument.open(url, recovery: .keep)
            #expect(kept.recovered != nil)
            #expect(try Library.titles(kept) == ["autosaved"])
            try await kept.save()
            try await kept.close()
            #expect(try workingSets(uuid).isEmpty)
        }
    }

    @Test func openingWaitsForNoDiskAndTheFirstCommitDoes() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let made = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("saved", made)
            try await made.save()
            try await made.close()
            let synchronized = Mutex<[String]>([])
            func noted() -> [String] {
                synchronized.withLock { paths in
                    defer { paths = [] }; return paths
                }
            }
            let note: FaultInjection.Hook = { call, path in
                if call == .fsync { synchronized.withLock { $0.append(path) } }
                return nil
            }
            try await FaultInjection.with(note) {
                let looked = try await PersistentDocument.open(url)
                #expect(try Library.titles(looked) == ["saved"])
                try await looked.close()
                #expect(noted() == [])

                let document = try await PersistentDocument.open(url)
                let set = StateFolder.documents + "/\(document.uuid)/" + (try workingSets(document.uuid).first ?? "")
                #expect(noted() == [])
                try Library.insertBook("autosaved", document)
                try await document.autosave()
                // Before the commit, the folder that it is in and all that leads there.
                let paths = noted()
                let commit = try #require(paths.firstIndex(of: set + "/store/store.sqlite-wal"))
                for needed in [set + "/origin.json", set + "/store", set, FilePath.parent(set), StateFolder.documents] {
                    #expect(paths[..<commit].contains(needed), "\(needed) of \(paths)")
                }
                try await document.close(discardingUnsavedWork: true)
            }
        }
    }

    @Test func aWorkingSetThatAPowerCutHasHollowedOutIsCleanedAway() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let made = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("saved", made)
            try await made.save()
            let uuid = made.uuid
            try await made.close()
            // What may be left of sets in which nothing was committed: the name alone, and files
            // that have their length and not their content.
            for (name, note) in [("1", nil), ("1-2", []), ("1-3", [UInt8](repeating: 0, count: 200))]
                as [(String, [UInt8]?)]
            {
                let set = "\(StateFolder.documents)/\(uuid)/\(name)"
                try Disk.makeDirectories(set + "/content")
                if let note { try Disk.replaceFile(set + "/origin.json", with: note) }
            }
            // Or the note alone, of just this archive, and no place for a WAL.
            let open = try await PersistentDocument.open(url)
            let set = try #require(
                try workingSets(uuid).first { name in try Disk.exists("\(StateFolder.documents)/\(uuid)/\(name)/store")
                })
            let note = try Disk.read("\(StateFolder.documents)/\(uuid)/\(set)/origin.json", limit: 1 << 20)
            try await open.close()
            try Disk.makeDirectories("\(StateFolder.documents)/\(uuid)/1-4")
            try Disk.replaceFile("\(StateFolder.documents)/\(uuid)/1-4/origin.json", with: note)
            let reader = try await PersistentDocument.open(url, mode: .reading)
            #expect(try Library.titles(reader) == ["saved"])
            try await reader.close()

            let document = try await PersistentDocument.open(url)
            #expect(document.recovered == nil)
            #expect(try Library.titles(document) == ["saved"])
            try Library.insertBook("next", document)
            try await document.save()
            try await document.close()
            #expect(try workingSets(uuid).isEmpty)
        }
    }
}

extension ArchiveTests {
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

/// An archive's store is read where it lies.
@Suite(.serialized) struct ArchiveInPlaceTests {
    private func workingSets(_ uuid: String) throws -> [String] {
        let path = StateFolder.documents + "/" + uuid
        return try Disk.exists(path) ? Disk.list(path).map { path + "/" + $0.name } : []
    }

    @Test func nothingIsTakenOutOfAnArchiveThatIsOpen() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.fill(document.context)
            try await document.save()
            for round in 1...3 {
                try Library.insertBook("round \(round)", document)
                try await document.autosave()
                let set = try #require(try workingSets(document.uuid).first)
                #expect(try Disk.list(set + "/store").map(\.name) == ["store.sqlite-wal"])
                #expect(try Disk.list(set + "/content").isEmpty)
                try await document.save()
                #expect(try workingSets(document.uuid).count == 1)
                #expect(document.manifest?.generation == round + 1)
            }
            let novel = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
            document.context.refreshAllObjects()
            #expect(try (novel["cover"] as? LargeValue)?.data() == Library.cover)
            // Elsewhere, values that only the archive has go along.
            try await document.write(to: folder.appendingPathComponent("B.folio"), form: .package)
            let uuid = document.uuid
            try await document.close()
            #expect(try workingSets(uuid).isEmpty)
            for name in ["A.folioz", "B.folio"] {
                #expect(try DocumentVerifier.verify(folder.appendingPathComponent(name), isThorough: true).isEmpty)
                #expect(
                    try DocumentInfo(of: folder.appendingPathComponent(name), countsObjects: true).attachments.count
                        == 1)
            }
            #expect(try Disk.list(folder.path).map(\.name).sorted() == ["A.folioz", "B.folio"])
        }
    }

    @Test func aValueThatWasAutosavedIsReadOnAfterTheSave() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.fill(document.context)
            try await document.autosave()
            document.context.refreshAllObjects()
            let novel = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
            let value = try #require(novel["cover"] as? LargeValue)
            try await document.save()
            #expect(try value.data() == Library.cover)
            novel["cover"] = Library.cover + Data([1])
            try await document.save()
            #expect(try value.data() == Library.cover)
            document.context.undoManager?.undo()
            try await document.close()
        }
    }

    @Test func savingTheSameContentAgainGivesTheSameBytesButForTheSavesOwnMarks() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.fill(document.context)
            try await document.save()
            let first = try ZipDirectory(File(url.path))
            try Library.insertBook("more", document)
            try await document.save()
            try await document.close()
            let second = try ZipDirectory(File(url.path))
            func names(_ directory: ZipDirectory) -> [String] {
                // Each save keeps the state before it for merges.
                directory.entries.map(\.name).filter { !$0.hasPrefix("extra/folio-merge/states/") }
            }
            #expect(names(second) == names(first))
            let unchanged = first.entries.filter { $0.name.hasPrefix("content/") || $0.name.hasPrefix("model/") }
            #expect(unchanged.count == 2)
            for entry in unchanged {
                #expect(second[entry.name]?.crc32 == entry.crc32)
                #expect(second[entry.name]?.compressedSize == entry.compressedSize)
            }
        }
    }
}

extension ArchiveInPlaceTests {
    @Test func anArchiveWithACompressedStoreIsOpenedAndSavedToo() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), compressed = folder.appendingPathComponent("B.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.fill(document.context)
            try await document.save()
            try await document.close()
            let reader = try ArchiveReader(File(url.path))
            let parts = try reader.directory.entries.map { entry in
                ArchivePart(
                    name: entry.name, content: .bytes(try reader.read(entry.name, limit: 1 << 30)),
                    isStored: entry.name == "mimetype")
            }
            try ArchiveWriter.write(parts, to: File(compressed.path, .create()))
            #expect(try ZipDirectory(File(compressed.path)).storedRange(of: "store/store.sqlite") == nil)

            let again = try await PersistentDocument.open(compressed)
            #expect(try Library.titles(again) == ["Essays", "Middlemarch"])
            try Library.insertBook("third", again)
            try await again.autosave()
            let seen = try await PersistentDocument.open(compressed, mode: .reading)
            #expect(try Library.titles(seen) == ["Essays", "Middlemarch", "third"])
            try await seen.close()
            try await again.save()
            try await again.close()
            #expect(try DocumentVerifier.verify(compressed, isThorough: true).isEmpty)
            #expect(try ZipDirectory(File(compressed.path)).storedRange(of: "store/store.sqlite") != nil)
        }
    }

    @Test func aDamagedStoreIsRefusedBeforeItIsOpened() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            try await PersistentDocument.create(at: url, model: Library.model(), form: .archive).close()
            let range = try #require(try ZipDirectory(File(url.path)).storedRange(of: "store/store.sqlite"))
            var bytes = try Disk.read(url.path, limit: 1 << 30)
            bytes[Int(range.offset + range.length) - 1] ^= 1
            try Disk.replaceFile(url.path, with: bytes)
            for mode in [PersistentDocument.Mode.reading, .editing] {
                do {
                    _ = try await PersistentDocument.open(url, mode: mode)
                    Issue.record("opened")
                } catch let error as DocumentError {
                    #expect(error.code == .malformed)
                }
            }
        }
    }

    /// How often a file is read while `body` runs.
    private func reads(_ url: URL, _ body: () async throws -> Void) async throws -> Int {
        let count = Atomic<Int>(0)
        try await FaultInjection.with(
            { call, path in
                if call == .read, path == url.path { count.add(1, ordering: .relaxed) }
                return nil
            }, body)
        return count.load(ordering: .relaxed)
    }

    @Test func aLargeArchiveIsReadNoMoreThanASmallOneUntilItsFirstObject() async throws {
        try await withFolder { folder in
            var counts: [Int] = []
            for size in [75, 150] {
                let url = folder.appendingPathComponent("\(size).folioz")
                let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
                let text = String(repeating: "long ", count: 19_000)
                for number in 0..<size * 11 { try Library.insertBook("\(number) " + text, document) }
                let author = try document.context.insert("Author")
                author["name"] = "Eliot"
                try await document.save()
                try await document.close()
                #expect(try Disk.status(of: url.path)?.size ?? 0 > Int64(size) << 20)
                counts.append(
                    try await reads(url) {
                        for mode in [PersistentDocument.Mode.reading, .editing] {
                            let again = try await PersistentDocument.open(url, mode: mode)
                            let found = try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first
                            #expect(found?["name"] as? String == "Eliot")
                            if mode == .editing {
                                found?["name"] = "Evans"
                                try await again.autosave()
                                try await again.close(discardingUnsavedWork: true)
                            } else {
                                try await again.close()
                            }
                        }
                    })
                try Disk.removeFile(url.path)
            }
            #expect(abs(counts[1] - counts[0]) < 20, "\(counts)")
            #expect(counts[1] < 400, "\(counts)")
        }
    }
}
