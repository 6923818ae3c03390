import Folio
import Foundation
import TestSupport
import Testing

/// A document whose store notes who changed what.
private final class RecordedDocument: PersistentDocument {
    override func configureStore(_ description: inout PersistentStoreDescription) { description.tracksHistory = true }
}

/// States of a document on the command line, and what of them goes along with a copy.
struct DocumentStateTests {
    private func historyCount(_ url: URL) async throws -> Int {
        let document = try await PersistentDocument.open(url, mode: .reading)
        let count = try document.context.fetchHistory().count
        try await document.close()
        return count
    }

    @Test func aCopyWithoutHistoryHasNothingOfWhatWasThereBefore() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Doc.folio")
            let model = try ManagedObjectModel(
                entities: [
                    EntityDefinition(
                        "Note", attributes: [.init("text", .string, preservesValueInHistoryOnDeletion: true)])
                ], versionIdentifiers: ["1"])
            let document = try await RecordedDocument.create(at: url, model: model)
            let note = try document.context.insert("Note")
            note["text"] = "a secret that was deleted"
            try document.context.insert("Note")["text"] = "what stays"
            try await document.save()
            document.context.delete(note)
            try await document.save()
            try await document.close()
            for form in ["--package", "--archive", "--store=sqlite"] {
                let words = form.split(separator: "=").map(String.init)
                let with = folder.appendingPathComponent("with"), without = folder.appendingPathComponent("without")
                #expect(try FolioCommand.run(["save-as", url.path, with.path, "--force"] + words).exit == 0)
                #expect(
                    try FolioCommand.run(["save-as", url.path, without.path, "--without-history", "--force"] + words)
                        .exit == 0)
                #expect(try await historyCount(with) == 2, "\(form)")
                #expect(try await historyCount(without) == 0, "\(form)")
                #expect(try FolioCommand.run("fetch", without.path, "Note", "--count").output == "1\n")
                var bytes = Data()
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: without.path, isDirectory: &isFolder)
                for name in isFolder.boolValue
                    ? try FileManager.default.subpathsOfDirectory(atPath: without.path) : [""]
                {
                    bytes +=
                        (try? Data(contentsOf: name.isEmpty ? without : without.appendingPathComponent(name))) ?? Data()
                }
                #expect(
                    bytes.range(of: Data("a secret".utf8)) == nil && bytes.range(of: Data("what stays".utf8)) != nil,
                    "\(form)")
                try FileManager.default.removeItem(at: with)
                try FileManager.default.removeItem(at: without)
            }
            let both = try FolioCommand.run(
                "save-as", url.path, folder.path + "/X", "--without-history", "--with-versions")
            #expect(both.exit == 64 && both.hints.count == 1)
        }
    }

    @Test func aStateOfADocumentGivesItsModel() throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("set", path, "Person/p1", "name=X").exit == 0)
            let versions = try #require(try FolioCommand.run("versions", path, "--json").json as? [[String: Any]])
            #expect(!versions.isEmpty)
            let old = "\(path)@\(try #require(versions.first?["version"] as? Int))"
            let whole = try FolioCommand.run("model", "hash", path)
            #expect(try FolioCommand.run("model", "hash", old).output == whole.output)
            #expect(try FolioCommand.run("model", "diff", old, path).exit == 0)
            #expect(try FolioCommand.run("new", folder.path + "/New.folio", "--model", old).exit == 0)
            #expect(try FolioCommand.run("codegen", old, "-o", folder.path + "/Code").exit == 0)
            #expect(try FolioCommand.run("model", path + "@77").exit == 66)
            #expect(try FolioCommand.run("model", folder.path + "/Nope.folio@1").exit == 66)
        }
    }
}

extension DocumentStateTests {
    @Test func whatWasSetAsideIsNamedAndGoesWithAPrune() throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("set", path, "Person/p1", "name=X").exit == 0)
            let journal = path + "/versions/foreign-\(UUID().uuidString).wal",
                damaged = path + "/versions.damaged-\(UUID().uuidString)"
            try Data("a journal".utf8).write(to: URL(fileURLWithPath: journal))
            try FileManager.default.createDirectory(atPath: damaged, withIntermediateDirectories: false)
            let verified = try FolioCommand.run("verify", path)
            #expect(verified.exit == 0 && verified.messages.contains(journal) && verified.messages.contains(damaged))
            #expect(
                try FolioCommand.run("verify", path, "--json").object["setAside"] as? [String]
                    == [damaged, journal].sorted())
            let preview = try FolioCommand.run("versions", "prune", path, "--keep", "5", "--dry-run")
            #expect(preview.exit == 0 && FileManager.default.fileExists(atPath: journal))
            #expect(try FolioCommand.run("versions", "prune", path, "--keep", "5").exit == 0)
            #expect(
                !FileManager.default.fileExists(atPath: journal) && !FileManager.default.fileExists(atPath: damaged))
            #expect(try FolioCommand.run("verify", path, "--json").object["setAside"] as? [String] == [])
            #expect((try FolioCommand.run("versions", path, "--json").json as? [Any])?.count == 2)
        }
    }

    @Test func desktopsCanBeToldOfDocuments() throws {
        let outcome = try FolioCommand.run("help", "--mime")
        #expect(
            outcome.exit == 0 && outcome.output.hasPrefix("<?xml")
                && outcome.output.contains(#"<glob pattern="*.folioz"/>"#))
        #expect(try XMLCheck.isWellFormed(outcome.output))
        #expect(try FolioCommand.run("help", "--mime", "--json").exit == 64)
    }

    /// An editor that saves while a document is exported changes nothing about what is exported.
    @Test func anExportThatSavesCrossShowsOneState() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Doc.folio")
            let model = try ManagedObjectModel(
                entities: [EntityDefinition("Note", attributes: [.init("turn", .integer64), .init("text", .string)])],
                versionIdentifiers: ["1"])
            let document = try await PersistentDocument.create(at: url, model: model)
            let notes = try (0..<20_000).map { _ in try document.context.insert("Note") }
            func take(_ turn: Int) { for note in notes { note["turn"] = turn } }
            take(0)
            try await document.save()
            let output = folder.appendingPathComponent("out.csv")
            let process = Process()
            process.executableURL = FolioCommand.binary
            process.arguments = ["export", url.path, "--format", "csv", "--entity", "Note", "-o", output.path]
            process.standardError = FileHandle.nullDevice
            try process.run()
            var turn = 0
            while process.isRunning {
                turn += 1
                take(turn)
                try await document.save()
            }
            process.waitUntilExit()
            try await document.close()
            #expect(process.terminationStatus == 0)
            let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").dropFirst()
            let turns = Set(
                lines.map {
                    $0.split(separator: ",", omittingEmptySubsequences: false).dropFirst().joined(separator: ",")
                })
            #expect(lines.count == 20_000 && turns.count == 1, "\(turns.prefix(3))")
        }
    }
}

private enum XMLCheck {
    /// Every element that is opened is closed.
    static func isWellFormed(_ text: String) throws -> Bool {
        var open: [Substring] = []
        for match in text.matches(of: /<(\/?)([a-z-]+)[^>]*?(\/?)>/) {
            if match.3 == "/" { continue }
            if match.1 == "/" { guard open.popLast() == match.2 else { return false } } else { open.append(match.2) }
        }
        return open.isEmpty
    }
}
