import Foundation
import TestSupport
import Testing

/// Paths, bases, files of decisions and values as they are typed for merges.
struct MergeOperandTests {
    private static let names = ["O.folioz", "A.folioz", "B.folioz"]

    /// Three archives of one state, in which the second and the third have different budgets.
    private func withArchives(_ body: (URL) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            for name in Self.names { #expect(try run(folder, "save-as", FolioCommand.document, name).exit == 0) }
            #expect(try run(folder, "set", "A.folioz", "Journey/p1", "budget=5").exit == 0)
            #expect(try run(folder, "set", "B.folioz", "Journey/p1", "budget=7").exit == 0)
            try body(folder)
        }
    }

    private func run(_ folder: URL, _ words: String...) throws -> FolioCommand.Outcome {
        try FolioCommand.run(words, in: folder)
    }

    @Test func aFileOfDecisionsThatIsNoneIsNamedAndNotRepaired() throws {
        try withArchives { folder in
            for text in [
                "nope", "3", "[{\"object\":\"Journey/p1\",\"property\":\"budget\",\"choice\":\"mine\"}]",
                "[{\"object\":\"Journey/p1\",\"property\":\"budgt\",\"value\":3}]",
            ] {
                try Data(text.utf8).write(to: folder.appendingPathComponent("c.json"))
                let words = ["merge", "A.folioz", "B.folioz", "--base", "O.folioz", "--decisions", "c.json"]
                let merge = try FolioCommand.run(words, in: folder)
                #expect(merge.errors.count == 1 && merge.errors.allSatisfy { $0.hasPrefix("folio: merge: c.json: ") })
                #expect(!merge.messages.contains("A.folioz") && !merge.messages.contains("repair"), "\(merge.messages)")
                let json = try FolioCommand.run(words + ["--json"], in: folder)
                #expect(json.messages.contains("\"path\":\"c.json\""), "\(json.messages)")
                #expect(!json.messages.contains("repair"), "\(json.messages)")
            }
        }
    }

    @Test func copiesAreNamedAsTheyAreFoundFromTheCurrentFolder() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), copy = "Expeditions 2.folio"
            try FileManager.default.copyItem(atPath: document, toPath: folder.path + "/" + copy)
            for (place, word, shown) in [
                ("", "Expeditions.folio", copy), ("", "Expeditions.folio/", copy),
                ("", "./Expeditions.folio//", "./" + copy),
                ("", "Expeditions.folio/.", copy), ("", document + "/", folder.path + "/" + copy),
                ("Expeditions.folio", ".", "../" + copy), ("Expeditions.folio", "./", "../" + copy),
                ("Expeditions.folio/store", "..", "../../" + copy),
            ] {
                let current = folder.appendingPathComponent(place), list = try run(current, "merge", word)
                #expect(list.exit == 0 && list.output == shown + "\n", "\(word): \(list.output)\(list.messages)")
                let path = shown.hasPrefix("/") ? shown : current.path + "/" + shown
                #expect(FileManager.default.fileExists(atPath: path), "\(shown)")
            }
        }
    }

    @Test func theBaseIsNamedAsItWasTypedAndNotWrittenOver() throws {
        try withArchives { folder in
            let json = try run(
                folder, "merge", "A.folioz", "B.folioz", "--base", "./O.folioz", "--ours", "--dry-run", "--json")
            #expect(json.object["base"] as? String == "./O.folioz", "\(json.output)\(json.messages)")
            let base = try Data(contentsOf: folder.appendingPathComponent("O.folioz"))
            let over = try run(
                folder, "merge", "A.folioz", "B.folioz", "--base", "O.folioz", "--ours", "-o", "./O.folioz", "--force")
            #expect(over.exit == 64 && over.messages.contains("what the new document is made of"), "\(over.messages)")
            #expect(try Data(contentsOf: folder.appendingPathComponent("O.folioz")) == base)
            let empty = try run(folder, "merge", "A.folioz", "B.folioz", "--base", "")
            #expect(empty.exit == 64 && empty.messages.contains("the base is empty"), "\(empty.messages)")
            #expect(try run(folder, "merge", "A.folioz", "B.folioz", "--base=").exit == 64)
        }
    }

    @Test func valuesAreWrittenAsForSet() throws {
        try withArchives { folder in
            #expect(try run(folder, "merge", "--git", "O.folioz", "A.folioz", "B.folioz").exit == 1)
            let archive = folder.appendingPathComponent("A.folioz"), kept = try Data(contentsOf: archive)
            for (word, value) in [("", nil), (":=null", nil), ("12", "12"), (":=12.5", "12.5")] as [(String, String?)] {
                try kept.write(to: archive)
                let resolved = try run(folder, "resolve", "A.folioz", "Journey/p1.budget", word)
                #expect(resolved.exit == 0, "\(word): \(resolved.messages)")
                let journey = try run(folder, "get", "A.folioz", "Journey/p1", "--json")
                let attributes = journey.object["attributes"] as? [String: Any]
                #expect(attributes?["budget"] as? String == value, "\(word): \(journey.output)")
            }
            try kept.write(to: archive)
            #expect(try run(folder, "resolve", "A.folioz", "Journey/p1.budget", ":=x").exit == 64)
            #expect(try run(folder, "resolve", "A.folioz", "", "12").exit == 64)
            #expect(try run(folder, "resolve", "A.folioz", "Journey/p1.budget", "", "--ours").exit == 64)
        }
    }

    @Test func commandsInMessagesCanBePasted() throws {
        try withArchives { folder in
            let name = "my doc.folioz"
            let merge = try run(folder, "merge", "--git", "O.folioz", "A.folioz", "B.folioz", name)
            #expect(merge.messages.contains("to decide: folio conflicts 'my doc.folioz'\n"), "\(merge.messages)")
            try FileManager.default.moveItem(
                at: folder.appendingPathComponent("A.folioz"), to: folder.appendingPathComponent(name))
            for (words, command) in [
                (["verify", name], "folio conflicts 'my doc.folioz'"), ([name], "folio info 'my doc.folioz'?"),
                (["restore", name], "folio versions 'my doc.folioz' lists"),
                (["merge", name], "no copies of my doc.folioz are beside it"),
            ] {
                let outcome = try FolioCommand.run(words, in: folder)
                #expect(outcome.messages.contains(command), "\(outcome.messages)")
            }
            // A name that begins with a dash is no option.
            try FileManager.default.moveItem(
                at: folder.appendingPathComponent(name), to: folder.appendingPathComponent("-Doc.folioz"))
            let verified = try run(folder, "verify", "--", "-Doc.folioz")
            #expect(verified.messages.contains("folio conflicts ./-Doc.folioz"), "\(verified.messages)")
        }
    }
}
