import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Schema
import TestSupport
import Testing

/// A document with one file of its own.
private final class Noted: PersistentDocument {
    override func extraContent() throws -> [ExtraFile] { [ExtraFile("sub/deep/note") { Data("mine".utf8) }] }
}

/// Links among the application's own files: nothing outside the document is read or written.
struct LinkedFilesTests {
    @Test(arguments: ["extra/sub", "extra/sub/deep"]) func nothingIsWrittenThroughALinkedFolder(part: String)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), outside = folder.appendingPathComponent("outside")
            let document = try await Noted.create(at: url, model: Library.model())
            try Disk.makeDirectories(outside.path + "/deep")
            try Disk.replaceFile(outside.path + "/deep/note", with: Array("theirs".utf8))
            try Disk.replaceFile(outside.path + "/note", with: Array("theirs".utf8))
            try Disk.makeDirectories(FilePath.parent(url.path + "/" + part))
            try FileManager.default.createSymbolicLink(atPath: url.path + "/" + part, withDestinationPath: outside.path)
            let before = try contents(of: outside)
            try Library.insertBook("new", document)
            await #expect(throws: DocumentError.self) { try await document.save() }
            await #expect(throws: DocumentError.self) { _ = try await document.extraFile("sub/deep/note") }
            #expect(try contents(of: outside) == before)
            try Disk.removeFile(url.path + "/" + part)
            try await document.save()
            #expect(try await document.extraFile("sub/deep/note") == Data("mine".utf8))
            try await document.close()
        }
    }

    /// An opening that fails for a linked folder of the store clears nothing away where that leads
    /// to.
    @Test func nothingIsClearedAwayBehindALinkedStoreFolder() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), other = folder.appendingPathComponent("B.folio")
            for url in [url, other] { try await PersistentDocument.create(at: url, model: Library.model()).close() }
            let unfinished = FilePath.sibling(
                of: other.path + "/content/value", tag: Disk.temporaryTag, id: UniqueName.make())
            try Disk.replaceFile(unfinished, with: [1])
            try Disk.removeTree(url.path + "/store")
            try FileManager.default.createSymbolicLink(atPath: url.path + "/store", withDestinationPath: other.path)
            await #expect(throws: DocumentError.self) { try await PersistentDocument.open(url).close() }
            #expect(try Disk.exists(unfinished))
        }
    }

    @Test func aFileWithAnotherNameIsNotGivenAway() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), secret = folder.path + "/secret"
            let made = try await Noted.create(at: url, model: Library.model())
            try Library.insertBook("new", made)
            try await made.save()
            try await made.close()
            try Disk.replaceFile(secret, with: Array("secret".utf8))
            try FileManager.default.linkItem(atPath: secret, toPath: url.path + "/extra/other")
            await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.pack(url, to: folder.appendingPathComponent("B.folioz"))
            }
            let document = try await PersistentDocument.open(url, mode: .reading)
            await #expect(throws: DocumentError.self) { _ = try await document.extraFile("other") }
            await #expect(throws: DocumentError.self) {
                try await document.write(to: folder.appendingPathComponent("C.folio"))
            }
            try await document.close()
            let report = try await DocumentRepairer.repair(url, to: folder.appendingPathComponent("D.folio"))
            #expect(report.lost.map(\.part) == ["extra/other"])
            #expect(try !Disk.exists(folder.path + "/D.folio/extra/other"))
        }
    }
}
