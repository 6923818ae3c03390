import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteKit
import Schema
import Storage
import TestSupport
import Testing

/// Pages of a package's store that are not what the last save wrote.
struct SavedPagesTests {
    /// A package that was saved twice, with books whose text SQLite has no reason to doubt. It
    /// keeps no versions.
    private func makePackage(_ url: URL) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model())
        for number in 0..<200 {
            try Library.insertBook("book \(number) " + String(repeating: "x", count: 200), document)
        }
        try await document.save()
        try Library.insertBook("one more", document)
        try await document.save()
        try await document.close()
        let versions = VersionStore(folder: url.path + "/versions")
        try versions.remove(Set(versions.list().map(\.number)))
    }

    private func store(of url: URL) -> String { url.path + "/store/store.sqlite" }

    private func flip(_ url: URL, at place: Int) throws {
        let file = try File(store(of: url), .readWrite)
        var byte: UInt8 = 0
        _ = try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: Int64(place)) }
        byte ^= 0x10
        try withUnsafeBytes(of: byte) { try file.write($0, at: Int64(place)) }
    }

    private func expectRefusal(_ operation: () async throws -> Void) async {
        let error = await #expect(throws: DocumentError.self) { try await operation() }
        #expect(error?.code == .malformed, "\(String(describing: error))")
    }

    @Test(arguments: [1, 99, 100, 101, 4095, 4096, 4097, 10_000, 262_144])
    func theSumOfAFileIsTheSameInPiecesOfAnyLength(length: Int) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await makePackage(url)
            let whole = try Disk.read(store(of: url), limit: 1 << 30)
            // The last page may be cut off.
            for bytes in [whole, whole.dropLast(1000), Array(whole.prefix(60)), []] as [[UInt8]] {
                let path = folder.path + "/copy"
                try Disk.replaceFile(path, with: bytes)
                var sum = DatabaseSum()
                for start in stride(from: 0, to: bytes.count, by: length) {
                    bytes[start..<min(start + length, bytes.count)].withUnsafeBytes { sum.take($0) }
                }
                #expect(try sum.sum == DatabaseSum(of: File(path, .read)).sum)
                guard bytes.count > 5000 else { continue }
                sum = DatabaseSum()
                var altered = bytes
                altered[5000] ^= 1
                altered.withUnsafeBytes { sum.take($0) }
                #expect(try sum.sum != DatabaseSum(of: File(path, .read)).sum)
            }
        }
    }

    @Test func alteredTextIsFoundAndNotCopied() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await makePackage(url)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            let bytes = try Disk.read(store(of: url), limit: 1 << 30), text = Array("book 150 xxx".utf8)
            let place = try #require(bytes.indices.first { bytes[$0] == text[0] && bytes[$0...].starts(with: text) })
            try flip(url, at: place + 12)
            #expect(try DocumentVerifier.verify(url).map(\.part) == ["store"])
            let reader = try await PersistentDocument.open(url, mode: .reading)
            await expectRefusal { try await reader.write(to: folder.appendingPathComponent("B.folio")) }
            await expectRefusal { try reader.checkSavedPages() }
            try await reader.close()
            await expectRefusal {
                _ = try await PersistentDocument.pack(url, to: folder.appendingPathComponent("B.folioz"))
            }
            // A save of something else does not make it good.
            let editor = try await PersistentDocument.open(url)
            try Library.insertBook("a third", editor)
            try await editor.save()
            try await editor.close()
            #expect(try DocumentVerifier.verify(url).map(\.part).contains("store"))
            #expect(try Disk.names(in: folder.path) == ["A.folio"])
        }
    }
}

