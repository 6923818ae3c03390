import Folio
import Foundation
import TestSupport
import Testing

/// The time of a save is the same wherever it is printed, and notes are printed once.
struct MomentTests {
    private static var form: Regex<Substring> { /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/ }

    private func texts(_ output: String) -> [String] { output.matches(of: Self.form).map { String($0.output) } }

    @Test(arguments: ["Doc.folio", "Doc.folioz"]) func savesAndVersionsHaveOneTime(name: String) throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/" + name
            #expect(try FolioCommand.run("new", document, "--model", FolioCommand.model).exit == 0)
            #expect(try FolioCommand.run("insert", document, "Person", "name=Ada").exit == 0)
            let saved = try #require(try FolioCommand.run("info", document, "--json").object["saved"] as? String)
            #expect(saved.wholeMatch(of: Self.form) != nil, "\(saved)")
            #expect(try texts(FolioCommand.run("info", document).output) == [saved])
            #expect(try texts(FolioCommand.run("info", document, "--deep").output) == [saved])
            #expect(try texts(FolioCommand.run("versions", document).output).last == saved)
            #expect(try texts(FolioCommand.run("versions", document, "--json").output).last == saved)
            #expect(try texts(FolioCommand.run("info", document + "@1").output) == [saved])
            #expect(try FolioCommand.run("insert", document, "Person", "name=Barbara").exit == 0)
            if name == "Doc.folio" {
                #expect(try texts(FolioCommand.run("versions", document).output).contains(saved))
            }
        }
    }

    @Test func autosavedWorkIsToldOnceAndInMilliseconds() async throws {
        try await withFolder { folder in
            let path = try FolioCommand.copyOfDocument(in: folder), url = URL(fileURLWithPath: path)
            let editor = try await PersistentDocument.open(url)
            try editor.context.insert("Person").setPropertyValue(.string("Unsaved"), forKey: "name")
            try await editor.autosave()
            try await editor.close()
            let difference = try FolioCommand.run("diff", path)
            #expect(difference.exit == 1)
            #expect(
                difference.messages.split(separator: "\n").map(String.init) == [
                    "note: \(path) is shown with autosaved work that is not saved"
                ], "\(difference.messages)")
            let autosaved = try #require(try FolioCommand.run("info", path, "--json").object["autosaved"] as? String)
            #expect(autosaved.wholeMatch(of: Self.form) != nil)
            let listed = try FolioCommand.run("recover", path, "--list").output
            #expect(texts(listed).count == 2 && texts(listed).last == autosaved, "\(listed)")
        }
    }

    @Test func restoringTheStateThatThereIsIsSaidToDoNothing() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/Doc.folio"
            #expect(try FolioCommand.run("new", path, "--model", FolioCommand.model).exit == 0)
            #expect(try FolioCommand.run("insert", path, "Person", "name=Ada").exit == 0)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("restore", path + "@1")
            #expect(outcome.exit == 0)
            #expect(
                outcome.messages == "note: \(path) is in the state of save 1 already: nothing was to be done\n")
            #expect(try FolioCommand.contents(of: folder) == before)
            #expect(try FolioCommand.run("restore", path + "@0").messages.isEmpty)
        }
    }
}
