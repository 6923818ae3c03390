import Foundation
import TestSupport
import Testing

/// Earlier states of a document, wherever one is read.
struct StateArgumentTests {
    /// A package with three saves, and its versions.
    private static func document(in folder: URL) throws -> (path: String, versions: [Int]) {
        let document = try FolioCommand.copyOfDocument(in: folder)
        for name in ["a", "b", "c"] {
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=\(name)").exit == 0)
        }
        let listed = try FolioCommand.run("versions", document, "--json").json as? [[String: Any]] ?? []
        return (document, listed.compactMap { $0["version"] as? Int })
    }

    @Test func aVersionIsAModelAndIsVerifiedAndListed() throws {
        try withTemporaryDirectory { folder in
            let (document, versions) = try Self.document(in: folder)
            let state = "\(document)@\(versions[1])", store = folder.path + "/Bare.xml"
            #expect(try FolioCommand.run("save-as", document, store).exit == 0)
            let counted = try FolioCommand.run("fetch", store, "Person", "--count", "--model", state)
            #expect(counted.exit == 0 && Int(counted.output.dropLast()) != nil, "\(counted.messages)")
            #expect(try FolioCommand.run("model", state + "#Expeditions").exit == 0)
            #expect(try FolioCommand.run("model", document + "#Expeditions").exit == 0)
            let wrong = try FolioCommand.run("model", state + "#Other")
            #expect(wrong.exit == 66 && wrong.hints.count == 1, "\(wrong.messages)")
            let verified = try FolioCommand.run("verify", state, "--deep")
            #expect(
                verified.exit == 0 && verified.output == "no damage found\n", "\(verified.messages)\(verified.output)")
            let listed = try FolioCommand.run("versions", state, "--json").json as? [[String: Any]]
            #expect(listed?.compactMap { $0["version"] as? Int } == Array(versions[...1]))
            #expect(try FolioCommand.run("versions", "\(document)@999").exit == 66)
            #expect(try FolioCommand.run("set", state, "Person/p1", "name=x").exit == 64)
        }
    }

    @Test func oneDocumentIsComparedWithItsLastVersion() throws {
        try withTemporaryDirectory { folder in
            let (document, _) = try Self.document(in: folder)
            let outcome = try FolioCommand.run("diff", document)
            #expect(
                outcome.exit == 1 && outcome.output == "changed Person/p1\n  - name: \"b\"\n  + name: \"c\"\n",
                "\(outcome.output)\(outcome.messages)")
            let new = folder.path + "/New.folio"
            #expect(try FolioCommand.run("new", new, "--model", FolioCommand.model).exit == 0)
            #expect(try FolioCommand.run("diff", new).exit == 66)
        }
    }

    /// So few files that hardly anything can be opened.
    @Test(arguments: 4...14) func aProcessWithFewDescriptorsSaysSo(limit: Int) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            for words in [["export", document], ["set", document, "Person/p1", "name=x"], ["info", document]] {
                let outcome = try FolioCommand.run(
                    words, through: ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\""])
                #expect(
                    outcome.exit == 0 || outcome.exit == 74, "\(words[0]) \(limit): \(outcome.exit) \(outcome.messages)"
                )
                #expect(outcome.exit == 0 || outcome.errors.count == 1)
            }
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
        }
    }

    @Test func anUnknownEntityOfAnImportIsAUsageError() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), file = folder.appendingPathComponent("in.csv")
            try Data("name\nx\n".utf8).write(to: file)
            let outcome = try FolioCommand.run("import", document, file.path, "--entity", "Persn")
            #expect(
                outcome.exit == 64 && outcome.errors == ["folio: import: \(document): there is no entity Persn"]
                    && outcome.messages.contains("Person"), "\(outcome.messages)")
        }
    }
}
