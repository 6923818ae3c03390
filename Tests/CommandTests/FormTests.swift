import Foundation
import TestSupport
import Testing

/// The form in which a new document is written.
struct FormTests {
    @Test(arguments: [
        ("A.folio", "package"), ("A.folioz", "archive"), ("A.FOLIOZ", "archive"), ("A.sqlite", "SQLite"),
        ("A.storedata", "SQLite"), ("A.xml", "XML"), ("A", "package"), ("A.document", "package"),
    ]) func theExtensionSaysTheForm(name: String, kind: String) throws {
        try withTemporaryDirectory { folder in
            let copy = folder.path + "/" + name, new = folder.path + "/New" + name
            let written = try FolioCommand.run("save-as", FolioCommand.document, copy),
                made = try FolioCommand.run("new", new, "--model", FolioCommand.model)
            for outcome in [written, made] {
                #expect(
                    outcome.exit == 0
                        && (kind == "XML"
                            ? outcome.messages.contains("no place for its model") : outcome.messages.isEmpty),
                    "\(outcome.messages)")
            }
            for path in [copy, new] {
                let info = try FolioCommand.run("info", path, "--json", "--model", FolioCommand.model).object
                #expect((info["kind"] as? String) == (["package", "archive"].contains(kind) ? kind : "store"))
                if !["package", "archive"].contains(kind) {
                    #expect((info["store"] as? [String: Any])?["type"] as? String == kind)
                }
            }
        }
    }

    @Test(arguments: [
        ("A.sqlite", ["--package"], "a package"), ("A.folio", ["--archive"], "an archive"),
        ("A.folioz", ["--store", "xml"], "an XML store"),
    ])
    func anOptionThatContradictsTheExtensionIsFollowedAndNoted(name: String, option: [String], form: String) throws {
        try withTemporaryDirectory { folder in
            let outcome = try FolioCommand.run(["save-as", FolioCommand.document, folder.path + "/" + name] + option)
            #expect(
                outcome.exit == 0 && outcome.messages.contains("note: ") && outcome.messages.contains(form),
                "\(outcome.messages)")
        }
    }

    @Test func aStoreTakesNoVersions() throws {
        try withTemporaryDirectory { folder in
            let outcome = try FolioCommand.run(
                "save-as", FolioCommand.document, folder.path + "/A.sqlite", "--with-versions")
            #expect(outcome.exit == 64 && outcome.hints.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }
}
