import Foundation
import TestSupport
import Testing

/// Rules about the files of a command line, for every command that has such files.
extension OptionTableTests {
    /// A document with its links, an archive and files beside it; `VERSION` in words is a version
    /// of it.
    private func withFiles(_ body: (_ run: ([String]) throws -> Void) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=A").exit == 0)
            #expect(try FolioCommand.run("pack", document, folder.path + "/A.folioz").exit == 0)
            try Data("name\nAda\n".utf8).write(to: folder.appendingPathComponent("p.csv"))
            try FileManager.default.moveItem(atPath: document, toPath: folder.path + "/D.folio")
            for (link, name) in [("DLink.folio", "D.folio"), ("ALink.folioz", "A.folioz"), ("plink.csv", "p.csv")] {
                try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + link, withDestinationPath: name)
            }
            let versions = try FolioCommand.run("versions", "D.folio", "--json", in: folder).json as? [[String: Any]]
            let version = try #require(versions?.first?["version"] as? Int),
                before = try FolioCommand.contents(of: folder)
            try body { words in
                let outcome = try FolioCommand.run(
                    words.map { $0.replacing("VERSION", with: "\(version)") }, in: folder)
                #expect(
                    outcome.exit == 64 && outcome.output.isEmpty && outcome.errors.count == 1,
                    "\(words): \(outcome.exit) \(outcome.messages)")
                #expect(try FolioCommand.contents(of: folder) == before, "\(words)")
            }
        }
    }

    /// With `--force`, too.
    @Test func aNewDocumentDoesNotTakeThePlaceOfWhatItIsMadeOf() throws {
        let model = FolioCommand.model + " 2",
            places = ["D.folio", "DLink.folio", "./D.folio/", "D.folio/N.folio", "DLink.folio/store/N.folio"]
        let words: [String: (words: [String], places: [String])] = [
            "new": (["NEW", "--model", "D.folio"], places), "save-as": (["D.folio", "NEW"], places),
            "migrate": (["D.folio", "--model", model, "-o", "NEW"], places),
            "repair": (["D.folio", "-o", "NEW"], places), "restore": (["D.folio@VERSION", "-o", "NEW"], places),
            "pack": (["D.folio", "NEW"], places),
            "merge": (["D.folio", "A.folioz", "-o", "NEW"], places),
            "unpack": (["A.folioz", "NEW"], ["A.folioz", "ALink.folioz", "./A.folioz"]),
        ]
        // What `extract` makes is no document, and each of its files is checked by itself.
        let commands = try Self.commands().filter { $0.option("--force") != nil && $0.name != "extract" }
        #expect(Set(commands.map(\.name)) == Set(words.keys))
        try withFiles { expectRefused in
            for (name, (words, places)) in words {
                for place in places { try expectRefused([name] + words.map { $0 == "NEW" ? place : $0 } + ["--force"]) }
            }
        }
    }

    @Test func resultsDoNotGoOverWhatIsRead() throws {
        let words: [String: [String]] = [
            "info": ["D.folio"], "model": ["D.folio"], "fetch": ["D.folio", "Person"], "get": ["D.folio", "Person/p1"],
            "explain": ["D.folio", "Person"], "verify": ["D.folio"],
            "insert": ["D.folio", "Person", "name=B", "portrait=@p.csv"],
            "set": ["D.folio", "Person/p1", "portrait=@p.csv"], "delete": ["D.folio", "Person/p5"],
            "import": ["D.folio", "Person=p.csv"], "export": ["D.folio"], "save-as": ["D.folio", "N.folio"],
            "diff": ["A.folioz", "D.folio"], "versions": ["D.folio"], "conflicts": ["D.folio"],
            "resolve": ["D.folio", "--all", "--ours"],
            "recover": ["D.folio", "--list"], "pack": ["D.folio", "N.folioz"], "unpack": ["A.folioz", "N.folio"],
            "attach": ["D.folio", "Person/p1", "portrait", "p.csv"],
            "extract": ["D.folio", "Journey/p3", "route"], "codegen": ["D.folio"],
            "new": ["N.folio", "--model", "D.folio"], "port": ["D.folio"],
        ]
        // Those whose -o is a new document are looked at above.
        let known = try Self.commands().filter {
            $0.usage.contains(/\b(DOC|MODEL|DIR|ARCHIVE)\b/) && $0.option("-o")?.value != "NEW" && $0.name != "serve"
        }
        #expect(Set(known.map(\.name)) == Set(words.keys))
        try withFiles { expectRefused in
            for (name, words) in words {
                var places: [String] = []
                if words.contains("D.folio") {
                    places +=
                        ["D.folio/manifest.json", "DLink.folio/new"]
                        + (name == "codegen" ? ["D.folio"] : ["D.folio", "DLink.folio"])
                }
                if words.contains("A.folioz") { places += ["A.folioz", "ALink.folioz"] }
                if words.contains(where: { $0.hasSuffix("p.csv") }) { places += ["p.csv", "plink.csv", "./p.csv"] }
                // What it makes is not read, and not to be written over all the same.
                places += words.filter { $0.hasPrefix("N.") }
                for place in places {
                    try expectRefused([name] + words + ["-o", place] + (name == "save-as" ? ["--force"] : []))
                }
            }
        }
    }
}

extension OptionTableTests {
    @Test func standardInputIsOneFile() throws {
        let words: [String: [[String]]] = [
            "import": [
                ["D.folio", "Person=-", "Person=-"], ["D.folio", "-", "Person=-", "--entity", "Person"],
                ["D.folio", "Person=p.csv", "-", "-"],
            ],
            "insert": [["D.folio", "Person", "name=B", "portrait=@-", "preferences=@-"]],
            "set": [["D.folio", "Person/p1", "portrait=@-", "preferences=@-"]],
        ]
        #expect(
            try Set(Self.commands().filter { $0.usage.contains("FILE…") || $0.usage.contains("KEY=VALUE") }.map(\.name))
                == Set(words.keys))
        try withFiles { expectRefused in
            for (name, lines) in words { for words in lines { try expectRefused([name] + words) } }
        }
    }

    /// An option that is of no use for what stands beside it is refused.
    @Test func anEntityOrKeyThatNothingHasIsRefused() throws {
        let words: [String: [[String]]] = [
            "--match": [
                ["import", "D.folio", "Person=p.csv", "--match", "Harbour.name"],
                ["import", "D.folio", "Person=p.csv", "--match", "Person.name,Stop.nights"],
                ["import", "D.folio", "Person=p.csv", "--match", "born"],
                ["import", "D.folio", "Person=p.csv", "--match", "nobody"],
                ["import", "D.folio", "Person=p.csv", "--match", "leads"],
            ],
            "--entity": [
                ["import", "D.folio", "Person=p.csv", "--entity", "Person"],
                ["import", "D.folio", "Person=p.csv", "Person=plink.csv", "--entity", "Harbour"],
                ["import", "D.folio", "p.csv", "--entity", "Persn"], ["export", "D.folio", "--entity", "Persn"],
                ["diff", "D.folio", "A.folioz", "--entity", "Persn"],
            ],
        ]
        try withFiles { expectRefused in
            for (option, lines) in words {
                #expect(
                    try Set(Self.commands().filter { $0.option(option) != nil }.map(\.name))
                        == Set(lines.map { $0[0] }), "\(option)")
                for words in lines { try expectRefused(words) }
            }
        }
    }
}
