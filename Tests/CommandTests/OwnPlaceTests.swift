import Foundation
import TestSupport
import Testing

/// What a command reads is not written over by its own results, and no part of what was asked for
/// is left out without a word.
struct OwnPlaceTests {
    private static let people = "name\nAda\n"

    /// A document and a file of people beside it.
    private func withDocument(_ body: (_ folder: URL, _ document: String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            try Data(Self.people.utf8).write(to: folder.appendingPathComponent("p.csv"))
            try FileManager.default.createSymbolicLink(
                at: folder.appendingPathComponent("Link.folio"), withDestinationURL: URL(fileURLWithPath: document))
            try body(folder, document)
        }
    }

    private func expectRefused(_ words: [String], in folder: URL) throws {
        let before = try FolioCommand.contents(of: folder)
        let outcome = try FolioCommand.run(words, in: folder)
        #expect(outcome.exit == 64, "\(words): \(outcome.messages)")
        #expect(try FolioCommand.contents(of: folder) == before, "\(words)")
    }

    @Test(arguments: ["Expeditions.folio", "Link.folio"]) func aMigratedDocumentIsNotWrittenOverItself(target: String)
        throws
    {
        try withDocument { folder, document in
            try expectRefused(
                ["migrate", document, "--model", FolioCommand.model, "-o", target, "--force"], in: folder)
        }
    }

    @Test func resultsDoNotGoOverTheFileThatIsImported() throws {
        try withDocument { folder, document in
            try expectRefused(["import", document, "Person=p.csv", "--json", "-o", "p.csv"], in: folder)
            try expectRefused(["set", document, "Person/p1", "portrait=@p.csv", "-o", "p.csv"], in: folder)
        }
    }

    @Test func aRestoredVersionHasTheFormThatItsExtensionSays() throws {
        try withDocument { folder, document in
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=Edited").exit == 0)
            let versions = try FolioCommand.run("versions", document, "--json").json as? [[String: Any]]
            let version = try #require(versions?.first?["version"] as? Int)
            #expect(
                try FolioCommand.run("restore", "\(document)@\(version)", "-o", folder.path + "/R.folioz").exit == 0)
            var isDirectory: ObjCBool = true
            #expect(
                FileManager.default.fileExists(atPath: folder.path + "/R.folioz", isDirectory: &isDirectory)
                    && !isDirectory.boolValue)
        }
    }
}
