import Foundation
import SQLiteKit
import TestSupport
import Testing

/// What an error says of the command that comes next, and what it does not say of files that nobody
/// named.
struct HintTests {
    @Test func anotherModelIsMigratedOrNamed() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/Store.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            let outcome = try FolioCommand.run(
                "fetch", store, "Person", "--model",
                FolioCommand.samples.path + "/Expeditions.xcdatamodeld#Expeditions 2")
            #expect(outcome.exit == 78 && outcome.hints.count == 1, "\(outcome.messages)")
            #expect(
                outcome.hints.allSatisfy {
                    $0.contains("folio migrate \(store) --model MODEL") && $0.contains("(--model MODEL)")
                }, "\(outcome.messages)")

            // A store that carries no model can't be migrated without it.
            let connection = try Connection(store, .readWrite)
            try connection.execute("DROP TABLE Z_MODELCACHE")
            try connection.close()
            let other = FolioCommand.samples.path + "/Expeditions.xcdatamodeld#Expeditions 2"
            let alone = try FolioCommand.run("fetch", store, "Person", "--model", other)
            #expect(alone.exit == 78 && alone.hints.count == 1, "\(alone.messages)")
            #expect(
                alone.hints.allSatisfy {
                    $0.contains("carries no model") && $0.contains("folio model hash") && !$0.contains("folio migrate")
                }, "\(alone.messages)")
        }
    }

    @Test func damageIsVerifiedAndRepaired() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/A Store.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: store))
            try handle.seek(toOffset: 100)
            try handle.write(contentsOf: Data(repeating: 0xFF, count: 4000))
            try handle.close()
            let outcome = try FolioCommand.run("fetch", "A Store.sqlite", "Person", in: folder)
            #expect(outcome.exit == 65 && outcome.hints.count == 1, "\(outcome.messages)")
            #expect(
                outcome.hints == [
                    "hint: folio verify 'A Store.sqlite' says what is damaged; folio repair 'A Store.sqlite' -o NEW saves what can be read"
                ])
            let repair = try FolioCommand.run("repair", "A Store.sqlite", "-o", "New.sqlite", in: folder)
            #expect(
                !repair.messages.contains("folio repair") && !repair.messages.contains("/folio-"), "\(repair.messages)")
        }
    }

    @Test func aStoreThatIsCutOffIsVerifiedAndRepaired() throws {
        try withTemporaryDirectory { folder in
            _ = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("save-as", "Expeditions.folio", "Store.sqlite", in: folder).exit == 0)
            for store in ["Expeditions.folio/store/store.sqlite", "Store.sqlite"] {
                let handle = try FileHandle(forUpdating: folder.appendingPathComponent(store))
                try handle.truncate(atOffset: 30000)
                try handle.close()
            }
            let model = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
            for document in ["Expeditions.folio", "Store.sqlite"] {
                let hint =
                    "folio verify \(document) says what is damaged; folio repair \(document) -o NEW saves what can be read"
                for words in [
                    ["fetch", document, "Person"], ["info", document, "--deep"],
                    ["migrate", document, "--model", model],
                    ["get", document, "Person/p1"], ["set", document, "Person/p1", "name=x"],
                    ["export", document], ["diff", document, FolioCommand.document],
                ] {
                    let outcome = try FolioCommand.run(words, in: folder)
                    #expect(outcome.exit == 65 && outcome.hints == ["hint: \(hint)"], "\(words): \(outcome.messages)")
                    let json = try FolioCommand.run(words + ["--json"], in: folder).messages
                    #expect(json.contains("\"hint\":\"\(hint)\""), "\(words): \(json)")
                }
            }
        }
    }
}

