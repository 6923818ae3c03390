import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Schema
import TestSupport
import Testing

/// A document with files of its own and a preview.
private final class Album: PersistentDocument {
    var files: [String: Data?] = [:]

    override func extraContent() throws -> [ExtraFile] {
        files.sorted { $0.key < $1.key }.map { name, data in ExtraFile(name) { data } }
    }
    override func preview() throws -> [ExtraFile] { [ExtraFile("page.txt") { Data("preview".utf8) }] }
}

/// Files of the application's own and previews are held against what the last save wrote of them.
struct FileSumsTests {
    private static let names = ["extra/a", "extra/b/c", "preview/page.txt"]

    private func made(_ url: URL, _ form: DocumentForm = .package) async throws {
        let document = try await Album.create(at: url, model: Library.model(), form: form)
        document.files = ["a": Data("first".utf8), "b/c": Data(repeating: 7, count: 3000), "gone": Data([1])]
        try Library.insertBook("one", document)
        try await document.save()
        document.files = ["gone": nil]
        try Library.insertBook("two", document)
        try await document.save()
        try await document.close()
    }

    private func flip(_ path: String) throws {
        var bytes = try Disk.read(path, limit: 1 << 20)
        bytes[bytes.count / 2] ^= 1
        try Disk.replaceFile(path, with: bytes)
    }

    private func parts(_ url: URL) throws -> [String] { try DocumentVerifier.verify(url, isThorough: true).map(\.part) }

    @Test(arguments: names) func anAlteredFileIsFoundAndNotPassedOn(name: String) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await made(url)
            #expect(try parts(url).isEmpty)
            try flip(url.path + "/" + name)
            #expect(try parts(url) == [name])
            await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.pack(url, to: folder.appendingPathComponent("B.folioz"))
            }
            let document = try await Album.open(url, mode: .reading)
            if name == "extra/a" {
                await #expect(throws: DocumentError.self) { _ = try await document.extraFile("a") }
                await #expect(throws: DocumentError.self) {
                    try await document.write(to: folder.appendingPathComponent("C.folio"))
                }
            }
            try await document.close()
            try Disk.removeFile(url.path + "/" + name)
            #expect(try parts(url) == [name])
        }
    }

    @Test func aFileThatIsSavedAgainIsSound() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await made(url)
            try flip(url.path + "/extra/a")
            let document = try await Album.open(url)
            document.files = ["a": Data("second".utf8)]
            try Library.insertBook("three", document)
            try await document.save()
            #expect(try await document.extraFile("a") == Data("second".utf8))
            try await document.close()
            #expect(try parts(url).isEmpty)
        }
    }

    @Test func anUnpackedArchiveHasTheSumsOfItsFiles() async throws {
        try await withFolder { folder in
            let archive = folder.appendingPathComponent("A.folioz"), url = folder.appendingPathComponent("B.folio")
            try await made(archive, .archive)
            _ = try await PersistentDocument.unpack(archive, to: url)
            #expect(try parts(url).isEmpty)
            for name in Self.names {
                try flip(url.path + "/" + name)
                #expect(try parts(url) == [name])
                try flip(url.path + "/" + name)
            }
        }
    }

    /// As a program writes it that does not know of the sums.
    @Test func aManifestWithoutSumsGetsThemWithTheNextSave() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), path = url.path + "/manifest.json"
            try await made(url)
            var manifest = try DocumentManifest.decode(Disk.read(path, limit: 1 << 20), path: path)
            #expect(manifest.files?.keys.sorted() == Self.names)
            manifest.files = nil
            try Disk.replaceFile(path, with: manifest.encoded)
            try flip(url.path + "/extra/a")
            #expect(try parts(url).isEmpty)
            let document = try await Album.open(url)
            try Library.insertBook("three", document)
            try await document.save()
            try await document.close()
            #expect(
                try DocumentManifest.decode(Disk.read(path, limit: 1 << 20), path: path).files?.keys.sorted()
                    == Self.names)
            #expect(try parts(url).isEmpty)
        }
    }
}

extension FileSumsTests {
    @Test(.enabled(if: runsSweeps)) func ofMoreFilesThanHaveRoomNothingIsRecorded() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await made(url)
            for number in 0..<2000 {
                try Disk.replaceFile("\(url.path)/extra/\(String(repeating: "x", count: 190))\(number)", with: [1])
            }
            let document = try await Album.open(url, mode: .reading), copy = folder.appendingPathComponent("B.folio")
            try await document.write(to: copy)
            try await document.close()
            #expect(
                try DocumentManifest.decode(Disk.read(copy.path + "/manifest.json", limit: 1 << 20), path: "m").files
                    == nil)
            #expect(try parts(copy).isEmpty)
        }
    }
}
