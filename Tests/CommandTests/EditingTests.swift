import Foundation
import Testing
import TestSupport

/// The path of everyday work: make a document, fill it, look at it, change it.
struct EditingTests {
    /// A new document of the sample model with a person, a camp and a journey; runs `body` with its
    /// path.
    private func withDocument(_ extra: [String] = [], name: String = "Test.folio", _ body: (String) throws -> Void)
        throws
    {
        try withTemporaryDirectory { folder in
            let path = folder.appendingPathComponent(name).path
            try expectDone(["new", path, "--model", FolioCommand.model] + extra)
            #expect(try insert(path, "Person", "name=Fridtjof Nansen", "born=1861-10-10") == "Person/p1")
            #expect(try insert(path, "Camp", "name=Cape Norway", "code=NORW", "latitude=81.2") == "Camp/p1")
            #expect(
                try insert(
                    path, "Journey", "title=Farthest North", "year=1895", "leader=Person/p1", "members=Person/p1")
                    == "Journey/p1")
            try body(path)
        }
    }

    @discardableResult
    private func expectDone(_ arguments: [String]) throws -> FolioCommand.Outcome {
        let outcome = try FolioCommand.run(arguments)
        #expect(outcome.exit == 0, "\(arguments): \(outcome.messages)")
        return outcome
    }

    /// The short name of the new object.
    private func insert(_ document: String, _ entity: String, _ values: String...) throws -> String {
        let uri = try expectDone(["insert", document, entity] + values).output.trimmingCharacters(in: .newlines)
        #expect(uri.hasPrefix("x-coredata://"))
        return uri.split(separator: "/").suffix(2).joined(separator: "/")
    }

    private func get(_ document: String, _ object: String) throws -> (
        attributes: [String: Any], relationships: [String: Any]
    ) {
        let json = try expectDone(["get", document, object, "--json"]).object
        return (json["attributes"] as? [String: Any] ?? [:], json["relationships"] as? [String: Any] ?? [:])
    }

    private func short(_ uris: Any?) -> [String] {
        (uris as? [String] ?? []).map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
    }

    @Test(arguments: [[], ["--archive"], ["--store", "sqlite"], ["--store", "binary"]])
    func aNewDocumentIsFilledAndReadInEveryForm(form: [String]) throws {
        try withDocument(form, name: "Test.any") { path in
            let journey = try get(path, "Journey/p1")
            #expect(journey.attributes["title"] as? String == "Farthest North")
            #expect(journey.attributes["year"] as? Int == 1895)
            #expect((journey.relationships["leader"] as? String)?.hasSuffix("/Person/p1") == true)
            #expect(short(journey.relationships["members"]) == ["Person/p1"])
            let person = try get(path, "Person/p1")
            #expect(person.attributes["born"] as? String == "1861-10-10T00:00:00Z")
            #expect(person.attributes["homepage"] is NSNull)
            #expect(person.attributes["displayName"] == nil)
            #expect(short(person.relationships["leads"]) == ["Journey/p1"])
        }
    }

    @Test func everyTypeOfAttributeIsWrittenAndReadBack() throws {
        try withDocument { path in
            try withTemporaryDirectory { folder in
                let file = folder.appendingPathComponent("portrait.bin")
                try Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: file)
                try expectDone([
                    "set", path, "Person/p1", "badge=6f0c1d52-0f5b-4c0b-9b0c-0d5b1e1a9a01",
                    "homepage=https://example.org/a?b=c",
                    "portrait=@\(file.path)", "preferences:=\"AAEC\"", "born=1861-10-10T12:34:56.789Z",
                ])
                try expectDone([
                    "set", path, "Journey/p1", "budget=444339.36", "distance=9007199254740993", "year:=-2999",
                    "route=AAECAwQ=",
                ])
                try expectDone([
                    "set", path, "Camp/p1", "elevation=18.1", "latitude=-0.1", "isCharted=no", "capacity=500",
                ])
                let person = try get(path, "Person/p1").attributes
                #expect(person["badge"] as? String == "6F0C1D52-0F5B-4C0B-9B0C-0D5B1E1A9A01")
                #expect(person["homepage"] as? String == "https://example.org/a?b=c")
                #expect(try person["portrait"] as? String == Data(contentsOf: file).base64EncodedString())
                #expect(person["preferences"] as? String == "AAEC")
                #expect(person["born"] as? String == "1861-10-10T12:34:56.789Z")
                let journey = try get(path, "Journey/p1").attributes
                #expect(journey["budget"] as? String == "444339.36")
                #expect(journey["distance"] as? Int == 9_007_199_254_740_993)
                #expect(journey["year"] as? Int == -2999)
                #expect(journey["route"] as? String == "AAECAwQ=")
                let camp = try FolioCommand.run("get", path, "Camp/p1", "--json").output
                #expect(camp.contains("\"elevation\": 18.1,"))
                #expect(camp.contains("\"latitude\": -0.1,"))
                #expect(camp.contains("\"isCharted\": false,"))
                #expect(camp.contains("\"capacity\": 500,"))
            }
        }
    }
}