extension HintTests {
    @Test func whatIsNotToBeWrittenToIsMadeWritable() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/Store.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            #expect(chmod(store, 0o444) == 0)
            let outcome = try FolioCommand.run("set", "Store.sqlite", "Person/p1", "name=A", in: folder)
            #expect(
                outcome.exit == 77 && outcome.hints == ["hint: make it writable: chmod u+w Store.sqlite"],
                "\(outcome.messages)")
            #expect(try FolioCommand.run("fetch", store, "Person").exit == 0)
        }
    }

    @Test func namesThatNothingCanHaveAreNotThereAndCannotBeMade() throws {
        try withTemporaryDirectory { folder in
            let name = folder.path + "/" + String(repeating: "n", count: 300)
            #expect(try FolioCommand.run("info", name + ".folio").exit == 66)
            for form in ["folio", "folioz", "sqlite", "xml"] {
                let outcome = try FolioCommand.run("new", "\(name).\(form)", "--model", FolioCommand.model)
                #expect(
                    outcome.exit == 73 && outcome.errors.count == 1 && outcome.messages.contains("too long"),
                    "\(form): \(outcome.messages)")
            }
            #expect(try FolioCommand.run("export", FolioCommand.document, "-o", name).exit == 73)
            // One that leaves no room for that of the lock file is too long as well, for a new
            // document and for one that is there.
            let long = folder.path + "/" + String(repeating: "n", count: 244) + ".folio"
            let made = try FolioCommand.run("new", long, "--model", FolioCommand.model)
            #expect(
                made.exit == 73
                    && made.messages.contains("its name is too long: it has 250 bytes, at most 249 are possible")
                    && !made.messages.contains(".lock"), "\(made.messages)")
            try FileManager.default.copyContents(
                of: URL(fileURLWithPath: FolioCommand.document), to: URL(fileURLWithPath: long))
            let edited = try FolioCommand.run("insert", long, "Person", "name=A")
            #expect(
                edited.exit == 73 && edited.messages.contains("at most 249 are possible")
                    && !edited.messages.contains(".lock"), "\(edited.messages)")
            #expect(try FolioCommand.run("fetch", long, "Person", "--count").output == "5\n")
            let longest = folder.path + "/" + String(repeating: "n", count: 243) + ".folio"
            #expect(try FolioCommand.run("save-as", long, longest).exit == 0)
            #expect(try FolioCommand.run("insert", longest, "Person", "name=A").exit == 0)
            for path in [long, longest] { try FileManager.default.removeItem(atPath: path) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test func whatIsSavedIsSaidToBeThoughTheResultCannotBeWritten() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let outcome = try FolioCommand.run(
                ["insert", document, "Person", "name=A"], through: ["/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"])
            #expect(outcome.exit == 74)
            #expect(
                outcome.errors == ["folio: output: saved, but the result could not be written: No space left on device"]
            )
            #expect(try FolioCommand.run("fetch", document, "Person", "--count").output == "6\n")
            let read = try FolioCommand.run(
                ["fetch", document, "Person"], through: ["/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"])
            #expect(read.errors == ["folio: output: No space left on device"])
        }
    }
}

extension HintTests {
    /// Standard output that is full, and one that nobody reads any more.
    private static let lost =
        [
            ("exec \"$@\" >/dev/full", 74, "No space left on device"),
            ("mkfifo lost; exec 5<>lost 6>lost 5>&-; rm lost; exec \"$@\" >&6 6>&-", 141, "Broken pipe"),
        ] as [(script: String, exit: Int32, reason: String)]

