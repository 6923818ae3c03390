import Foundation
import Testing
import TestSupport

/// What goes wrong is said in one line, with the right exit code, and changes nothing.
struct WrongInputTests {
    /// Runs a command that must fail on a copy of the sample document, `DOC` in its words.
    private func expectFailure(
        _ words: [String], exit: Int32, code: String? = nil, says texts: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let arguments = words.map { $0.replacingOccurrences(of: "DOC", with: document) }
            let outcome = try FolioCommand.run(arguments, in: folder)
            #expect(outcome.exit == exit, "\(outcome.messages)", sourceLocation: sourceLocation)
            #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
            #expect(outcome.errors.count == 1, "\(outcome.messages)", sourceLocation: sourceLocation)
            for text in texts {
                #expect(outcome.messages.contains(text), "\(outcome.messages)", sourceLocation: sourceLocation)
            }
            #expect(try FolioCommand.contents(of: folder) == before, sourceLocation: sourceLocation)
            guard let code else { return }
            let json = try FolioCommand.run(arguments + ["--json"], in: folder)
            #expect(json.exit == exit, sourceLocation: sourceLocation)
            #expect(json.messages.contains("\"code\":\"\(code)\""), "\(json.messages)", sourceLocation: sourceLocation)
        }
    }

    @Test func aMissingFile() throws {
        try expectFailure(["fetch", "Nowhere.folio", "Person"], exit: 66, code: "notFound", says: ["Nowhere.folio"])
        try expectFailure(["set", "Nowhere.folio", "Person/p1", "name=X"], exit: 66, says: ["Nowhere.folio"])
        try expectFailure(["import", "DOC", "nowhere.json"], exit: 66, says: ["nowhere.json"])
        try expectFailure(["model", "nowhere.xcdatamodeld"], exit: 66, says: ["nowhere.xcdatamodeld"])
        for words in [
            ["info", "DOC"], ["verify", "DOC"], ["fetch", "DOC", "Person"], ["insert", "DOC", "Person"],
            ["diff", "DOC", "DOC"], ["repair", "DOC", "-o", "New.folio"],
        ] {
            try expectFailure(
                words + ["--model", "nowhere.xcdatamodeld"], exit: 66, code: "notFound", says: ["nowhere.xcdatamodeld"])
        }
        try expectFailure(["set", "DOC", "Person/p1", "portrait=@nowhere.jpg"], exit: 66, says: ["nowhere.jpg"])
    }

    @Test func anEmptyNameIsNotTheFolderThatOneIsIn() throws {
        for words in [
            ["fetch", "", "Person"], ["info", ""], ["new", "", "--model", FolioCommand.model], ["save-as", "DOC", ""],
        ] {
            try expectFailure(words, exit: 64, code: "usage", says: ["an argument is empty"])
        }
    }

    @Test func aShortNameIsNamedInTheError() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let outcome = try FolioCommand.run("import", document, "f", in: folder)
            #expect(outcome.exit == 66)
            #expect(outcome.errors == ["folio: import: f: there is no such file"])
        }
    }

    @Test func aFolderWithoutManifest() throws {
        try withTemporaryDirectory { folder in
            let outcome = try FolioCommand.run("export", folder.path)
            #expect(outcome.exit == 65)
            #expect(outcome.errors.count == 1)
            #expect(outcome.messages.contains("manifest.json"))
        }
    }
}

