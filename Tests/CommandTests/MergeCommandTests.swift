import Foundation
import TestSupport
import Testing

/// `folio merge` as a person and a script use it.
struct MergeCommandTests {
    private func withCopies(_ body: (_ ours: String, _ theirs: String, _ folder: URL) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let ours = try FolioCommand.copyOfDocument(in: folder), theirs = folder.path + "/Theirs.folio"
            // A save of its own makes the copies know each other.
            #expect(try FolioCommand.run("set", ours, "Person/p1", "name=Base").exit == 0)
            try FileManager.default.copyItem(atPath: ours, toPath: theirs)
            try body(ours, theirs, folder)
        }
    }

    private func run(_ words: String...) throws -> FolioCommand.Outcome { try FolioCommand.run(words) }

    private func name(_ document: String, _ object: String = "Person/p1") throws -> String? {
        (try run("get", document, object, "--json").object["attributes"] as? [String: Any])?["name"] as? String
    }

    @Test func bothSidesAreInTheResultAndASecondMergeIsNoChange() throws {
        try withCopies { ours, theirs, _ in
            #expect(try run("set", ours, "Person/p1", "name=Ours").exit == 0)
            #expect(try run("set", theirs, "Person/p2", "name=Theirs").exit == 0)
            let dry = try run("merge", ours, theirs, "--dry-run", "--json")
            #expect(dry.exit == 0 && dry.object["dryRun"] as? Bool == true, "\(dry.messages)")
            #expect(try name(ours, "Person/p2") != "Theirs")
            let merge = try run("merge", ours, theirs, "--json")
            #expect(merge.exit == 0 && merge.object["applied"] as? Bool == true, "\(merge.messages)")
            #expect(merge.object["changed"] as? [String: Int] == ["Person": 1])
            #expect(try name(ours) == "Ours")
            #expect(try name(ours, "Person/p2") == "Theirs")
            let generation = try run("versions", ours, "--json").output
            #expect(try run("merge", ours, theirs).messages.contains("nothing to merge"))
            #expect(try run("versions", ours, "--json").output == generation)
        }
    }

    @Test func theStatesOfABaseOfSeveralAreNamedAsTheyWereTyped() throws {
        try withCopies { ours, theirs, folder in
            let former = folder.path + "/Former.folio"
            #expect(try run("insert", ours, "Person", "name=Ours").exit == 0)
            #expect(try run("insert", theirs, "Person", "name=Theirs").exit == 0)
            try FileManager.default.copyItem(atPath: ours, toPath: former)
            #expect(try run("merge", ours, theirs).exit == 0)
            #expect(try run("merge", theirs, former).exit == 0)
            #expect(try run("delete", ours, "Person", "--where", "name == 'Theirs'").exit == 0)
            let names = [ours, theirs].map { ($0 as NSString).lastPathComponent }
            let merge = try FolioCommand.run(["merge", names[0], names[1], "--json"], in: folder)
            #expect(merge.exit == 0)
            let base = (merge.object["base"] as? String ?? "").components(separatedBy: " + ")
            #expect(Set(base.map { $0.prefix { $0 != "@" } }) == Set(names.map { $0[...] }), "\(base)")
            #expect(try !run("fetch", ours, "Person", "--columns", "name").output.contains("Theirs"))
        }
    }

    @Test func conflictsExitWithOneAndWriteNothingUntilTheyAreDecided() throws {
        try withCopies { ours, theirs, folder in
            #expect(try run("set", ours, "Person/p1", "name=Ours").exit == 0)
            #expect(try run("set", theirs, "Person/p1", "name=Theirs").exit == 0)
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: ours))
            let refused = try run("merge", ours, theirs)
            #expect(refused.exit == 1 && refused.output.contains("conflict values Person/p1.name\n"))
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: ours)) == before)
            let json = try run("merge", ours, theirs, "--json")
            let conflict = try #require((json.object["conflicts"] as? [[String: Any]])?.first)
            #expect(conflict["base"] as? String == "Base" && conflict["ours"] as? String == "Ours")
            #expect(conflict["theirs"] as? String == "Theirs" && conflict["choice"] is NSNull)
            let dry = try run("merge", ours, theirs, "--dry-run", "--json")
            #expect(dry.exit == 1 && dry.object["dryRun"] as? Bool == true)
            #expect(json.object["dryRun"] as? Bool == false)
            // The list with the decision in it.
            let file = folder.path + "/decisions.json"
            try Data("[{\"object\":\"Person/p1\",\"property\":\"name\",\"value\":\"Both\"}]".utf8).write(
                to: URL(fileURLWithPath: file))
            let copy = folder.path + "/Merged.folioz"
            #expect(try run("merge", ours, theirs, "--decisions", file, "-o", copy).exit == 0)
            #expect(try name(copy) == "Both")
            #expect(try name(ours) == "Ours")
            #expect(try run("verify", copy, "--deep").exit == 0)
            #expect(try run("merge", ours, theirs, "--theirs").exit == 0)
            #expect(try name(ours) == "Theirs")
            #expect(try run("verify", ours, "--deep").exit == 0)
        }
    }
}