    /// Every command that writes something and tells of it.
    @Test(
        .enabled(if: runsSweeps),
        arguments: [
            ["insert", "DOC", "Person", "name=A"], ["set", "DOC", "Person/p1", "name=A", "--json"],
            ["delete", "DOC", "Person/p5", "--json"], ["import", "DOC", "Person.json", "--json"],
            ["attach", "DOC", "Person/p1", "portrait", "Person.json", "--json"],
            ["new", "New.folio", "--model", "MODEL", "--json"], ["save-as", "DOC", "New.sqlite", "--json"],
            ["pack", "DOC", "New.folioz", "--json"], ["unpack", "A.folioz", "New.folio", "--json"],
            ["repair", "DOC", "-o", "New.folio", "--json"],
            ["migrate", "DOC", "--model", "MODEL 2", "--json"],
            ["migrate", "DOC", "--model", "MODEL 2", "-o", "New.folio", "--json"],
            ["restore", "DOC@VERSION", "--json"],
            ["restore", "DOC@VERSION", "-o", "New.folio", "--json"],
            ["versions", "name", "DOC@VERSION", "x", "--json"],
            ["versions", "prune", "DOC", "--keep", "0", "--json"],
            ["codegen", "MODEL", "-o", "New"], ["extract", "DOC", "Journey/p3", "route", "-o", "New.data", "--json"],
        ]) func whatIsWrittenIsSaidToBeWhereItsResultIsLost(words: [String]) throws
    {
        try withTemporaryDirectory { folder in
            for (number, lost) in Self.lost.enumerated() {
                let own = folder.appendingPathComponent("\(number)"), document = own.path + "/Expeditions.folio"
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
                _ = try FolioCommand.copyOfDocument(in: own)
                #expect(try FolioCommand.run("set", document, "Person/p1", "name=B").exit == 0)
                #expect(try FolioCommand.run("pack", document, own.path + "/A.folioz").exit == 0)
                try Data(#"[{"name": "A"}]"#.utf8).write(to: own.appendingPathComponent("Person.json"))
                let versions = try FolioCommand.run("versions", document, "--json").json as? [[String: Any]]
                let version = try #require(versions?.first?["version"] as? Int),
                    before = try FolioCommand.contents(of: own)
                let arguments = words.map {
                    $0.replacing("DOC", with: "Expeditions.folio").replacing("VERSION", with: "\(version)").replacing(
                        "MODEL", with: FolioCommand.model)
                }
                let outcome = try FolioCommand.run(arguments, in: own, through: ["/bin/sh", "-c", lost.script, "sh"])
                #expect(
                    outcome.exit == lost.exit
                        && outcome.messages.contains("saved, but the result could not be written: \(lost.reason)"),
                    "\(words): \(outcome.exit) \(outcome.messages)")
                #expect(try FolioCommand.contents(of: own) != before, "\(words)")
            }
        }
    }

    /// Nothing was saved by who only reads.
    @Test(arguments: [
        ["fetch", "DOC", "Person"], ["export", "DOC"], ["versions", "DOC"],
        ["insert", "DOC", "Person", "name=A", "--dry-run", "--json"], ["codegen", "DOC", "-o", "New", "--dry-run"],
    ])
    func whatIsReadIsNotSaidToBeSaved(words: [String]) throws {
        try withTemporaryDirectory { folder in
            _ = try FolioCommand.copyOfDocument(in: folder)
            for lost in Self.lost {
                let outcome = try FolioCommand.run(
                    words.map { $0.replacing("DOC", with: "Expeditions.folio") }, in: folder,
                    through: ["/bin/sh", "-c", lost.script, "sh"])
                #expect(
                    outcome.exit == lost.exit && !outcome.messages.contains("saved")
                        && outcome.messages.contains(lost.reason) == (lost.exit == 74), "\(words): \(outcome.messages)")
            }
        }
    }
}

