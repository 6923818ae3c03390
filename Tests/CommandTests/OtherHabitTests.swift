import Foundation
import TestSupport
import Testing

/// What people type who know other programs, and what they are told.
struct OtherHabitTests {
    private static let document = FolioCommand.document

    private static let hints: [([String], String)] = [
        (["version"], "did you mean folio --version?"),
        ([document], "did you mean folio info \(document)?"),
        (["fetch", document, "Person/p1"], "did you mean folio get \(document) Person/p1?"),
        (["fetch", document, "Person", "-n", "3"], "did you mean --limit?"),
        (["fetch", document, "Person", "--order", "name"], "did you mean --sort?"),
        (["fetch", document, "Person", "--order-by=name"], "did you mean --sort?"),
        (["fetch", document, "Person", "--filter", "name"], "did you mean --where?"),
        (["fetch", document, "Journey", "--columns", "title,stops.count"], "did you mean stops.@count?"),
        (["versions", document, "prune"], "did you mean folio versions prune \(document)?"),
        (
            ["info", document + "@x"],
            "a state of a document is \(document)@n, with a number that folio versions lists, @saved or @autosaved"
        ),
        (
            ["fetch", document, "Journey", "--sort", "CAST(year,\"NSString\")"],
            "an expression is sorted by its name in --columns: --columns '… AS u' --sort u"
        ),
        (
            ["fetch", document, "Person", "--where", "born > \"1870\""],
            "write born > \"1870-01-01\", or year(born) > 1870"
        ),
        (
            ["fetch", document, "Person", "--where", "born == \"June\""],
            "dates stand in quotes and nothing else: \"1893-06-24\", \"1893-06-24T12:30:00Z\""
        ),
    ]

    @Test(arguments: hints) func aHintNamesWhatIsMeant(words: [String], hint: String) throws {
        let outcome = try FolioCommand.run(words)
        #expect([64, 66].contains(outcome.exit) && outcome.output.isEmpty)
        #expect(outcome.hints == ["hint: \(hint)"], "\(words): \(outcome.messages)")
    }

    @Test func optionsOfEveryCommandMayStandBeforeIt() throws {
        #expect(
            try FolioCommand.run("--json", "--no-progress", "info", Self.document).output
                == FolioCommand.run("info", Self.document, "--json").output)
        let mistyped = try FolioCommand.run("--json", "hlep")
        #expect(mistyped.exit == 64 && mistyped.messages.contains("\"hint\":\"did you mean help?\""))
        #expect(try FolioCommand.run("--json", "--version").output.hasPrefix("{\"version\":"))
        #expect(try FolioCommand.run("--json").messages.contains("which command?"))
    }

    @Test func aYearThatIsComparedWithADateIsNoted() throws {
        for command in [["fetch"], ["explain"]] {
            let outcome = try FolioCommand.run(
                command + [Self.document, "Person", "--where", "name != nil AND born > 1870"])
            #expect(outcome.exit == 0)
            #expect(
                outcome.messages
                    == "note: born is a date, and a number means seconds since 2001: write born > \"1870-01-01\", or year(born) > 1870\n"
            )
        }
        for condition in ["born > -4000000000", "year(born) > 1870", "born > \"1870-01-01\"", "name == \"1870\""] {
            #expect(try FolioCommand.run("fetch", Self.document, "Person", "--where", condition).messages.isEmpty)
        }
        let several = try FolioCommand.run("fetch", Self.document, "Journey", "--where", "ANY stops.arrivedOn < 1900")
        #expect(several.messages.hasPrefix("note: stops.arrivedOn is a date"), "\(several.messages)")
        try withTemporaryDirectory { folder in
            let copy = try FolioCommand.copyOfDocument(in: folder)
            for words in [["set", copy, "Person", "name=x"], ["delete", copy, "Person"]] {
                let outcome = try FolioCommand.run(words + ["--where", "born < 1870", "--dry-run"])
                #expect(outcome.messages.hasPrefix("note: born is a date"), "\(words): \(outcome.messages)")
            }
        }
    }
}

extension OtherHabitTests {
    @Test(arguments: [
        ("x.csv", "folio export"), ("x.jsonl", "--format jsonl"), ("x.zip", ".folioz"), ("x.db", ".sqlite"),
    ]) func filesOfOtherKindsAreNoDocuments(name: String, hint: String) throws {
        try withTemporaryDirectory { folder in
            let commands = [["save-as", Self.document, name], ["new", name, "--model", FolioCommand.model]]
            for words in commands {
                let outcome = try FolioCommand.run(words, in: folder)
                #expect(
                    outcome.exit == 64 && outcome.hints.first?.contains(hint) == true, "\(words): \(outcome.messages)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            // Who says the form means it.
            #expect(try FolioCommand.run(commands[0] + ["--archive"], in: folder).exit == 0)
        }
    }

    @Test func theScriptOfACompletionIsPrintedAsJSON() throws {
        let outcome = try FolioCommand.run("completion", "bash", "--json").object
        #expect(
            try outcome["shell"] as? String == "bash"
                && outcome["script"] as? String == FolioCommand.run("completion", "bash").output)
    }

    @Test func anEmptyDefaultIsShown() throws {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/M.xcdatamodel"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            try """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Note" syncable="YES">
                    <attribute name="text" attributeType="String" defaultValueString=""/>
                </entity>
            </model>
            """.write(toFile: model + "/contents", atomically: true, encoding: .utf8)
            let outcome = try FolioCommand.run("model", model)
            #expect(outcome.output.contains("  text: String, required, default \"\"\n"), "\(outcome.output)")
        }
    }
}