extension WrongInputTests {
    @Test(arguments: [Data(), Data("Dear diary,\n".utf8), Data([0, 1, 2, 3, 255]), Data("SQLite format 3\0".utf8)])
    func aFileThatIsNoDocument(bytes: Data) throws {
        try withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file.sqlite")
            try bytes.write(to: file)
            let outcome = try FolioCommand.run("export", file.path)
            #expect(outcome.exit == 65)
            #expect(outcome.errors.count == 1)
            #expect(try FolioCommand.contents(of: folder) == ["file.sqlite": bytes])
        }
    }

    @Test(arguments: [100, 4096, 20_000, 40_000]) func aTruncatedStore(length: Int) throws {
        try withTemporaryDirectory { folder in
            let store = folder.appendingPathComponent("Test.sqlite")
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store.path, "--store", "sqlite").exit == 0)
            let bytes = try Data(contentsOf: store).prefix(length)
            try bytes.write(to: store)
            for command in ["export", "verify", "info"] {
                let outcome = try FolioCommand.run(command, store.path)
                #expect(
                    outcome.exit == 65 || (command == "verify" && outcome.exit == 1), "\(command): \(outcome.messages)")
                #expect(outcome.errors.count == (outcome.exit == 1 ? 0 : 1))
            }
            #expect(try FolioCommand.contents(of: folder) == ["Test.sqlite": bytes])
        }
    }

    @Test func anUnknownEntityOrKeyGetsASuggestion() throws {
        try expectFailure(
            ["fetch", "DOC", "Persn"], exit: 64, code: "unknownEntity", says: ["Persn", "hint: did you mean Person?"])
        try expectFailure(
            ["insert", "DOC", "Person", "nmae=X"], exit: 64, code: "unknownKey",
            says: ["nmae", "hint: did you mean name?"])
        try expectFailure(
            ["set", "DOC", "Person", "--where", "name == 'nobody'", "nmae=X"], exit: 64, code: "unknownKey",
            says: ["nmae", "hint: did you mean name?"])
        try expectFailure(
            ["set", "DOC", "Person/p1", "titel=X"], exit: 64, code: "unknownKey", says: ["Person has no property titel"]
        )
        try expectFailure(
            ["fetch", "DOC", "Person", "--where", "nmae == 'X'"], exit: 64, code: "unknownKey", says: ["nmae", "name"])
        try expectFailure(["fetch", "DOC", "Person", "--sort", "nmae"], exit: 64, code: "unknownKey", says: ["nmae"])
        try expectFailure(
            ["fetch", "DOC", "Journey", "--columns", "leader.nmae"], exit: 64, code: "unknownKey",
            says: ["nmae", "name"])
        try expectFailure(
            ["insert", "DOC", "Place", "name=X"], exit: 64, code: "abstractEntity", says: ["Place is abstract"])
    }

    @Test func aBadPredicateIsShownWithThePlace() throws {
        try expectFailure(
            ["fetch", "DOC", "Person", "--where", "name == == 'X'"], exit: 64, code: "predicateSyntax",
            says: ["column 9", "  name == == 'X'\n          ^\n"])
        try expectFailure(
            ["fetch", "DOC", "Person", "--where", "name CONTAINS"], exit: 64, code: "predicateSyntax", says: ["^"])
        try expectFailure(["delete", "DOC", "Person", "--where", "(name = 'X'"], exit: 64, says: ["^"])
    }

    @Test func aValueOfTheWrongTypeIsExplained() throws {
        try expectFailure(
            ["set", "DOC", "Journey/p1", "year=soon"], exit: 64, code: "wrongType",
            says: ["year", "Integer 32", "soon"])
        try expectFailure(
            ["set", "DOC", "Camp/p4", "capacity=40000"], exit: 64, code: "wrongType", says: ["capacity", "32767"])
        try expectFailure(
            ["set", "DOC", "Person/p1", "born=2001-02-30"], exit: 64, code: "wrongType", says: ["born", "Date"])
        try expectFailure(
            ["set", "DOC", "Person/p1", "badge=1"], exit: 64, code: "wrongType", says: ["badge", "UUID"])
        try expectFailure(
            ["set", "DOC", "Person/p1", "name:=1"], exit: 64, code: "wrongType", says: ["name", "String"])
        try expectFailure(
            ["set", "DOC", "Journey/p1", "leader=Camp/p4"], exit: 64, code: "wrongType", says: ["leader", "Person"])
        try expectFailure(
            ["set", "DOC", "Journey/p1", "leader=Person/p99"], exit: 66, code: "unknownObject", says: ["Person/p99"])
        try expectFailure(["set", "DOC", "Journey/p1", "leader=x"], exit: 64, says: ["x"])
        try expectFailure(["set", "DOC", "Person/p1", "name+=Person/p2"], exit: 64, says: ["name", "+="])
        try expectFailure(["fetch", "DOC", "Journey", "--where", "year == 'soon'"], exit: 64, says: ["year"])
    }
}