extension HintTests {
    /// A file that the results were to go to is named.
    @Test(arguments: [
        ["insert", "DOC", "Person", "name=A"], ["set", "DOC", "Person/p1", "name=A", "--json"],
        ["save-as", "DOC", "New.folioz", "--json"], ["fetch", "DOC", "Person"], ["verify", "DOC"],
    ])
    func aFileThatIsFullIsNamed(words: [String]) throws {
        try withTemporaryDirectory { folder in
            _ = try FolioCommand.copyOfDocument(in: folder)
            let outcome = try FolioCommand.run(
                words.map { $0.replacing("DOC", with: "Expeditions.folio") } + ["-o", "/dev/full"], in: folder)
            let reads = ["fetch", "verify"].contains(words[0]),
                saved = reads ? "" : "saved, but the result could not be written: "
            #expect(outcome.exit == 74 && outcome.output.isEmpty, "\(outcome.exit) \(outcome.messages)")
            if words.contains("--json") {
                #expect(
                    outcome.messages.contains("\"message\":\"\(saved)No space left on device\",\"path\":\"/dev/full\""),
                    "\(outcome.messages)")
            } else {
                #expect(
                    outcome.messages == "folio: \(words[0]): /dev/full: \(saved)No space left on device\n",
                    "\(outcome.messages)")
            }
        }
    }

    @Test func errorsAreJSONWhateverIsWrong() throws {
        for words in [
            ["fetch", FolioCommand.document, "Person", "--format", "csv", "--json"],
            ["fetch", "--json", FolioCommand.document, "Person", "--format=csv"],
        ] {
            let outcome = try FolioCommand.run(words)
            #expect(outcome.exit == 64 && outcome.messages.hasPrefix("{\"error\":"), "\(outcome.messages)")
        }
        let outcome = try FolioCommand.run(
            ["--json"], through: ["/bin/sh", "-c", "exec \"$0\" fetch \"$(printf 'a\\377')\" \"$@\""])
        #expect(outcome.exit == 64 && outcome.messages.hasPrefix("{\"error\":"), "\(outcome.messages)")
    }

    @Test func aStoreWithoutItsModelIsCountedByItsTables() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/Store.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            let known = try FolioCommand.run("info", store, "--json").object
            let connection = try Connection(store, .readWrite)
            try connection.execute("DROP TABLE Z_MODELCACHE")
            try connection.close()
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("info", store, "--json")
            #expect(outcome.exit == 0 && outcome.messages.contains("--model"), "\(outcome.messages)")
            var entities = try #require(outcome.object["entities"] as? [String: Int])
            #expect(entities.removeValue(forKey: "Place") == 0)
            #expect(entities == known["entities"] as? [String: Int] && entities["Person"] == 5)
            #expect(
                (outcome.object["model"] as? [String: Any])?["isKnown"] as? Bool == false
                    && (known["model"] as? [String: Any])?["isKnown"] as? Bool == true)
            #expect((outcome.object["attachments"] as? [String: Int]) == known["attachments"] as? [String: Int])
            #expect(try FolioCommand.run("info", store).output.contains("\nmodel       none"))
            #expect(try FolioCommand.contents(of: folder) == before)
            let given = try FolioCommand.run("info", store, "--model", FolioCommand.model)
            #expect(given.exit == 0 && given.messages.isEmpty)
            #expect(try FolioCommand.run("fetch", store, "Person").hints == ["hint: give its model with --model MODEL"])
        }
    }
}

extension HintTests {
    @Test func anXMLStoreWithoutItsModelIsCountedByItsElements() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/Store.xml"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            let known = try FolioCommand.run("info", store, "--json", "--model", FolioCommand.model).object
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("info", store, "--json")
            #expect(
                outcome.exit == 0 && outcome.messages.contains("what its file says")
                    && outcome.messages.contains("--model"), "\(outcome.messages)")
            #expect(
                Set(outcome.object.keys) == Set(known.keys)
                    && outcome.object["uuid"] as? String == known["uuid"] as? String)
            var entities = try #require(outcome.object["entities"] as? [String: Int])
            #expect(entities.removeValue(forKey: "Place") == 0)
            #expect(entities == known["entities"] as? [String: Int] && entities["Person"] == 5)
            #expect((outcome.object["model"] as? [String: Any])?["isKnown"] as? Bool == false)
            #expect(try FolioCommand.run("info", store).output.contains("\nmodel       none"))
            #expect(try FolioCommand.contents(of: folder) == before)
            #expect(try FolioCommand.run("fetch", store, "Person").exit == 78)
        }
    }
}
