import Folio
import Foundation
import Testing
import TestSupport

/// Packages and archives made of each other, file by file.
struct PackTests {
    private func entries(of folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func aPackageComesBackAsItWas() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let archive = folder.path + "/A.folioz", back = folder.path + "/B.folio"
            let packed = try FolioCommand.run("pack", document, archive, "--json")
            #expect(packed.exit == 0, "\(packed.messages)")
            #expect(packed.object["files"] as? Int == 4)
            let unpacked = try FolioCommand.run("unpack", archive, back)
            #expect(unpacked.exit == 0, "\(unpacked.messages)")
            #expect(unpacked.output.isEmpty)
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: document)),
                after = try FolioCommand.contents(of: URL(fileURLWithPath: back))
            #expect(before.filter { !$0.value.isEmpty } == after.filter { !$0.value.isEmpty })
            #expect(try FolioCommand.run("verify", archive, "--deep").exit == 0)
            #expect(try FolioCommand.run("verify", back, "--deep").exit == 0)
            #expect(try FolioCommand.run("export", archive).output == FolioCommand.run("export", document).output)
            #expect(try entries(of: folder) == ["A.folioz", "B.folio", "Expeditions.folio"])
        }
    }

    @Test func theSamePackageGivesTheSameBytesWhereverItStands() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let other = folder.appendingPathComponent("Other.folio")
            try FileManager.default.copyContents(of: URL(fileURLWithPath: document), to: other)
            for file in ["mimetype", "manifest.json", "store/store.sqlite"] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1e9), .posixPermissions: 0o600],
                    ofItemAtPath: other.path + "/" + file)
            }
            #expect(try FolioCommand.run("pack", document, folder.path + "/A.folioz").exit == 0)
            #expect(try FolioCommand.run("pack", other.path, folder.path + "/B.folioz").exit == 0)
            let bytes = try Data(contentsOf: folder.appendingPathComponent("A.folioz"))
            #expect(try Data(contentsOf: folder.appendingPathComponent("B.folioz")) == bytes)
            // The media type stands where every tool looks for it.
            #expect(String(decoding: bytes[30..<66], as: UTF8.self) == "mimetypeapplication/vnd.folio.docume")
        }
    }

    @Test func nothingIsReplacedUnasked() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let archive = folder.path + "/A.folioz"
            #expect(try FolioCommand.run("pack", document, archive, "--dry-run").messages.hasPrefix("would write "))
            #expect(try entries(of: folder) == ["Expeditions.folio"])
            try Data("mine".utf8).write(to: URL(fileURLWithPath: archive))
            let refused = try FolioCommand.run("pack", document, archive)
            #expect(refused.exit == 73)
            #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == Data("mine".utf8))
            #expect(try FolioCommand.run("pack", document, archive, "--force").exit == 0)
            let package = folder.path + "/B.folio"
            #expect(try FolioCommand.run("unpack", archive, package).exit == 0)
            #expect(try FolioCommand.run("unpack", archive, package).exit == 73)
            #expect(try FolioCommand.run("unpack", archive, package, "--force").exit == 0)
            // A folder of somebody's is no document.
            let own = folder.appendingPathComponent("own")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: own.appendingPathComponent("file"))
            #expect(try FolioCommand.run("unpack", archive, own.path, "--force").exit == 73)
            #expect(try entries(of: own) == ["file"])
            #expect(try entries(of: folder) == ["A.folioz", "B.folio", "Expeditions.folio", "own"])
        }
    }
}

extension PackTests {
    @Test func onlyTheRightFormIsTaken() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let archive = folder.path + "/A.folioz"
            #expect(try FolioCommand.run("unpack", document, folder.path + "/B.folio").exit == 64)
            #expect(try FolioCommand.run("pack", document, document + "/extra").exit == 64)
            #expect(try FolioCommand.run("pack", document, folder.path + "/no/A.folioz").exit == 73)
            #expect(try FolioCommand.run("pack", document, archive).exit == 0)
            #expect(try FolioCommand.run("pack", archive, folder.path + "/B.folioz").exit == 64)
            #expect(try FolioCommand.run("unpack", folder.path + "/no.folioz", folder.path + "/B.folio").exit == 66)
            try Data("x".utf8).write(to: URL(fileURLWithPath: document + "/stranger"))
            let stranger = try FolioCommand.run("pack", document, folder.path + "/C.folioz")
            #expect(stranger.exit == 65)
            #expect(stranger.messages.contains("stranger"))
            #expect(try entries(of: folder) == ["A.folioz", "Expeditions.folio"])
        }
    }

    @Test func anEditorAtWorkIsWaitedFor() async throws {
        try await withFolder { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            let editor = try await PersistentDocument.open(URL(fileURLWithPath: path))
            let refused = try FolioCommand.run("pack", path, folder.path + "/A.folioz")
            #expect(refused.exit == 75)
            #expect(refused.messages.contains("\(ProcessInfo.processInfo.processIdentifier)"))
            try await editor.close()
            #expect(try FolioCommand.run("pack", path, folder.path + "/A.folioz").exit == 0)
            let archived = try await PersistentDocument.open(URL(fileURLWithPath: folder.path + "/A.folioz"))
            #expect(try FolioCommand.run("unpack", folder.path + "/A.folioz", folder.path + "/B.folio").exit == 75)
            try await archived.close()
        }
    }
}
