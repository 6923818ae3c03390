import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteFile
import SQLiteKit
import Schema
import TestSupport
import Testing

/// The versions that a document keeps by itself, and what is restored from them.
struct DocumentVersionTests {
    private func path(_ url: URL) -> String { url.path + "/store/store.sqlite" }

    /// The bytes of a version of a package that nobody has open.
    private func bytes(of version: DocumentVersion, _ url: URL) throws -> [UInt8] {
        let target = url.path + ".restored"
        defer { _ = try? Disk.removeFileIfPresent(target) }
        let connection = try Connection.openForReading(path(url))
        try connection.withFiles {
            try VersionStore(folder: url.path + "/versions").restore(version.number, from: $0, to: target)
        }
        try connection.close()
        return try Disk.read(target, limit: 1 << 30)
    }

    @Test func everySaveKeepsTheStateBeforeIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            for number in 1...3 {
                try Library.insertBook("book \(number)", document)
                try await document.save()
                #expect(document.postCommitError == nil)
            }
            #expect(try document.versions().map(\.generation) == [0, 1, 2])
            #expect(try document.versions().allSatisfy { $0.reason == .save })
            // Autosaves and closing keep none.
            try Library.insertBook("autosaved", document)
            try await document.autosave()
            #expect(try document.versions().count == 3)
            try await document.save()
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(try again.versions().map(\.generation) == [0, 1, 2, 3])
            try await again.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test(.enabled(if: runsSweeps)) func aHundredVersionsAreByteExactAndTakeWhatChanged() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            for number in 0..<3_000 {
                try Library.insertBook(
                    "book \(number) " + String(repeating: "of many words ", count: number % 20), document)
            }
            try await document.save()
            let books = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
            var states: [Int: [UInt8]] = [:]
            for number in 1...100 {
                books[number * 29 % books.count]["title"] = "changed \(number)"
                try await document.save()
                states[number + 1] = try Connection.openForReading(path(url)).withFiles { files in
                    let state = files.state(at: nil)
                    var bytes = [UInt8](repeating: 0, count: Int(state.size))
                    for page in 0..<state.pageCount {
                        _ = try bytes.withUnsafeMutableBytes {
                            try state.read(
                                page: page,
                                into: UnsafeMutableRawBufferPointer(
                                    rebasing: $0[page * files.pageSize..<(page + 1) * files.pageSize]))
                        }
                    }
                    return bytes
                }
            }
            let versions = try document.versions()
            try await document.close()
            #expect(versions.count == 101)
            let size = Int64(try #require(states[101]).count)
            let total = versions.dropFirst(2).reduce(0) { $0 + $1.bytes }
            // Two bases at the most, and a hundred small differences: well below what a hundred
            // copies take.
            #expect(total < 100 * size / 10, "\(total) bytes for 100 versions of \(size)")
            for version in versions.dropFirst(2).reversed() {
                #expect(try bytes(of: version, url) == states[version.generation], "generation \(version.generation)")
            }
        }
    }
}

extension DocumentVersionTests {
    @Test func aRestoredVersionIsTheNewestSaveAndWhatWasThereIsKept() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            try await document.save()
            let book = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            book["title"] = "second"
            book["cover"] = Library.cover
            try await document.save()
            try Library.insertBook("autosaved", document)
            try await document.autosave()
            try Library.insertBook("pending", document)

