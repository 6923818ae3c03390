import ArchiveKit
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import Synchronization
import TestSupport
import Testing

/// Large stores in archives, whose pages are checked as they are read. Stores of some hundred pages
/// are large here.
struct PageSumsTests {
    private static let largest: Int64 = 40_000

    /// An archive with 3,000 books, and one author whose pages come before.
    private func makeArchive(_ url: URL) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
        let author = try document.context.insert("Author")
        author["name"] = "Eliot"
        for number in 0..<3000 {
            try Library.insertBook("book \(number) " + String(repeating: "x", count: 100), document)
        }
        try await document.save()
        try await document.close()
    }

    private func withLargeStores(_ body: (URL) async throws -> Void) async throws {
        try await StoreCheck.$largestWhole.withValue(Self.largest) { try await withFolder { try await body($0) } }
    }

    private func flip(_ url: URL, at place: Int64) throws {
        let file = try File(url.path, .readWrite)
        var byte: UInt8 = 0
        _ = try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: place) }
        byte ^= 0x10
        try withUnsafeBytes(of: byte) { try file.write($0, at: place) }
    }

    @Test func aLargeStoreHasSumsAndASmallOneHasNone() async throws {
        try await withLargeStores { folder in
            let large = folder.appendingPathComponent("L.folioz"), small = folder.appendingPathComponent("S.folioz")
            try await makeArchive(large)
            try await StoreCheck.$largestWhole.withValue(64 << 20) { try await makeArchive(small) }
            #expect(try ZipDirectory(File(small.path))["store/store.sums"] == nil)
            let directory = try ZipDirectory(File(large.path))
            let sums = try #require(directory["store/store.sums"]),
                store = try #require(directory["store/store.sqlite"])
            #expect(sums.size == 32 + 4 * ((store.size + 4095) / 4096))
            #expect(try DocumentVerifier.verify(large, isThorough: true).isEmpty)
            // A save makes them anew; a package has none, and packing it makes them again.
            let document = try await PersistentDocument.open(large)
            try Library.insertBook("one more", document)
            try await document.save()
            try await document.close()
            #expect(try ZipDirectory(File(large.path))["store/store.sums"]?.crc32 != sums.crc32)
            let package = folder.appendingPathComponent("P.folio"), packed = folder.appendingPathComponent("Q.folioz"),
                again = folder.appendingPathComponent("R.folioz")
            _ = try await PersistentDocument.unpack(large, to: package)
            #expect(try contents(of: package).keys.filter { $0.hasPrefix("store/") } == ["store/store.sqlite"])
            _ = try await PersistentDocument.pack(package, to: packed)
            _ = try await PersistentDocument.pack(package, to: again)
            #expect(try ZipDirectory(File(packed.path))["store/store.sums"] != nil)
            #expect(try Disk.read(packed.path, limit: 1 << 30) == Disk.read(again.path, limit: 1 << 30))
            for url in [large, packed, package] { #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty) }
        }
    }

    @Test func openingReadsInProportionToWhatIsShown() async throws {
        try await withLargeStores { folder in
            let url = folder.appendingPathComponent("A.folioz")
            try await makeArchive(url)
            let pages = try #require(try ZipDirectory(File(url.path))["store/store.sqlite"]).size / 4096
            #expect(pages > 100)
            let reads = Mutex(0)
            let hook: FaultInjection.Hook = { call, path in
                if call == .read, path.hasSuffix("A.folioz") { reads.withLock { $0 += 1 } }
                return nil
            }
            try await FaultInjection.with(hook) {
                let document = try await PersistentDocument.open(url, mode: .reading)
                #expect(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).count == 1)
                try await document.close()
            }
            #expect(reads.withLock { $0 } < 70, "\(reads.withLock { $0 }) reads for \(pages) pages")
        }
    }
}

extension PageSumsTests {
    @Test(arguments: [PersistentDocument.Mode.reading, .editing]) func aDamagedPageIsNoticedWhenItIsReadAndNotBefore(
        mode: PersistentDocument.Mode
    ) async throws {
        try await withLargeStores { folder in
            let url = folder.appendingPathComponent("A.folioz")
            try await makeArchive(url)
            let range = try #require(try ZipDirectory(File(url.path)).storedRange(of: "store/store.sqlite"))
            // In the text of a book, where SQLite itself sees nothing.
            let bytes = try Disk.read(url.path, limit: 1 << 30), text = Array("book 1500 xxx".utf8)
            let place = try #require(
                (Int(range.offset)..<Int(range.offset + range.length)).first {
                    bytes[$0] == text[0] && bytes[$0...].starts(with: text)
                })
            try flip(url, at: Int64(place) + 12)
            let document = try await PersistentDocument.open(url, mode: mode)
            #expect(
                try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first?["name"] as? String
                    == "Eliot")
            let error = #expect(throws: StorageError.self) { try Library.titles(document) }
            #expect(error?.code == .damaged, "\(String(describing: error))")
            try await document.close()
            #expect(try !DocumentVerifier.verify(url).isEmpty)
        }
    }

    @Test func sumsOfAnotherStoreMeanNothing() async throws {
        try await withLargeStores { folder in
            let url = folder.appendingPathComponent("A.folioz"), other = folder.appendingPathComponent("B.folioz"),
                mixed = folder.appendingPathComponent("C.folioz")
            try await makeArchive(url)
            try await makeArchive(other)
            let sums = try ArchiveReader(File(other.path)).read("store/store.sums", limit: 1 << 30)
            let reader = try ArchiveReader(File(url.path))
            let parts = reader.directory.entries.map { entry in
                entry.name == "store/store.sums"
                    ? ArchivePart(name: entry.name, content: .bytes(sums), isStored: true) : reader.part(entry)
            }
            try ArchiveWriter.write(parts, to: File(mixed.path, .create()))
            let document = try await PersistentDocument.open(mixed, mode: .reading)
            #expect(try Library.titles(document).count == 3000)
            try await document.close()
            #expect(try DocumentVerifier.verify(mixed).map(\.part) == ["store/store.sums"])
        }
    }
}