extension SavedPagesTests {
    @Test(arguments: ["pageSum", "changeCounter", "checksum"]) func anAlteredSumIsNotHandedOn(name: String) async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), path = url.path + "/manifest.json"
            try await makePackage(url)
            var text = String(decoding: try Disk.read(path, limit: 1 << 20), as: UTF8.self)
            let key = try #require(text.range(of: "\"\(name)\"")),
                digit = try #require(text[key.upperBound...].firstIndex { $0.isHexDigit })
            text.replaceSubrange(digit...digit, with: text[digit] == "1" ? "2" : "1")
            try Disk.replaceFile(path, with: Array(text.utf8))
            #expect(try DocumentVerifier.verify(url, isThorough: true).map(\.part) == ["manifest.json"])
            let document = try await PersistentDocument.open(url)
            for title in ["a third", "a fourth"] {
                try Library.insertBook(title, document)
                try await document.save()
            }
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true) == [])
            let reader = try await PersistentDocument.open(url, mode: .reading)
            try reader.checkSavedPages()
            try await reader.close()
        }
    }

    @Test func everyPageCounts() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await makePackage(url)
            let size = try Int(#require(try Disk.status(of: store(of: url))).size)
            for page in 0..<size / 4096 {
                let place = page * 4096 + Int.random(in: 0..<4096)
                try flip(url, at: place)
                #expect(try !DocumentVerifier.verify(url, isThorough: true).isEmpty, "byte \(place)")
                try flip(url, at: place)
            }
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func theSumFollowsSavesOfAllKinds() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await makePackage(url)
            var sums: Set<String> = []
            func expectSound() throws {
                let manifest = try DocumentManifest.decode(
                    Disk.read(url.path + "/manifest.json", limit: 1 << 20), path: url.path)
                #expect(try sums.insert(#require(manifest.store.pageSum)).inserted)
                #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            }
            let document = try await PersistentDocument.open(url)
            for step in 0..<5 {
                let books = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
                switch step {
                case 0: for book in books.prefix(100) { document.context.delete(book) }
                case 1: for number in 0..<600 { try Library.insertBook("another \(number)", document) }
                case 2: books[0]["cover"] = Library.cover
                default: books[step]["title"] = "changed"
                }
                if step == 3 { try await document.autosave() }
                try await document.save()
                #expect(document.postCommitError == nil)
                try expectSound()
            }
            try await document.close()
            let version = try #require(try VersionStore(folder: url.path + "/versions").list().first)
            try await PersistentDocument.restore(url, to: version.generation)
            try expectSound()
            let archive = folder.appendingPathComponent("B.folioz"), package = folder.appendingPathComponent("C.folio")
            _ = try await PersistentDocument.pack(url, to: archive)
            _ = try await PersistentDocument.unpack(archive, to: package)
            for copy in [archive, package] { #expect(try DocumentVerifier.verify(copy, isThorough: true).isEmpty) }
        }
    }
}

extension SavedPagesTests {
    @Test func whatASaveLeftUndoneIsNoDamage() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), left = folder.appendingPathComponent("B.folio")
            try await makePackage(url)
            let document = try await PersistentDocument.open(url)
            try Library.insertBook("a third", document)
            let isManifest: FaultInjection.Hook = { call, path in
                call == .rename && path.hasSuffix("/manifest.json") ? .error(5) : nil
            }
            try await FaultInjection.with(isManifest) {
                try await document.save()
                #expect(document.postCommitError != nil)
                // As a crash between the checkpoint and the manifest leaves it.
                try Disk.copyTree(url.path, to: left.path)
            }
            try await document.close()
            #expect(try DocumentVerifier.verify(left, isThorough: true).isEmpty)
            try await PersistentDocument.open(left).close()
            for url in [url, left] {
                #expect(
                    try DocumentManifest.decode(Disk.read(url.path + "/manifest.json", limit: 1 << 20), path: url.path)
                        .store
                        .pageSum != nil)
                #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            }
        }
    }

    @Test func aChangeThroughSQLiteIsNoDamageAndTheNextSaveTakesItUp() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), copy = folder.appendingPathComponent("B.folioz")
            try await makePackage(url)
            #expect(try !DocumentVerifier.isChangedOutside(url))
            let outside = try Connection(store(of: url), .readWrite)
            try outside.run("UPDATE ZBOOK SET ZTITLE = ZTITLE || hex(zeroblob(3000)) WHERE Z_PK < 20")
            try outside.close()
            #expect(try DocumentVerifier.isChangedOutside(url))
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            _ = try await PersistentDocument.pack(url, to: copy)
            let document = try await PersistentDocument.open(url)
            try Library.insertBook("a third", document)
            try await document.save()
            try await document.close()
            #expect(try !DocumentVerifier.isChangedOutside(url))
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            try flip(url, at: 5000)
            #expect(try !DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func alteredTextOfTheManifestAndTheModelIsFound() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await makePackage(url)
            let names =
                ["manifest.json", "mimetype"]
                + (try contents(of: url).keys.filter { $0.hasPrefix("model/") && $0.hasSuffix("/contents") })
            #expect(names.count == 3)
            for name in names {
                let path = url.path + "/" + name, good = try Disk.read(path, limit: 1 << 20)
                for _ in 0..<20 {
                    var bytes = good
                    bytes[Int.random(in: bytes.indices)] ^= 1 << UInt8.random(in: 0..<8)
                    try Disk.replaceFile(path, with: bytes)
                    #expect(
                        try !DocumentVerifier.verify(url).isEmpty, "\(name): \(String(decoding: bytes, as: UTF8.self))")
                }
                try Disk.replaceFile(path, with: good)
            }
            #expect(try DocumentVerifier.verify(url).isEmpty)
        }
    }
}