extension WrongInputTests {
    @Test func everyViolatedRuleIsListed() throws {
        try expectFailure(
            ["insert", "DOC", "Camp", "code=x", "capacity=0", "latitude=91"], exit: 65, code: "validation",
            says: ["4 rules", "name", "code", "capacity", "latitude"])
        try expectFailure(["set", "DOC", "Person/p1", "name="], exit: 65, says: ["name"])
    }

    @Test func aDeniedDeletionSaysNothingElse() throws {
        try expectFailure(
            ["delete", "DOC", "Person/p1"], exit: 65, code: "validation",
            says: ["a rule is violated: Person can't be deleted while leads has 2 objects (Person/p1)\n"])
    }

    @Test func whatAStoreCannotKeepIsRefused() throws {
        try expectFailure(
            ["set", "DOC", "Camp/p4", "latitude=NaN"], exit: 65, code: "validation",
            says: ["Camp.latitude is NaN", "Camp/p4"])
        try expectFailure(
            ["set", "DOC", "Camp/p4", "elevation=NaN"], exit: 65, code: "validation", says: ["Camp.elevation is NaN"])
    }

    @Test func aPartOfACompositeIsNamed() throws {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("New.folio").path
            #expect(
                try FolioCommand.run(
                    "new", document, "--model", FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
                ).exit == 0)
            let words = [
                "insert", document, "Camp", "code=FRAM", "name=Framheim", "position:={\"latitude\":95,\"longitude\":7}",
            ]
            let outcome = try FolioCommand.run(words)
            #expect(outcome.exit == 65)
            #expect(
                outcome.errors.count == 1
                    && outcome.messages.contains(": a rule is violated: Camp.position.latitude is greater than 90\n"))
            let messages = try FolioCommand.run(words + ["--json"]).messages
            #expect(messages.contains("\"key\":\"position.latitude\"") && messages.contains("\"value\":\"95.0\""))
        }
    }

    @Test func aConstraintIsNamed() throws {
        try expectFailure(
            ["insert", "DOC", "Journey", "title=The South Pole", "leader=Person/p1"], exit: 65, code: "constraint",
            says: ["Journey.title must be unique", "Journey/p"])
    }

    @Test func anUnknownObjectIsNotFound() throws {
        try expectFailure(["get", "DOC", "Person/p99"], exit: 66, code: "unknownObject", says: ["Person/p99"])
        try expectFailure(["delete", "DOC", "Person/p1", "Person/p99"], exit: 66, says: ["Person/p99"])
        try expectFailure(
            ["get", "DOC", "x-coredata://00000000-0000-0000-0000-000000000000/Person/p1"], exit: 66,
            says: ["another store"])
        try expectFailure(["get", "DOC", "Person"], exit: 64, says: ["Person"])
    }

    /// Entities of a hierarchy share their numbers; an object is still of one entity.
    @Test func anObjectOfAnotherEntityIsNotTheOneThatWasNamed() throws {
        #expect(try FolioCommand.run("get", FolioCommand.document, "Harbour/p1").exit == 0)
        #expect(try FolioCommand.run("get", FolioCommand.document, "Place/p1").exit == 0)
        try expectFailure(["get", "DOC", "Camp/p1"], exit: 66, code: "unknownObject", says: ["Camp/p1"])
        try expectFailure(["delete", "DOC", "Camp/p1"], exit: 66, says: ["Camp/p1"])
        try expectFailure(["set", "DOC", "Stop/p1", "place=Camp/p1"], exit: 66, says: ["Camp/p1"])
    }

    @Test func aPlaceForTemporaryFilesThatIsNotThereIsNoDamageAndNoMistake() throws {
        try withTemporaryDirectory { folder in
            let archive = folder.path + "/A.folioz", document = try FolioCommand.copyOfDocument(in: folder),
                missing = folder.path + "/missing"
            #expect(try FolioCommand.run("save-as", document, archive, "--archive").exit == 0)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=A").exit == 0)
            for words in [
                ["verify", archive], ["pack", document, archive, "--force"],
                ["repair", document, "-o", folder.path + "/B.folio"],
            ] {
                let outcome = try FolioCommand.run(words, through: ["/usr/bin/env", "TMPDIR=\(missing)"])
                #expect(outcome.exit == 73, "\(words): \(outcome.messages)")
                #expect(outcome.errors.count == 1 && outcome.messages.contains("missing/"))
            }
            let edited = try FolioCommand.run(
                ["set", archive, "Person/p1", "name=B"], through: ["/usr/bin/env", "XDG_STATE_HOME=/proc/missing"])
            #expect(edited.exit == 73, "\(edited.messages)")
            #expect(edited.messages.contains("/proc/missing"))
        }
    }
}