            try await document.revert(to: try #require(try document.versions().last { $0.generation == 1 }))
            #expect(try Library.titles(document) == ["first"])
            #expect(book["title"] as? String == "first")
            #expect(!document.hasUnsavedChanges)
            let kept = try document.versions()
            #expect(kept.map(\.generation) == [0, 1, 2, 3])
            #expect(kept.map(\.reason) == [.save, .save, .autosave, .restore])
            #expect(document.manifest?.generation == 4)
            #expect(try Disk.list(url.path).map(\.name).allSatisfy { !$0.hasPrefix(".") })

            // And back again.
            try await document.revert(to: try #require(kept.last))
            #expect(try Library.titles(document) == ["autosaved", "pending", "second"])
            #expect(try (book["cover"] as? LargeValue)?.data() == Library.cover)
            book["title"] = "third"
            try await document.save()
            #expect(try document.versions().map(\.generation) == [0, 1, 2, 3, 4, 5])
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)

            try await PersistentDocument.restore(url, to: 1)
            let again = try await PersistentDocument.open(url, mode: .reading)
            #expect(try Library.titles(again) == ["first"])
            #expect(again.manifest?.generation == 7)
            try await again.close()
            for version in try VersionStore(folder: url.path + "/versions").list() { _ = try bytes(of: version, url) }
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio"])
        }
    }

    @Test func whileAnOutsideReaderHoldsAViewSavesSucceedAndRevertIsRight() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            try await document.save()
            let reader = try Connection.openForReading(path(url))
            try reader.execute("BEGIN")
            #expect(try reader.value("SELECT count(*) FROM ZBOOK")?.integer == 1)

            try Library.insertBook("second", document)
            try await document.save()
            #expect(document.postCommitError == nil)
            #expect(document.manifest?.generation == 1)
            try Library.insertBook("given up", document)
            try await document.autosave()
            try await document.revert()
            #expect(try Library.titles(document) == ["first", "second"])
            #expect(document.manifest?.generation == 2)
            #expect(try reader.value("SELECT count(*) FROM ZBOOK")?.integer == 1)
            try reader.execute("COMMIT")
            try reader.close()

            try Library.insertBook("third", document)
            try await document.save()
            #expect(try document.versions().map(\.generation) == [0, 1, 2])
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            #expect(try contents(of: url).keys.filter { $0.hasPrefix("store/") } == ["store/store.sqlite"])
        }
    }
}

extension DocumentVersionTests {
    @Test func workLeftOnASaveThatAReaderHeldUpCanBeDiscarded() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            try await document.save()
            let reader = try Connection.openForReading(path(url))
            try reader.execute("BEGIN")
            _ = try reader.value("SELECT count(*) FROM ZBOOK")
            try Library.insertBook("second", document)
            try await document.save()
            try Library.insertBook("left", document)
            try await document.autosave()
            try await document.close()
            try reader.execute("COMMIT")
            try reader.close()

            let again = try await PersistentDocument.open(url, recovery: .discard)
            #expect(try Library.titles(again) == ["first", "second"])
            #expect(!again.hasUnsavedChanges)
            #expect(try again.versions().map(\.generation) == [0, 1])
            try await again.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func aSaveStandsWhoseVersionCouldNotBeKeptAndTheNextOneKeepsIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("first", document)
            try await document.save()
            let main = try Disk.read(path(url), limit: 1 << 30)
            try Library.insertBook("second", document)
            try await FaultInjection.with(
                { call, path in call == .write && path.hasSuffix(".delta") ? .error(28) : nil }
            ) { try await document.save() }
            let reason = try #require(document.postCommitError as? DocumentError)
            #expect(reason.stage == .versioning)
            #expect(try Disk.read(path(url), limit: 1 << 30) == main, "nothing may be overwritten that is not kept")
            #expect(!document.hasUnsavedChanges)
            try Library.insertBook("third", document)
            try await document.save()
            #expect(document.postCommitError == nil)
            let versions = try document.versions()
            #expect(versions.map(\.generation) == [0, 1])
            try await document.close()
            #expect(try bytes(of: try #require(versions.last), url) == main)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func damagedVersionsHinderNeitherOpeningNorSaving() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            for title in ["first", "second"] {
                try Library.insertBook(title, document)
                try await document.save()
            }
            try await document.close()
            for damage in [Array("{\"format\":1".utf8), [0, 1, 2], Array("[]".utf8)] {
                try Disk.replaceFile(url.path + "/versions/index.json", with: damage)
                let again = try await PersistentDocument.open(url)
                #expect(throws: DocumentError.self) { try again.versions() }
                let count = try Library.titles(again).count
                try Library.insertBook("more", again)
                try await again.save()
                #expect((again.postCommitError as? DocumentError)?.stage == .versioning)
                // What was set aside is still there, and versions begin anew.
                #expect(try again.versions().count == 1)
                #expect(try Library.titles(again).count == count + 1)
                try await again.close()
                #expect(try DocumentInfo(of: url).entities["Book"] == count + 1)
            }
            #expect(try Disk.list(url.path).filter { $0.name.hasPrefix("versions.damaged-") }.count == 3)
        }
    }
}

