import ArchiveKit
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Schema
import TestSupport
import Testing

/// A document with files of its own: those that changed since the last save, and nil for those that
/// are gone.
private final class Binder: PersistentDocument {
    var changed: [String: Data?] = [:]

    override func extraContent() throws -> [ExtraFile] {
        changed.sorted { $0.key < $1.key }.map { name, data in ExtraFile(name) { data } }
    }

    func save(_ files: [String: Data?]) async throws {
        changed = files
        defer { changed = [:] }
        try Library.insertBook("book \(UUID())", self)
        try await save()
    }
}

/// Files of the application's own, one by one, in packages and in archives.
struct ArchiveExtraTests {
    private static let first = Data(repeating: 1, count: 5000), second = Data(repeating: 2, count: 5000)

    private func entries(_ url: URL) throws -> [String: ZipEntry] {
        let entries = try ZipDirectory(File(url.path)).entries.filter {
            $0.name.hasPrefix("extra/") && !$0.name.hasPrefix("extra/folio-merge/states/")
        }
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0) })
    }

    @Test(arguments: [DocumentForm.archive, .package]) func filesAreReplacedAndTakenAwayOneByOne(form: DocumentForm)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await Binder.create(at: url, model: Library.model(), form: form)
            try await document.save(["a": Self.first, "b/c": Self.first, "d": Self.first])
            #expect(try await document.extraFile("b/c") == Self.first)
            try await document.save(["b/c": nil, "d": Self.second])
            #expect(try await document.extraFile("a") == Self.first)
            #expect(try await document.extraFile("b/c") == nil)
            #expect(try await document.extraFile("d") == Self.second)
            // What nobody speaks of stays as it is.
            try await document.save([:])
            try await document.close()
            if form == .archive { #expect(try entries(url).keys.sorted() == ["extra/a", "extra/d"]) }
            let again = try await Binder.open(url)
            #expect(try await again.extraFile("b/c") == nil)
            // A name that was given up can be taken again.
            try await again.save(["b/c": Self.second])
            #expect(try await again.extraFile("b/c") == Self.second)
            try await again.save(["b/c": nil, "a": nil, "d": nil])
            try await again.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            if form == .archive { #expect(try entries(url).isEmpty) }
        }
    }

    @Test func unchangedEntriesAreCopiedAsTheyLieThere() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await Binder.create(at: url, model: Library.model(), form: .archive)
            try await document.save(["a": Self.first, "d": Self.first])
            let before = try entries(url)
            try await document.save(["d": Self.second])
            try await document.close()
            let after = try entries(url)
            #expect(after["extra/a"]?.compressedSize == before["extra/a"]?.compressedSize)
            #expect(after["extra/a"]?.crc32 == before["extra/a"]?.crc32)
            #expect(after["extra/d"]?.crc32 != before["extra/d"]?.crc32)
        }
    }

    /// The archive could not be replaced: what was taken away is gone with the next save that can,
    /// also in another session, and in copies.
    @Test func whatWasTakenAwayIsNotForgottenWhenTheSaveFails() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), copy = folder.appendingPathComponent("B.folio")
            let document = try await Binder.create(at: url, model: Library.model(), form: .archive)
            try await document.save(["a": Self.first, "b": Self.first])
            let refusing: FaultInjection.Hook = { call, path in
                (call == .exchange || call == .rename) && FilePath.name(path) == "A.folioz" ? .error(28) : nil
            }
            await #expect(throws: DocumentError.self) {
                try await FaultInjection.with(refusing) { try await document.save(["a": nil, "b": Self.second]) }
            }
            #expect(try entries(url).keys.sorted() == ["extra/a", "extra/b"])
            #expect(try await document.extraFile("a") == nil)
            #expect(try await document.extraFile("b") == Self.second)
            try await document.write(to: copy, form: .package)
            #expect(try contents(of: copy).keys.filter { $0.hasPrefix("extra/") }.sorted() == ["extra/b"])
            #expect(try contents(of: copy)["extra/b"] == Array(Self.second))
            try await document.close()
            let again = try await Binder.open(url, recovery: .keep)
            try await again.save([:])
            try await again.close()
            #expect(try entries(url).keys.sorted() == ["extra/b"])
            #expect(try Disk.list(folder.path).map(\.name).sorted() == ["A.folioz", "B.folio"])
        }
    }
}
