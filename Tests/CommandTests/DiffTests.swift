import Foundation
import Testing
import TestSupport

/// Two documents held against each other.
struct DiffTests {
    private func withCopies(_ body: (_ old: String, _ new: String, _ folder: URL) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let old = try FolioCommand.copyOfDocument(in: folder)
            let new = folder.path + "/New.folio"
            #expect(try FolioCommand.run("save-as", old, new).exit == 0)
            try body(old, new, folder)
        }
    }

    private func run(_ words: String...) throws -> FolioCommand.Outcome { try FolioCommand.run(words) }

    @Test func copiesAreEqualWhateverTheirFormAndUUID() throws {
        try withCopies { old, new, folder in
            for form in [["--archive"], ["--store", "sqlite"], ["--store", "xml"], ["--store", "binary"]] {
                let copy = folder.path + "/" + UUID().uuidString
                #expect(try FolioCommand.run(["save-as", old, copy] + form).exit == 0)
                let outcome = try FolioCommand.run(["diff", new, copy, "--model", FolioCommand.model])
                #expect(outcome.exit == 0, "\(form): \(outcome.messages)\(outcome.output)")
                #expect(outcome.output.isEmpty)
            }
            let json = try run("diff", old, new, "--json")
            #expect(json.object["isDifferent"] as? Bool == false)
            #expect((json.object["differences"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func everyKindOfDifferenceIsTold() throws {
        try withCopies { old, new, _ in
            #expect(try run("set", new, "Person/p1", "name=Fritjof", "badge=").exit == 0)
            #expect(try run("insert", new, "Harbour", "name=Oslo", "code=OSLO").exit == 0)
            #expect(try run("delete", new, "Person/p5").exit == 0)
            #expect(try run("set", new, "Stop/p1", "place=Harbour/p2", "nights=4").exit == 0)
            #expect(try run("set", new, "Journey/p1", "members+=Person/p3").exit == 0)
            let outcome = try run("diff", old, new)
            #expect(outcome.exit == 1, "\(outcome.messages)")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.contains("changed Person/p1"))
            #expect(lines.contains("  - name: \"Fridtjof Nansen\""))
            #expect(lines.contains("  + name: \"Fritjof\""))
            #expect(lines.contains("removed Person/p5"))
            #expect(lines.contains("  - name: \"Oscar Wisting\""))
            #expect(lines.contains("added Harbour/p7"))
            #expect(lines.contains("  + name: \"Oslo\""))
            #expect(lines.contains("changed Stop/p1"))
            #expect(lines.contains("  - place: Harbour/p1"))
            #expect(lines.contains("  + place: Harbour/p2"))
            #expect(lines.contains("  + members: Person/p3"))
            // Harbours' stops say nothing that the stops' places do not.
            #expect(!outcome.output.contains("stops"))
        }
    }

    @Test func theJSONHasOldAndNewValues() throws {
        try withCopies { old, new, _ in
            #expect(try run("set", new, "Person/p1", "name=Fritjof").exit == 0)
            #expect(try run("delete", new, "Stop/p6").exit == 0)
            let outcome = try run("diff", old, new, "--json")
            #expect(outcome.exit == 1)
            let differences = try #require(outcome.object["differences"] as? [[String: Any]])
            // The journey's stops are ordered, and one is gone from them.
            #expect(differences.map { $0["object"] as? String } == ["Journey/p3", "Person/p1", "Stop/p6"])
            #expect(differences.map { $0["change"] as? String } == ["changed", "changed", "removed"])
            let name = (differences[1]["properties"] as? [String: [String: Any]])?["name"]
            #expect(name?["old"] as? String == "Fridtjof Nansen")
            #expect(name?["new"] as? String == "Fritjof")
            let gone = try #require(differences[2]["properties"] as? [String: [String: Any]])
            #expect(gone["nights"]?["old"] as? Int == 3)
            #expect(gone["nights"]?["new"] == nil)
            let entities = try #require(outcome.object["entities"] as? [String: [String: Int]])
            #expect(
                entities.mapValues { [$0["added"], $0["changed"], $0["removed"]] } == [
                    "Journey": [0, 1, 0], "Person": [0, 1, 0], "Stop": [0, 0, 1],
                ])
        }
    }
}

