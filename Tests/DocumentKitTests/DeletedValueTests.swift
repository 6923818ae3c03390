import ArchiveKit
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

/// Large values to which nothing refers any more are not in the document.
struct DeletedValueTests {
    fileprivate static func cover(_ number: UInt8) -> Data { Library.cover + [number] }

    fileprivate func values(_ url: URL) throws -> [String] {
        if try Disk.kind(of: url.path) == .directory {
            return try contents(of: url).keys.filter { $0.hasPrefix("content/") }.sorted()
        }
        let reader = try ArchiveReader(File(url.path, .read)) { _ in true }
        return reader.directory.entries.map(\.name).filter { $0.hasPrefix("content/") }.sorted()
    }

    fileprivate func make(_ url: URL, _ form: DocumentForm, covers: ClosedRange<UInt8> = 1...1) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
        for number in covers {
            let book = try document.context.insert("Book")
            book["title"] = "\(number)"
            book["cover"] = Self.cover(number)
        }
        try await document.save()
        try await document.close()
    }

    fileprivate func edit(_ url: URL, _ body: (PersistentDocument) throws -> Void) async throws {
        let document = try await PersistentDocument.open(url)
        try body(document)
        try await document.save()
        try await document.close()
    }

    fileprivate func book(_ title: String, in document: PersistentDocument) throws -> ManagedObject {
        try #require(
            try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first {
                $0["title"] as? String == title
            })
    }

    fileprivate func delete(_ title: String, in document: PersistentDocument) throws {
        document.context.delete(try book(title, in: document))
    }

    @Test func aDeletedValueLeavesAnArchiveWithTheSave() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            try await make(url, .archive, covers: 1...2)
            #expect(try values(url).count == 2)
            try await edit(url) { try delete("1", in: $0) }
            #expect(try values(url).count == 1)
            #expect(try DocumentInfo(of: url).attachments.count == 1)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            // A replaced one, too.
            try await edit(url) { try book("2", in: $0)["cover"] = Self.cover(3) }
            #expect(try values(url).count == 1)
            try await edit(url) { try book("2", in: $0)["cover"] = Data([1]) }
            #expect(try values(url).isEmpty)
        }
    }

    /// Saves of other processes that write large values in between do not hold it.
    @Test func aDeletedValueLeavesAPackageWithTheVersionThatHeldIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url, .package)
            try await edit(url) { try delete("1", in: $0) }
            #expect(try values(url).count == 1)
            for title in ["a", "b"] { try await edit(url) { try Library.insertBook(title, $0) } }
            let document = try await PersistentDocument.open(url)
            let doomed = try document.versions().filter { $0.generation <= 1 }
            try document.removeVersions(doomed)
            try await document.close()
            #expect(try values(url).isEmpty)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func aDeletedValueLeavesAnArchiveWithTheVersionThatHeldIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), packed = folder.appendingPathComponent("B.folioz")
            try await make(url, .package)
            try await edit(url) { try delete("1", in: $0) }
            try await PersistentDocument.pack(url, to: packed, withVersions: true)
            #expect(try values(packed).count == 1)
            try await edit(packed) { try Library.insertBook("a", $0) }
            #expect(try values(packed).count == 1)
            #expect(try DocumentVerifier.verify(packed, isThorough: true).isEmpty)
        }
    }
}

extension DeletedValueTests {
    @Test func undoBringsBackWhatSavesHaveTakenOutOfTheArchive() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            try await make(url, .archive, covers: 1...2)
            let document = try await PersistentDocument.open(url)
            // One that the archive never had.
            let third = try document.context.insert("Book")
            third["title"] = "3"
            third["cover"] = Self.cover(3)
            try await document.autosave()
            document.context.refreshAllObjects()
            document.context.undoManager?.removeAllActions()
            for title in ["1", "2", "3"] {
                try delete(title, in: document)
                try await document.save()
                try Library.insertBook("other \(title)", document)
                try await document.save()
            }
            #expect(try values(url).isEmpty)
            for _ in 0..<6 { document.context.undoManager?.undo() }
            try await document.save()
            for number: UInt8 in 1...3 {
                let value = try #require(try book("\(number)", in: document)["cover"] as? LargeValue)
                #expect(try value.data() == Self.cover(number))
            }
            try await document.close()
            #expect(try values(url).count == 3)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    /// A value that nothing refers to, as writers before this have left it.
    private func plant(in url: URL) throws {
        let value = Self.cover(9), name = ContentFolder.name(for: value)
        let group = url.appendingPathComponent("content/\(name.prefix(2).lowercased())")
        try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
        try value.write(to: group.appendingPathComponent(name))
    }

    @Test func packingAndUnpackingAndCopyingTakeNoUnusedValueAlong() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url, .package)
            try plant(in: url)
            #expect(try DocumentVerifier.unusedValues(of: url) == [ContentFolder.name(for: Self.cover(9))])
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            for withVersions in [false, true] {
                let packed = folder.appendingPathComponent("P\(withVersions).folioz"),
                    unpacked = folder.appendingPathComponent("U\(withVersions).folio")
                try await PersistentDocument.pack(url, to: packed, withVersions: withVersions)
                #expect(try values(packed).count == 1)
                #expect(try DocumentInfo(of: packed).attachments.count == 1)
                #expect(try DocumentVerifier.verify(packed, isThorough: true).isEmpty)
                try await PersistentDocument.unpack(packed, to: unpacked)
                #expect(try values(unpacked).count == 1)
                let document = try await PersistentDocument.open(url, mode: .reading)
                let copy = folder.appendingPathComponent("C\(withVersions).folioz")
                try await document.write(to: copy, form: .archive, includingVersions: withVersions)
                try await document.close()
                #expect(try values(copy).count == 1)
            }
            // An archive with an unused value, made by another program.
            let other = folder.appendingPathComponent("Z.folioz"), back = folder.appendingPathComponent("Z.folio")
            let manifest = try PackageReader(url.path).manifest()
            try ArchiveFile.pack(
                url.path, store: url.path + "/store/store.sqlite", manifest: manifest, includesVersions: false,
                to: other.path, .open)
            #expect(try values(other).count == 2)
            #expect(try DocumentVerifier.unusedValues(of: other).count == 1)
            try await PersistentDocument.unpack(other, to: back)
            #expect(try values(back).count == 1)
            #expect(try DocumentVerifier.verify(back, isThorough: true).isEmpty)
        }
    }

    /// The next editor removes what a process left that ended before it could.
    @Test func valuesThatAKilledProcessLeftAreRemovedByTheNextEditor() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), other = folder.appendingPathComponent("after")
            try await make(url, .package)
            let document = try await PersistentDocument.open(url)
            try delete("1", in: document)
            try await document.save()
            try document.removeVersions(document.versions())
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
            for name in ["A.folio", ".A.folio.lock"] {
                try FileManager.default.copyContents(
                    of: folder.appendingPathComponent(name), to: other.appendingPathComponent(name))
            }
            try await document.close()
            let left = other.appendingPathComponent("A.folio")
            #expect(try values(left).count == 1)
            try await edit(left) { try Library.insertBook("a", $0) }
            #expect(try values(left).isEmpty)
        }
    }

    /// Work that was set aside may refer to a value; with it the value goes.
    @Test func aValueOfDiscardedWorkGoesWithTheNextSave() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url, .package)
            let document = try await PersistentDocument.open(url)
            let book = try document.context.insert("Book")
            book["cover"] = Self.cover(7)
            try await document.autosave()
            try await document.revert()
            try await document.close()
            try await edit(url) { try Library.insertBook("a", $0) }
            #expect(try values(url).count == 1)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}