extension EditingTests {
    @Test func relationshipsAreAddedRemovedAndOrdered() throws {
        try withDocument { path in
            #expect(try insert(path, "Person", "name=Hjalmar Johansen") == "Person/p2")
            try expectDone(["set", path, "Journey/p1", "members+=Person/p2"])
            #expect(short(try get(path, "Journey/p1").relationships["members"]) == ["Person/p1", "Person/p2"])
            try expectDone(["set", path, "Journey/p1", "members-=Person/p1"])
            #expect(short(try get(path, "Person/p1").relationships["journeys"]) == [])
            for _ in 1...3 { _ = try insert(path, "Stop", "journey=Journey/p1", "place=Camp/p1") }
            #expect(short(try get(path, "Journey/p1").relationships["stops"]) == ["Stop/p1", "Stop/p2", "Stop/p3"])
            try expectDone(["set", path, "Journey/p1", "stops=Stop/p3,Stop/p1,Stop/p2"])
            #expect(short(try get(path, "Journey/p1").relationships["stops"]) == ["Stop/p3", "Stop/p1", "Stop/p2"])
            try expectDone(["set", path, "Stop", "--where", "SELF != \"Stop/p1\"", "nights=7"])
            #expect(try get(path, "Stop/p2").attributes["nights"] as? Int == 7)
            #expect(try get(path, "Stop/p1").attributes["nights"] as? Int == 0)
        }
    }

    @Test func deletingFollowsTheRules() throws {
        try withDocument { path in
            _ = try insert(path, "Stop", "journey=Journey/p1", "place=Camp/p1")
            // A person who leads a journey is not deleted, nor a place where somebody stops.
            let denied = try FolioCommand.run("delete", path, "Person/p1", "Camp/p1")
            #expect(denied.exit == 65)
            #expect(denied.errors.count == 1)
            #expect(denied.messages.contains("leads") && denied.messages.contains("stops"))
            let deleted = try expectDone(["delete", path, "Journey/p1", "--json"])
            #expect(short(deleted.object["objects"]) == ["Journey/p1", "Stop/p1"])
            try expectDone(["delete", path, "Person", "--where", "name BEGINSWITH 'Frid'"])
            #expect(try FolioCommand.run("fetch", path, "Person", "--count").output == "0\n")
            #expect(try FolioCommand.run("verify", path).exit == 0)
        }
    }

    @Test(arguments: [
        ["insert", "Person", "name=X", "--dry-run"], ["set", "Person/p1", "name=X", "--dry-run"],
        ["delete", "Journey/p1", "--dry-run"],
    ]) func aDryRunSaysWhatItWouldDoAndDoesNothing(words: [String]) throws {
        try withDocument { path in
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: path))
            let outcome = try expectDone([words[0], path] + words.dropFirst())
            #expect(outcome.messages.hasPrefix("would "))
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test(arguments: [
        ["insert", "DOC", "Person", "name=X"], ["set", "DOC", "Person/p1", "name=X"], ["delete", "DOC", "Journey/p1"],
        ["new", "NEW", "--model", "DOC"],
        ["save-as", "DOC", "NEW"], ["import", "DOC", "/dev/null", "--entity", "Person"],
        ["attach", "DOC", "Person/p1", "portrait", "/dev/null"],
        ["restore", "DOC@2"], ["restore", "DOC@2", "-o", "NEW"], ["pack", "DOC", "NEW"],
        ["repair", "DOC", "-o", "NEW"],
    ]) func aDryRunSaysSoAsJSONToo(words: [String]) throws {
        try withDocument { path in
            let arguments = words.map {
                $0.replacingOccurrences(of: "DOC", with: path).replacingOccurrences(of: "NEW", with: path + ".new")
            }
            let dry = try expectDone(arguments + ["--dry-run", "--json"]), done = try expectDone(arguments + ["--json"])
            #expect(dry.object["dryRun"] as? Bool == true, "\(dry.output)")
            #expect(done.object["dryRun"] as? Bool == false, "\(done.output)")
        }
    }
}

extension EditingTests {
    @Test func aDryRunValidatesToo() throws {
        try withDocument { path in
            let outcome = try FolioCommand.run("insert", path, "Person", "--dry-run")
            #expect(outcome.exit == 65)
        }
    }