extension DiffTests {
    @Test func countsAloneWithStat() throws {
        try withCopies { old, new, _ in
            #expect(try run("set", new, "Person/p1", "name=Fritjof").exit == 0)
            let outcome = try run("diff", old, new, "--stat")
            #expect(outcome.exit == 1)
            #expect(
                outcome.output.split(separator: "\n").last?.split(separator: " ").map(String.init) == [
                    "Person", "0", "0", "1",
                ])
        }
    }

    @Test func anotherModelIsADifference() throws {
        try withCopies { old, new, _ in
            #expect(
                try FolioCommand.run(
                    "migrate", new, "--model", FolioCommand.samples.path + "/Expeditions.xcdatamodeld#Expeditions 2"
                ).exit == 0)
            let outcome = try run("diff", old, new)
            #expect(outcome.exit == 1)
            #expect(outcome.output.contains(" the model: "))
        }
    }

    @Test func gitShowsDocumentsByIt() throws {
        try withCopies { old, new, folder in
            #expect(try run("set", new, "Person/p1", "name=Fritjof").exit == 0)
            let git = try run("diff", "Doc.folioz", old, "0123", "100644", new, "4567", "100644")
            #expect(git.exit == 0, "\(git.messages)")
            #expect(git.output.hasPrefix("--- Doc.folioz\nchanged Person/p1\n"))
            #expect(
                try run("diff", "Doc.folioz", "/dev/null", ".", ".", new, "4567", "100644").output
                    == "--- Doc.folioz\na new document\n")
            #expect(try run("diff", old, new, folder.path).exit == 64)
            #expect(try run("diff", old, new, "--frobnicate").exit == 64)
            #expect(try run("diff", old, folder.path + "/no").exit == 66)
        }
    }

    /// Each line begins as what it is, and with nothing else.
    @Test func whatIsWrongIsToldWithOnePrefix() throws {
        try withCopies { old, new, folder in
            try Data("Dear diary\n".utf8).write(to: folder.appendingPathComponent("text"))
            for (words, exit) in [
                ([], 64), (["a", "b", "c"], 64), ([old, new, "--stat", "--stat"], 64),
                ([old, new, "--entity", "Kamp"], 64), (["a", "b", "c", "d", "e", "f", "g", "--json"], 64),
                ([folder.path + "/no"], 66), ([old, folder.path + "/no"], 66), ([new], 66), ([old + "@99", new], 66),
                ([old, folder.path + "/text"], 65), ([folder.path, old], 65),
            ] as [([String], Int32)] {
                let outcome = try FolioCommand.run(["diff"] + words)
                #expect(outcome.exit == exit && outcome.output.isEmpty, "\(words): \(outcome.exit) \(outcome.messages)")
                if words.contains("--json") { continue }
                let lines = outcome.messages.split(separator: "\n").map(String.init)
                #expect(
                    lines.count == outcome.errors.count + outcome.hints.count && outcome.errors.count == 1
                        && outcome.hints.count <= 1, "\(outcome.messages)")
                for line in outcome.errors {
                    #expect(
                        line.hasPrefix("folio: diff: ") && !line.dropFirst(13).contains(/\b(folio|hint|usage):\s/),
                        "\(line)")
                }
                for line in outcome.hints {
                    #expect(
                        !line.replacing(/^hint: (usage: )?/, with: "").contains(/\b(folio|hint|usage):\s/), "\(line)")
                }
            }
            #expect(try run("diff", new).hints == ["hint: name two documents: folio diff DOC DOC"])
        }
    }
}

extension DiffTests {
    /// As the help says it is set up.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"))) func gitDiffAndLogShowObjects()
        throws
    {
        try withTemporaryDirectory { folder in
            let repository = folder.appendingPathComponent("repository")
            try FileManager.default.createDirectory(at: repository, withIntermediateDirectories: true)
            func git(_ words: String...) throws -> FolioCommand.Outcome {
                try FolioCommand.run(
                    [], in: repository,
                    through: [
                        "/bin/sh", "-c",
                        "PATH=\"$(dirname \"$0\"):$PATH\"; HOME='\(folder.path)'; export PATH HOME; git \(words.joined(separator: " "))",
                    ])
            }
            for words in [
                ["init", "-q"], ["config", "user.name", "Test"], ["config", "user.email", "test@example.org"],
                ["config", "diff.folio.command", "'folio diff'"],
                ["config", "diff.folio.textconv", "'folio export --textconv'"],
            ] {
                #expect(
                    try FolioCommand.run(
                        [], in: repository,
                        through: [
                            "/bin/sh", "-c", "HOME='\(folder.path)'; export HOME; git " + words.joined(separator: " "),
                        ]
                    ).exit == 0)
            }
            try Data("*.folioz diff=folio\n".utf8).write(to: repository.appendingPathComponent(".gitattributes"))
            let document = repository.path + "/Doc.folioz"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, document, "--archive").exit == 0)
            #expect(try git("add", ".").exit == 0)
            #expect(try git("commit", "-qm", "one").exit == 0)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=Fritjof").exit == 0)
            let diff = try git("diff")
            #expect(diff.exit == 0, "\(diff.messages)")
            #expect(
                diff.output
                    == "--- Doc.folioz\nchanged Person/p1\n  - name: \"Fridtjof Nansen\"\n  + name: \"Fritjof\"\n")
            #expect(try git("commit", "-qam", "two").exit == 0)
            #expect(try git("log", "-p", "-1").output.contains("+          \"name\": \"Fritjof\","))

            // One file that is no document does not end what is shown of the others.
            let other = repository.appendingPathComponent("Another.folioz")
            try Data("no document\n".utf8).write(to: other)
            #expect(try git("add", ".").exit == 0)
            #expect(try git("commit", "-qm", "text").exit == 0)
            try Data("still none\n".utf8).write(to: other)
            #expect(try FolioCommand.run("set", document, "Person/p2", "name=Hjalmar").exit == 0)
            let mixed = try git("diff")
            #expect(
                mixed.exit == 0 && mixed.output.contains("not a Folio document") && mixed.output.contains("Hjalmar"),
                "\(mixed.output)\(mixed.messages)")
            #expect(try git("commit", "-qam", "mixed").exit == 0)
            let log = try git("log", "-p", "--no-ext-diff", "-2")
            #expect(
                log.exit == 0 && log.output.contains("not a Folio document") && log.output.contains("Hjalmar"),
                "\(log.output)\(log.messages)")

            // Of a document that two branches changed git shows the path alone.
            #expect(try git("checkout", "-q", "-b", "other", "HEAD~1").exit == 0)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=Fridolin").exit == 0)
            #expect(try git("commit", "-qam", "three").exit == 0)
            #expect(try git("merge", "-q", "-").exit == 1)
            let unmerged = try git("diff", "--ours")
            #expect(unmerged.exit == 0, "\(unmerged.messages)")
            #expect(unmerged.output.hasPrefix("--- Doc.folioz\nunmerged\n"))
        }
    }
}