extension MergeCommandTests {
    @Test func theListOfConflictsThatIsPrintedDecidesThem() throws {
        try withCopies { ours, theirs, folder in
            for (document, name, born) in [
                (ours, "Ours", "1901-01-01T00:00:00Z"), (theirs, "Theirs", "1902-01-01T00:00:00Z"),
            ] {
                #expect(try run("set", document, "Person/p1", "name=\(name)", "born=\(born)").exit == 0)
            }
            let file = folder.path + "/decisions.json", next = folder.path + "/printed.json"
            let decisions = [
                "{\"object\":\"Person/p1\",\"property\":\"name\",\"value\":\"Both\"}",
                "{\"object\":\"Person/p1\",\"property\":\"born\",\"value\":\"1903-01-01T00:00:00Z\"}",
            ]
            try Data("[\(decisions.joined(separator: ","))]".utf8).write(to: URL(fileURLWithPath: file))
            let dry = try run("merge", ours, theirs, "--decisions", file, "--dry-run", "--json")
            #expect(dry.exit == 0, "\(dry.messages)")
            try Data(dry.output.utf8).write(to: URL(fileURLWithPath: next))
            let merge = try run("merge", ours, theirs, "--decisions", next, "--json")
            #expect(merge.exit == 0 && merge.object["conflicts"] != nil, "\(merge.messages)")
            let attributes = try run("get", ours, "Person/p1", "--json").object["attributes"] as? [String: Any]
            #expect(attributes?["name"] as? String == "Both")
            #expect((attributes?["born"] as? String)?.hasPrefix("1903-01-01") == true, "\(attributes ?? [:])")
        }
    }

    @Test func aMergeOfGitThatIsRefusedExitsWithOneAndSaysWhy() throws {
        try withTemporaryDirectory { folder in
            func path(_ name: String) -> String { "\(folder.path)/\(name).folioz" }
            let (base, ours, theirs) = (path("base"), path("ours"), path("theirs"))
            #expect(try run("save-as", FolioCommand.document, base).exit == 0)
            let inserted = try run("insert", base, "Person", "name=Idle", "--json")
            #expect(inserted.exit == 0, "\(inserted.messages)")
            let idle = try #require(
                (try run("fetch", base, "Person", "--where", "name == 'Idle'", "--json").json as? [[String: Any]])?
                    .first)
            let id = try #require((idle["id"] as? String)?.split(separator: "/").last)
            for copy in [ours, theirs] { try FileManager.default.copyItem(atPath: base, toPath: copy) }
            let journey = try run("insert", ours, "Journey", "title=Late", "leader=Person/\(id)")
            #expect(journey.exit == 0, "\(journey.messages)")
            #expect(try run("delete", theirs, "Person/\(id)").exit == 0)
            let before = try Data(contentsOf: URL(fileURLWithPath: ours))
            // The leader would go, as it was decided, and may not.
            let merge = try run("merge", "--git", base, ours, theirs, "Doc.folioz", "--theirs")
            #expect(merge.exit == 1, "\(merge.output)\(merge.messages)")
            #expect(
                merge.messages.contains("Doc.folioz: not merged: the result of these decisions"), "\(merge.messages)")
            #expect(merge.output.contains("conflict rule Person/\(id).leads"), "\(merge.output)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: ours)) == before)
            let plain = try run("merge", ours, theirs, "--base", base, "--theirs")
            #expect(plain.exit == 1 && plain.messages.contains("nothing is merged: the result"), "\(plain.messages)")
        }
    }
}

extension MergeCommandTests {
    @Test func manifestsWithImpossibleNumbersAreRefused() throws {
        try withCopies { ours, theirs, _ in
            let file = theirs + "/manifest.json"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            for number in ["9223372036854775807", "4611686018427387904", "-1"] {
                let changed = text.replacing(/"generation" ?: ?\d+/, with: "\"generation\": \(number)")
                #expect(changed != text)
                try Data(changed.utf8).write(to: URL(fileURLWithPath: file))
                let merge = try run("merge", "--git", ours + "/manifest.json", ours + "/manifest.json", file)
                #expect(merge.exit == 65, "\(number): \(merge.exit) \(merge.messages)")
            }
        }
    }

