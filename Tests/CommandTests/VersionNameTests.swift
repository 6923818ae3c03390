import Folio
import Foundation
import TestSupport
import Testing

/// Names and pins of versions, and the newest states beside them.
struct VersionNameTests {
    /// A document that was saved three times.
    private static func document(in folder: URL) throws -> String {
        let path = folder.appendingPathComponent("Doc.folio").path
        #expect(try FolioCommand.run("new", path, "--model", FolioCommand.model).exit == 0)
        for name in ["Ada", "Barbara", "Grace"] {
            #expect(try FolioCommand.run("insert", path, "Person", "name=\(name)").exit == 0)
        }
        return path
    }

    private static func version(_ number: Int, of path: String) throws -> [String: Any] {
        let listed = try FolioCommand.run("versions", path, "--json").json as? [[String: Any]] ?? []
        return listed.first { $0["version"] as? Int == number } ?? [:]
    }

    @Test func aVersionGetsANameAndLosesItAgain() throws {
        try withTemporaryDirectory { folder in
            let path = try Self.document(in: folder), state = path + "@1"
            let before = try FolioCommand.contents(of: folder)
            #expect(
                try FolioCommand.run("versions", "name", state, "before the trip", "--dry-run").messages.contains(
                    "would name version 1"))
            #expect(try FolioCommand.contents(of: folder) == before)
            let named = try FolioCommand.run("versions", "name", state, "before the trip")
            #expect(
                named.exit == 0 && named.messages.hasPrefix("named version 1 of \(path)\n")
                    && named.messages.contains("folio versions pin"), "\(named.messages)")
            #expect(try Self.version(1, of: path)["name"] as? String == "before the trip")
            #expect(try FolioCommand.run("versions", path).output.contains("  before the trip\n"))
            // Nothing else of it has changed.
            #expect(try FolioCommand.run("fetch", state, "Person", "--count").output == "1\n")
            let removed = try FolioCommand.run("versions", "name", state, "--remove", "--json")
            #expect(
                removed.exit == 0 && removed.object["name"] is NSNull && removed.object["version"] as? Int == 1
                    && removed.object["dryRun"] as? Bool == false)
            let nameless = try Self.version(1, of: path)
            #expect(nameless["name"] is NSNull)
            #expect(try FolioCommand.run("verify", path, "--deep").exit == 0)
        }
    }

    @Test func aPinnedVersionOutlastsAPrune() throws {
        try withTemporaryDirectory { folder in
            let path = try Self.document(in: folder)
            #expect(try FolioCommand.run("versions", "pin", path + "@1").messages == "pinned version 1 of \(path)\n")
            #expect(try Self.version(1, of: path)["pinned"] as? Bool == true)
            #expect(try FolioCommand.run("versions", "prune", path, "--keep", "0").exit == 0)
            #expect(try FolioCommand.run("fetch", path + "@1", "Person", "--count").output == "1\n")
            #expect(try FolioCommand.run("fetch", path + "@2", "Person", "--count").exit == 66)
            #expect(try FolioCommand.run("versions", "unpin", path + "@1", "--json").object["pinned"] as? Bool == false)
            #expect(try FolioCommand.run("versions", "prune", path, "--keep", "0").exit == 0)
            #expect(try FolioCommand.run("fetch", path + "@1", "Person", "--count").exit == 66)
        }
    }

    @Test(arguments: [
        (["versions", "name", "DOC@1"], 64, "which name?"),
        (["versions", "name", "DOC", "x"], 64, "say which version"),
        (["versions", "name", "DOC@saved", "x"], 64, "say which version"),
        (["versions", "name", "DOC@1", "x", "--remove"], 64, "leave x out"),
        (["versions", "name", "DOC@1", "two\nlines"], 64, "a line of text"),
        (["versions", "name", "DOC@1", String(repeating: "x", count: 201)], 64, "up to 200 characters"),
        (["versions", "name", "DOC@3", "x"], 66, "is the last save"),
        (["versions", "pin", "DOC@9"], 66, "there is no version 9"),
        (["versions", "pin", "DOC@1", "x"], 64, "one argument too many: x"),
        (["versions", "pin"], 64, "too few arguments"),
        (["versions", "prnue", "DOC"], 64, "did you mean prune?"),
        (["versions", "nmae", "DOC@1", "x"], 64, "did you mean name?"),
        (["versions", "pin", "DOC@1", "--keep", "3"], 64, "--keep goes with prune"),
        (["versions", "prune", "DOC", "--keep", "1", "--remove"], 64, "--remove goes with name"),
        (["model", "hahs", "DOC"], 64, "did you mean hash?"), (["model", "diff", "DOC"], 64, "too few arguments"),
        (["model", "DOC", "x"], 64, "one argument too many: x"),
    ]) func whatCanNotBeNamedOrPinnedIsSaid(words: [String], exit: Int32, text: String) throws {
        try withTemporaryDirectory { folder in
            let path = try Self.document(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run(words.map { $0.hasPrefix("DOC") ? path + $0.dropFirst(3) : $0 })
            #expect(
                outcome.exit == exit && outcome.output.isEmpty && outcome.errors.count == 1
                    && outcome.messages.contains(text), "\(outcome.messages)")
            #expect(outcome.hints.count == 1 || text.contains("characters"), "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}

extension VersionNameTests {
    @Test func theVersionsOfAnArchiveAreNotChanged() throws {
        try withTemporaryDirectory { folder in
            let path = try Self.document(in: folder), archive = folder.appendingPathComponent("Doc.folioz").path
            #expect(try FolioCommand.run("pack", path, archive, "--with-versions").exit == 0)
            let refused = try FolioCommand.run("versions", "pin", archive + "@1")
            #expect(refused.exit == 69 && refused.messages.contains("unpack"), "\(refused.messages)")
            #expect(try FolioCommand.run("versions", archive + "@1", "--json").exit == 0)
        }
    }

    @Test func workThatIsNotSavedIsListedUnderItsName() async throws {
        try await withFolder { folder in
            let path = try Self.document(in: folder)
            let editor = try await PersistentDocument.open(URL(fileURLWithPath: path))
            #expect(editor.generation == 3)
            try editor.context.insert("Person").setPropertyValue(.string("Unsaved"), forKey: "name")
            try await editor.autosave()
            #expect(editor.generation == 3)
            let listed = try FolioCommand.run("versions", path, "--json").json as? [[String: Any]] ?? []
            #expect(
                listed.compactMap { $0["state"] as? String } == ["version", "version", "version", "saved", "autosaved"])
            #expect(listed.last?["version"] is NSNull && listed.last?["document"] as? String == path + "@autosaved")
            for (state, count) in zip(listed.compactMap { $0["document"] as? String }, [0, 1, 2, 3, 4]) {
                #expect(try FolioCommand.run("fetch", state, "Person", "--count").output == "\(count)\n", "\(state)")
            }
            #expect((try FolioCommand.run("versions", path + "@saved", "--json").json as? [Any])?.count == 4)
            // Whoever changes the list needs the lock.
            let refused = try FolioCommand.run("versions", "pin", path + "@1")
            #expect(refused.exit == 75 && refused.errors.count == 1)
            try await editor.save()
            #expect(editor.generation == 4)
            try await editor.close()
        }
    }
}