extension DocumentVersionTests {
    @Test func pinnedVersionsStayAndRemovedOnesGo() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            for number in 0..<4 {
                try Library.insertBook("book \(number)", document)
                try await document.save()
            }
            let versions = try document.versions()
            try document.setPinned(true, versions[1])
            try document.setName("draft", of: versions[1])
            try document.removeVersions([versions[0], versions[2]])
            #expect(try document.versions().map(\.generation) == [1, 3])
            #expect(try document.versions()[0].isPinned)
            #expect(try document.versions()[0].name == "draft")
            try await document.revert(to: versions[1])
            #expect(try Library.titles(document) == ["book 0"])
            #expect(throws: DocumentError.self) { try document.setPinned(true, versions[0]) }
            try await document.close()
        }
    }

    @Test func anyStateOfADocumentCanBeReadAndLeavesNothingBehind() async throws {
        try await withFolder { folder in
            for form in [DocumentForm.package, .archive] {
                let url = folder.appendingPathComponent("A-\(form)")
                let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
                try Library.fill(document.context)
                try await document.save()
                let novel = try #require(
                    try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
                novel["cover"] = Library.cover + Data([1])
                try await document.save()
                novel["cover"] = nil
                try Library.insertBook("autosaved", document)
                try await document.autosave()
                let before = try contents(of: folder)

                func titles(_ state: DocumentState) async throws -> [String] {
                    let old = try await PersistentDocument.open(url, mode: .reading, state: state, fitting: .own)
                    let titles = try Library.titles(old)
                    try await old.close()
                    return titles
                }
                #expect(try await titles(.newest) == ["Essays", "Middlemarch", "autosaved"])
                #expect(try await titles(.autosaved) == ["Essays", "Middlemarch", "autosaved"])
                #expect(try await titles(.saved) == ["Essays", "Middlemarch"])
                #expect(try await titles(.version(2)) == ["Essays", "Middlemarch"])
                if form == .package {
                    let first = try await PersistentDocument.open(url, version: 1)
                    let old = try #require(
                        try first.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
                    #expect(try (old["cover"] as? LargeValue)?.data() == Library.cover)
                    #expect(first.manifest?.generation == 1)
                    await #expect(throws: DocumentError.self) { try await first.save() }
                    try await first.close()
                    #expect(try await titles(.version(0)).isEmpty)
                }
                await #expect(throws: DocumentError.self) { _ = try await titles(.version(7)) }
                #expect(try contents(of: folder) == before)
                try await document.close(discardingUnsavedWork: true)
                await #expect(throws: DocumentError.self) { _ = try await titles(.autosaved) }
            }
        }
    }
}

extension DocumentVersionTests {
    @Test func largeValuesGoWhenNeitherTheDocumentNorAVersionRefersToThem() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            func values() throws -> Int { try contents(of: url).keys.count { $0.hasPrefix("content/") } }
            var document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.fill(document.context)
            try await document.save()
            let novel = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
            for byte in [UInt8(1), 2] {
                novel["cover"] = Library.cover + Data([byte])
                try await document.save()
            }
            try await document.close()
            #expect(try values() == 3, "versions refer to two of them")
            document = try await PersistentDocument.open(url)
            try document.removeVersions(try document.versions().filter { $0.generation == 1 })
            #expect(try values() == 3)
            try await document.close()
            #expect(try values() == 2)
            let version = try await PersistentDocument.open(url, version: 2)
            let old = try #require(try version.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
            #expect(try (old["cover"] as? LargeValue)?.data() == Library.cover + Data([1]))
            try await version.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}