    @Test func whatIsNoListOfDecisionsIsRefused() throws {
        try withCopies { ours, theirs, folder in
            let file = folder.path + "/decisions.json"
            for text in ["nonsense", "3", "[{}]", "[{\"object\":\"Person/p1\",\"choice\":\"mine\"}]"] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: file))
                #expect(try run("merge", ours, theirs, "--decisions", file).exit == 65, "\(text)")
            }
        }
    }

    @Test func wrongOperandsAreUsageErrors() throws {
        try withCopies { ours, theirs, folder in
            #expect(try run("merge", ours, ours).exit == 64)
            #expect(try run("merge", ours, theirs, theirs).exit == 64)
            #expect(try run("merge", ours, "--theirs").exit == 64)
            #expect(try run("merge", ours, folder.path + "/Missing.folio").exit == 66)
            #expect(try run("merge", "--git", ours, theirs).exit == 64)
            // Two documents that were never one.
            let other = folder.path + "/Other.folio"
            #expect(try run("new", other, "--model", FolioCommand.model).exit == 0)
            let merge = try run("merge", ours, other)
            #expect(merge.exit == 66 && merge.messages.contains("--base"), "\(merge.messages)")
        }
    }

    @Test func copiesBesideADocumentAreListed() throws {
        try withCopies { ours, _, folder in
            let copy = folder.path + "/Expeditions (conflicted copy).folio"
            try FileManager.default.copyItem(atPath: ours, toPath: copy)
            let list = try run("merge", ours)
            #expect(list.exit == 0 && list.output == copy + "\n", "\(list.output)\(list.messages)")
        }
    }

    @Test func bareStoresAreMergedByTheirBase() throws {
        try withTemporaryDirectory { folder in
            func path(_ name: String, _ form: String) -> String { "\(folder.path)/\(name).\(form)" }
            for form in ["sqlite", "xml"] {
                let (base, ours, theirs) = (path("base", form), path("ours", form), path("theirs", form))
                #expect(try run("save-as", FolioCommand.document, base).exit == 0)
                for copy in [ours, theirs] {
                    #expect(try run("save-as", base, copy, "--model", FolioCommand.model).exit == 0)
                }
                #expect(try run("set", ours, "Person/p1", "name=Ours", "--model", FolioCommand.model).exit == 0)
                #expect(try run("set", theirs, "Person/p2", "name=Theirs", "--model", FolioCommand.model).exit == 0)
                let merge = try run("merge", ours, theirs, "--base", base, "--model", FolioCommand.model)
                #expect(merge.exit == 0 && merge.messages.contains("another UUID"), "\(form): \(merge.messages)")
                let diff = try run("diff", base, ours, "--model", FolioCommand.model, "--stat", "--json")
                let entities = diff.object["entities"] as? [String: [String: Int]]
                #expect(entities == ["Person": ["added": 0, "changed": 2, "removed": 0]], "\(form): \(diff.output)")
            }
        }
    }

}

extension MergeCommandTests {
    @Test(arguments: ["folioz", "folio", "sqlite", "xml", "storedata"])
    func aMergeWithANamedBaseThatIsMadeAgainIsNoChange(form: String) throws {
        try withTemporaryDirectory { folder in
            func path(_ name: String) -> String { "\(folder.path)/\(name).\(form)" }
            let isBare = !form.hasPrefix("folio"), model = isBare ? ["--model", FolioCommand.model] : []
            func run(_ words: String...) throws -> FolioCommand.Outcome { try FolioCommand.run(words + model) }
            let (base, ours, theirs) = (path("base"), path("ours"), path("theirs"))
            #expect(try FolioCommand.run("save-as", FolioCommand.document, ours).exit == 0)
            for copy in [base, theirs] { try FileManager.default.copyItem(atPath: ours, toPath: copy) }
            #expect(try run("set", ours, "Person/p1", "name=Ours").exit == 0)
            #expect(try run("set", theirs, "Person/p1", "name=Theirs").exit == 0)
            #expect(try run("insert", theirs, "Person", "name=New").exit == 0)
            let first = try run("merge", ours, theirs, "--base", base, "--ours")
            #expect(first.exit == 0 && first.messages.contains("1 inserted"), "\(first.messages)")
            #expect(try run("set", ours, "Person", "--where", "name == 'New'", "name=Newer").exit == 0)
            for decision in ["--ours", "--theirs"] {
                let again = try run("merge", ours, theirs, "--base", base, decision)
                #expect(again.exit == 0 && again.messages.contains("nothing to merge"), "\(again.messages)")
            }
        }
    }
}
