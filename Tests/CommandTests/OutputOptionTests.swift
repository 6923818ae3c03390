import Foundation
import TestSupport
import Testing

/// `-o` of commands that print, and `--force` of those that make something.
struct OutputOptionTests {
    @Test(arguments: [
        ["info", "DOC"], ["model", "DOC"], ["model", "hash", "DOC"], ["fetch", "DOC", "Person"],
        ["fetch", "DOC", "Person", "--count"], ["get", "DOC", "Person/p1"],
        ["explain", "DOC", "Person"], ["export", "DOC"], ["diff", "DOC", FolioCommand.document],
        ["verify", "DOC", "--json"], ["versions", "DOC"], ["help", "fetch"],
        ["recover", "DOC", "--list", "--json"],
    ]) func theResultGoesToTheFile(words: [String]) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), file = folder.path + "/result"
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=A").exit == 0)
            let arguments = words.map { $0 == "DOC" ? document : $0 }
            let printed = try FolioCommand.run(arguments), sent = try FolioCommand.run(arguments + ["-o", file])
            #expect(
                printed.exit == sent.exit && [0, 1].contains(sent.exit) && sent.output.isEmpty
                    && !printed.output.isEmpty, "\(sent.messages)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == printed.output)
        }
    }

    @Test func aResultThatDoesNotComeLeavesTheFileAsItWas() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), file = folder.path + "/result"
            try Data("before".utf8).write(to: URL(fileURLWithPath: file))
            #expect(try FolioCommand.run("get", document, "Person/p99", "-o", file).exit == 66)
            #expect(try FolioCommand.run("get", document, "Person/p1", "-o", document + "/manifest.json").exit == 64)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "before")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                    "Expeditions.folio", "result",
                ])
        }
    }

    @Test func whatIsThereIsReplacedByForceAlone() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), target = folder.path + "/Target.folio"
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=A").exit == 0)
            let versions = try FolioCommand.run("versions", document, "--json").json as? [[String: Any]]
            let version = "\(document)@\(try #require(versions?.first?["version"] as? Int))"
            func people() throws -> String { try FolioCommand.run("fetch", target, "Person", "--count").output }
            let models = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
            #expect(try FolioCommand.run("new", target, "--model", FolioCommand.model).exit == 0)
            for (words, count) in [
                (["restore", version, "-o", target], "5\n"), (["new", target, "--model", FolioCommand.model], "0\n"),
                (["migrate", document, "--model", models + "#Expeditions 2", "-o", target], "5\n"),
            ] {
                let before = try FolioCommand.contents(of: URL(fileURLWithPath: target))
                let refused = try FolioCommand.run(words)
                #expect(refused.exit == 73 && refused.hints.contains { $0.contains("--force") }, "\(refused.messages)")
                #expect(try FolioCommand.contents(of: URL(fileURLWithPath: target)) == before)
                let outcome = try FolioCommand.run(words + ["--force"])
                #expect(outcome.exit == 0, "\(outcome.messages)")
                #expect(try people() == count)
            }
            #expect(try FolioCommand.run("model", target).output.contains("version Expeditions 2"))
            // A migration that fails has replaced nothing.
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: target))
            #expect(
                try FolioCommand.run(
                    "migrate", document, "--model", FolioCommand.model, "--mapping", document, "-o", target, "--force"
                ).exit != 0)
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: target)) == before)
            for words in [["restore", version, "--force"], ["migrate", document, "--model", models, "--force"]] {
                let outcome = try FolioCommand.run(words)
                #expect(
                    outcome.exit == 64 && outcome.messages.contains("--force goes with -o NEW"), "\(outcome.messages)")
            }
        }
    }
}

extension OutputOptionTests {
    @Test func diffTellsOfOneEntity() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=A").exit == 0)
            #expect(try FolioCommand.run("set", document, "Journey/p1", "year=1").exit == 0)
            let outcome = try FolioCommand.run(
                "diff", FolioCommand.document, document, "--entity", "Journey", "--stat", "--json")
            #expect(outcome.exit == 1 && (outcome.object["entities"] as? [String: Any])?.keys.sorted() == ["Journey"])
            #expect(try FolioCommand.run("diff", FolioCommand.document, document, "--entity", "Stop").exit == 0)
            #expect(
                try FolioCommand.run("diff", FolioCommand.document, document, "--entity", "Stopp").hints == [
                    "hint: did you mean Stop?"
                ])
        }
    }
}