    @Test(arguments: [[], ["--archive"], ["--store", "sqlite"]])
    func exportAndImportIntoANewDocumentGiveAnEqualDocument(form: [String]) throws {
        try withDocument { path in
            _ = try insert(path, "Person", "name=Hjalmar \"\\\u{1}\n Johansen")
            _ = try insert(path, "Person", "name=Nobody")
            for _ in 1...3 { _ = try insert(path, "Stop", "journey=Journey/p1", "place=Camp/p1") }
            try expectDone(["set", path, "Journey/p1", "stops=Stop/p3,Stop/p1,Stop/p2", "members+=Person/p2"])
            // Numbers have gaps, too.
            try expectDone(["delete", path, "Person/p3", "Stop/p1"])
            let copy = path + ".copy", file = path + ".json"
            try expectDone(["new", copy, "--model", FolioCommand.model] + form)
            try expectDone(["export", path, "-o", file])
            try expectDone(["import", copy, file])
            let original = try expectDone(["export", path]), imported = try expectDone(["export", copy])
            #expect(try withoutIdentity(original) == withoutIdentity(imported))
            #expect(original.output != imported.output)
        }
    }

    /// An export with its own UUID taken out.
    private func withoutIdentity(_ outcome: FolioCommand.Outcome) throws -> String {
        let uuid = try #require((outcome.object["store"] as? [String: Any])?["uuid"] as? String)
        return outcome.output.replacingOccurrences(of: uuid, with: "UUID")
    }

    @Test func importIntoADocumentWithObjectsGivesNewNumbers() throws {
        try withDocument { path in
            let file = path + ".json"
            try expectDone(["export", path, "-o", file])
            try expectDone(["set", path, "Journey/p1", "title=Another"])
            try expectDone(["set", path, "Camp/p1", "code=OTHER"])
            let outcome = try expectDone(["import", path, file, "--as-new", "--json"])
            let objects = outcome.object["objects"] as? [String: String] ?? [:]
            #expect(objects.count == 3)
            #expect(objects.contains { $0.key.hasSuffix("/Person/p1") && $0.value.hasSuffix("/Person/p2") })
            #expect(short(try get(path, "Journey/p2").relationships["members"]) == ["Person/p2"])
            #expect(short(try get(path, "Person/p1").relationships["leads"]) == ["Journey/p1"])
        }
    }

    @Test(arguments: ["csv", "jsonl"]) func otherFormatsAreImportedToo(format: String) throws {
        try withDocument { path in
            _ = try insert(path, "Person", "name=A, \"B\" and\nC", "born=0005-01-02")
            let copy = path + ".copy", file = path + "." + format
            try expectDone(["new", copy, "--model", FolioCommand.model])
            try expectDone(["set", path, "Journey/p1", "leader=Person/p2", "members="])
            try expectDone(["delete", path, "Journey/p1"])
            try expectDone(["export", path, "--entity", "Person", "--format", format, "-o", file])
            try expectDone(["import", copy, file, "--entity", "Person"])
            let words = ["--columns", "name,born", "--sort", "name", "--format", "csv"]
            let original = try expectDone(["fetch", path, "Person"] + words),
                imported = try expectDone(["fetch", copy, "Person"] + words)
            #expect(withoutStore(original.output) == withoutStore(imported.output))
        }
    }
}

extension EditingTests {
    /// URIs without the store that they name.
    private func withoutStore(_ text: String) -> String {
        text.replacingOccurrences(of: "://[^/]*", with: "", options: .regularExpression)
    }

    @Test func saveAsGoesThroughEveryFormAndBack() throws {
        try withDocument { path in
            try expectDone(["save-as", path, path + ".zip", "--archive"])
            try expectDone(["save-as", path + ".zip", path + ".sqlite", "--store", "sqlite"])
            try expectDone(["save-as", path + ".sqlite", path + ".again"])
            let original = try withoutIdentity(try expectDone(["export", path]))
            for copy in [".zip", ".sqlite", ".again"] {
                #expect(try withoutIdentity(try expectDone(["export", path + copy])) == original)
                #expect(try FolioCommand.run("verify", path + copy).exit == 0)
            }
            let refused = try FolioCommand.run("save-as", path, path + ".zip", "--archive")
            #expect(refused.exit == 73)
            try expectDone(["save-as", path, path + ".zip", "--archive", "--force"])
        }
    }

    @Test func infoTellsWhatIsThere() throws {
        try withDocument { path in
            let info = try expectDone(["info", path, "--json"]).object
            #expect(info["kind"] as? String == "package")
            #expect((info["entities"] as? [String: Int])?["Person"] == 1)
            #expect((info["entities"] as? [String: Int])?["Place"] == nil)
            #expect((info["model"] as? [String: Any])?["name"] as? String == "Expeditions")
            #expect(info["hasUnsavedChanges"] as? Bool == false)
            #expect(info["lock"] is NSNull)
            let deep = try expectDone(["info", path, "--deep", "--json"]).object
            #expect(deep["entities"] as? [String: Int] == info["entities"] as? [String: Int])
            #expect(deep["uuid"] as? String == info["uuid"] as? String)
        }
    }
}