extension WrongInputTests {
    @Test func deletingAllObjectsHasToBeMeant() throws {
        try expectFailure(["delete", "DOC", "Person"], exit: 64, says: ["TRUEPREDICATE"])
    }

    @Test func whatIsThereIsNotOverwritten() throws {
        try expectFailure(["new", "DOC", "--model", FolioCommand.model], exit: 73, code: "exists", says: ["already"])
        try expectFailure(["save-as", "DOC", "DOC"], exit: 73, says: ["already"])
        try expectFailure(["new", "nowhere/New.folio", "--model", FolioCommand.model], exit: 73, says: ["nowhere"])
    }

    @Test func aDocumentWithinTheOneItIsMadeOfIsRefused() throws {
        let model = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
        for words in [
            ["save-as", "DOC", "DOC/New.folio"], ["save-as", "DOC", "DOC/content/New.folioz", "--archive", "--force"],
            ["pack", "DOC", "DOC/store/New.folioz"],
            ["repair", "DOC", "-o", "DOC/../Expeditions.folio/New.folio"],
            ["migrate", "DOC", "--model", model, "-o", "DOC/New.folio"],
        ] {
            try expectFailure(words, exit: 64, code: "usage", says: ["would lie in"])
        }
    }

    @Test func aDamagedImportFileChangesNothing() throws {
        for (name, text) in [
            ("a.json", "{\"format\":"), ("b.json", "[{\"attributes\":{}}]"), ("c.csv", "name\n\"x"),
            ("d.json", "[{\"id\":\"Person/p1\",\"nmae\":\"x\"}]"),
        ] {
            try withTemporaryDirectory { folder in
                let document = try FolioCommand.copyOfDocument(in: folder)
                let file = folder.appendingPathComponent(name)
                try Data(text.utf8).write(to: file)
                let before = try FolioCommand.contents(of: folder)
                let outcome = try FolioCommand.run(
                    ["import", document, file.path] + (name == "c.csv" ? ["--entity", "Person"] : []))
                #expect(outcome.exit == 65, "\(name): \(outcome.messages)")
                #expect(outcome.errors.count == 1)
                #expect(try FolioCommand.contents(of: folder) == before)
            }
        }
    }

    @Test func namesFromADocumentCannotControlTheTerminal() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=\u{1B}[31mred\u{202E}\u{7}").exit == 0)
            for words in [["fetch", document, "Person"], ["get", document, "Person/p1"]] {
                let output = try FolioCommand.run(words).output
                #expect(output.contains("\\u{1b}[31mred\\u{202e}\\u{7}"))
                #expect(!output.contains("\u{1B}"))
            }
        }
    }
}
