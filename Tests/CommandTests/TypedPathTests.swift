import Foundation
import TestSupport
import Testing

/// Paths in errors and results are those that were typed.
struct TypedPathTests {
    private func path(_ outcome: FolioCommand.Outcome) -> String? {
        let json = try? JSONSerialization.jsonObject(with: Data(outcome.messages.utf8)) as? [String: Any]
        return (json?["error"] as? [String: Any])?["path"] as? String
    }

    @Test func aLinkIsNamedNotItsTarget() throws {
        try withTemporaryDirectory { folder in
            let target = folder.path + "/target", link = folder.path + "/link"
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            try Data([0xFE, 0xFF, 0, 1]).write(to: URL(fileURLWithPath: target + "/x"))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            let outcome = try FolioCommand.run("info", link + "/x")
            #expect(
                outcome.errors == ["folio: info: \(link)/x: not a document: unknown binary data"], "\(outcome.messages)"
            )
            #expect(try path(FolioCommand.run("info", link + "/x", "--json")) == link + "/x")
            #expect(try path(FolioCommand.run("info", "link/x", "--json", in: folder)) == "link/x")
            #expect(
                try FolioCommand.run("info", "./link/x", in: folder).errors == [
                    "folio: info: ./link/x: not a document: unknown binary data"
                ])
        }
    }

    @Test func aPartOfADocumentIsNamedByTheTypedDocument() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/Link.folio", withDestinationPath: document)
            let info = try FolioCommand.run("info", "Link.folio", "--json", in: folder).object
            #expect(info["path"] as? String == "Link.folio")
            try Data("{}".utf8).write(to: URL(fileURLWithPath: document + "/manifest.json"))
            let outcome = try FolioCommand.run("info", "Link.folio", "--json", in: folder)
            #expect(path(outcome)?.hasPrefix("Link.folio") == true, "\(outcome.messages)")
        }
    }

    @Test func anUnknownKeyNamesTheDocument() throws {
        let document = FolioCommand.document
        let outcome = try FolioCommand.run("fetch", document, "Person", "--columns", "nme")
        #expect(
            outcome.exit == 64 && outcome.errors == ["folio: fetch: \(document): Person has no property nme"],
            "\(outcome.messages)")
        #expect(try path(FolioCommand.run("fetch", document, "Person", "--where", "nme == 1", "--json")) == document)
        #expect(try path(FolioCommand.run("fetch", document, "Persn", "--json")) == document)
    }

    @Test func whatAMigrationKeepsIsNamedInTheTypedFolder() throws {
        try withTemporaryDirectory { folder in
            _ = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("save-as", "Expeditions.folio", "Store.sqlite", in: folder).exit == 0)
            let models = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
            let outcome = try FolioCommand.run("migrate", "Store.sqlite", "--model", models, "--json", in: folder)
            let kept = try #require(outcome.object["backup"] as? String)
            #expect(kept == "Store.before-Expeditions.sqlite")
            // Kept copies are left alone by the next migration of the folder.
            let several = try FolioCommand.run(
                "migrate", "Store.sqlite", kept, "Expeditions.folio", "--model", models, in: folder)
            #expect(several.exit == 0)
            #expect(
                several.messages.contains("note: \(kept) was kept by an earlier migration and stays as it is"),
                "\(several.messages)")
            #expect(!several.output.contains(kept) && several.output.contains("Expeditions.folio: migrated"))
            #expect(try FolioCommand.run("migrate", kept, "--model", models, in: folder).exit == 0)
            let info = try FolioCommand.run("info", kept, "--json", in: folder).object
            #expect((info["entities"] as? [String: Int])?["Equipment"] == 0)
        }
    }
}
