import Folio
import Foundation
import Testing
import TestSupport

/// What becomes of autosaved work whose editor was killed.
///
/// The editor is this test program once more, told by its environment to play the part.
@Suite(.serialized) struct RecoverTests {
    private static let part = ProcessInfo.processInfo.environment["FOLIO_RECOVER_PATH"]

    /// The part: autosaves one person after the other until it is killed.
    @Test(.enabled(if: part != nil)) func playEditor() async throws {
        let path = Self.part ?? ""
        let editor = try await PersistentDocument.open(URL(fileURLWithPath: path))
        for number in 1... {
            try editor.context.insert("Person").setPropertyValue(.string("Unsaved \(number)"), forKey: "name")
            try await editor.autosave()
            try Data().write(to: URL(fileURLWithPath: path + ".\(number)"))
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// A document in `folder` with work of at least two autosaves of a killed editor.
    private func abandonedDocument(in folder: URL, archive: Bool = false) throws -> String {
        var path = try FolioCommand.copyOfDocument(in: folder)
        if archive {
            let target = folder.appendingPathComponent("A.folioz").path
            #expect(try FolioCommand.run("save-as", path, target, "--archive").exit == 0)
            path = target
        }
        let editor = Process()
        editor.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        editor.arguments = ["--testing-library", "swift-testing", "--filter", "RecoverTests/playEditor"]
        editor.environment = ProcessInfo.processInfo.environment.merging(
            ["FOLIO_RECOVER_PATH": path, "XDG_STATE_HOME": state(folder), "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        editor.standardOutput = FileHandle.nullDevice
        editor.standardError = FileHandle.nullDevice
        try editor.run()
        let deadline = Date(timeIntervalSinceNow: 60)
        while !FileManager.default.fileExists(atPath: path + ".2"), editor.isRunning, Date() < deadline {
            usleep(10_000)
        }
        kill(editor.processIdentifier, SIGKILL)
        editor.waitUntilExit()
        #expect(FileManager.default.fileExists(atPath: path + ".2"))
        return path
    }

    private func state(_ folder: URL) -> String { folder.appendingPathComponent("state").path }

    /// Runs a command that finds what the editor left in the state folder.
    private func run(_ words: String..., in folder: URL) throws -> FolioCommand.Outcome {
        try FolioCommand.run(words, through: ["/usr/bin/env", "XDG_STATE_HOME=\(state(folder))"])
    }

    private func people(_ path: String, in folder: URL) throws -> Int {
        try #require(Int(try run("fetch", path, "Person", "--count", in: folder).output.dropLast()))
    }

    @Test(.enabled(if: part == nil), arguments: [false, true]) func keptWorkIsSaved(archive: Bool) throws {
        try withTemporaryDirectory { folder in
            let path = try abandonedDocument(in: folder, archive: archive)
            #expect(try run("insert", path, "Person", "name=X", in: folder).exit == 75)
            let shown = try people(path, in: folder)
            #expect(shown >= 7)
            let kept = try run("recover", path, "--keep", "--json", in: folder)
            #expect(kept.exit == 0, "\(kept.messages)")
            #expect(kept.object["done"] as? String == "kept")
            let info = try run("info", path, "--json", in: folder).object
            #expect(info["hasUnsavedChanges"] as? Bool == false)
            #expect(try people(path, in: folder) == shown)
            #expect(try run("insert", path, "Person", "name=X", in: folder).exit == 0)
            #expect(try run("verify", path, "--deep", in: folder).exit == 0)
        }
    }
}

extension RecoverTests {
    /// It is in the state folder for an archive, and in the WAL for a package.
    @Test(.enabled(if: part == nil), arguments: [(false, 0), (true, 0), (true, 120)])
    func unsavedWorkIsInTheRepairedDocument(archive: Bool, cut: Int) throws {
        try withTemporaryDirectory { folder in
            let path = try abandonedDocument(in: folder, archive: archive), saved = folder.path + "/Saved"
            let shown = try people(path, in: folder)
            if cut > 0 {
                try Data(contentsOf: URL(fileURLWithPath: path)).dropLast(cut).write(to: URL(fileURLWithPath: path))
            }
            let repaired = try run("repair", path, "-o", saved, "--json", in: folder)
            #expect(repaired.exit == (cut > 0 ? 1 : 0), "\(repaired.output)\(repaired.messages)")
            #expect(try people(saved, in: folder) == shown)
        }
    }

    @Test(.enabled(if: part == nil), arguments: [false, true]) func discardedWorkIsGone(archive: Bool) throws {
        try withTemporaryDirectory { folder in
            let path = try abandonedDocument(in: folder, archive: archive)
            let discarded = try run("recover", path, "--discard", in: folder)
            #expect(discarded.exit == 0, "\(discarded.messages)")
            #expect(discarded.messages.hasPrefix("discarded autosaved work since the save of "))
            #expect(try people(path, in: folder) == 5)
            #expect(FileManager.default.fileExists(atPath: path + "/versions/discarded.wal") == !archive)
            #expect(try run("insert", path, "Person", "name=X", in: folder).exit == 0)
            #expect(try run("verify", path, "--deep", in: folder).exit == 0)
        }
    }

    /// `--force` replaces what was saved, and not what never was.
    @Test(.enabled(if: part == nil), arguments: [false, true]) func forceDoesNotReplaceUnsavedWork(archive: Bool) throws
    {
        try withTemporaryDirectory { folder in
            let path = try abandonedDocument(in: folder, archive: archive),
                other = folder.path + (archive ? "/Expeditions.folio" : "/Other.folioz")
            if !archive {
                #expect(try FolioCommand.run("save-as", FolioCommand.document, other, "--archive").exit == 0)
            }
            let shown = try people(path, in: folder)
            for words in [
                ["save-as", other, path], ["repair", other, "-o", path],
                archive ? ["pack", other, path] : ["unpack", other, path],
            ] {
                let outcome = try FolioCommand.run(
                    words + ["--force"], through: ["/usr/bin/env", "XDG_STATE_HOME=\(state(folder))"])
                #expect(
                    outcome.exit == 75 && outcome.hints.first?.contains("recover") == true,
                    "\(words[0]): \(outcome.messages)")
            }
            #expect(try people(path, in: folder) == shown)
            #expect(try run("recover", path, "--discard", in: folder).exit == 0)
            #expect(try run("save-as", other, path, "--force", in: folder).exit == 0)
        }
    }

    @Test(.enabled(if: part == nil)) func listingAndDryRunsChangeNothing() throws {
        try withTemporaryDirectory { folder in
            let path = try abandonedDocument(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let list = try run("recover", path, "--list", in: folder)
            #expect(list.exit == 0)
            #expect(list.output.hasPrefix("autosaved work since the save of "))
            let json = try run("recover", path, "--list", "--json", in: folder).object
            #expect(json["hasUnsavedChanges"] as? Bool == true)
            #expect(json["saved"] is String && json["autosaved"] is String && json["done"] is NSNull)
            #expect(try run("recover", path, "--keep", "--dry-run", in: folder).messages.hasPrefix("would keep "))
            #expect(try run("recover", path, "--discard", "--dry-run", in: folder).messages.hasPrefix("would discard "))
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}

extension RecoverTests {
    @Test(.enabled(if: part == nil), arguments: ["--list", "--keep", "--discard"]) func whereNothingIsLeftItSaysSo(
        option: String
    ) throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("recover", path, option)
            #expect(outcome.exit == 0)
            #expect(outcome.messages.hasPrefix("nothing to recover"))
            let json = try FolioCommand.run("recover", path, option, "--json").object
            #expect(json["hasUnsavedChanges"] as? Bool == false && json["done"] is NSNull)
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }

    @Test(.enabled(if: part == nil), arguments: ["--list", "--keep", "--discard"])
    func workOfAnEditorThatIsThereIsItsOwn(option: String) async throws {
        try await withFolder { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            let editor = try await PersistentDocument.open(URL(fileURLWithPath: path))
            try editor.context.insert("Person").setPropertyValue(.string("Unsaved"), forKey: "name")
            try await editor.autosave()
            let outcome = try FolioCommand.run("recover", path, option)
            // Looking takes no lock.
            #expect(outcome.exit == (option == "--list" ? 0 : 75))
            #expect(outcome.errors.count == (option == "--list" ? 0 : 1))
            #expect(outcome.messages.contains("\(ProcessInfo.processInfo.processIdentifier)"))
            try await editor.save()
            try await editor.close()
            #expect(try FolioCommand.run("fetch", path, "Person", "--count").output == "6\n")
        }
    }

    /// Autosaves may break rules that saves may not.
    @Test(.enabled(if: part == nil)) func keptWorkHasToFollowTheRules() async throws {
        try await withFolder { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            let editor = try await PersistentDocument.open(URL(fileURLWithPath: path))
            _ = try editor.context.insert("Person")
            try await editor.autosave()
            try await editor.close()
            let outcome = try FolioCommand.run("recover", path, "--keep")
            #expect(outcome.exit == 65, "\(outcome.messages)")
            #expect(outcome.errors.count == 1)
            #expect(
                try FolioCommand.run("recover", path, "--list", "--json").object["hasUnsavedChanges"] as? Bool == true)
            #expect(try FolioCommand.run("recover", path, "--discard").exit == 0)
        }
    }

    @Test(.enabled(if: part == nil)) func oneChoiceIsNeeded() throws {
        #expect(try FolioCommand.run("recover", FolioCommand.document).exit == 64)
        #expect(try FolioCommand.run("recover", FolioCommand.document, "--keep", "--discard").exit == 64)
        #expect(try FolioCommand.run("recover", "nowhere.folio", "--list").exit == 66)
    }

    @Test func workOnAStateOfAnArchiveThatWasReplacedIsTold() throws {
        try withTemporaryDirectory { folder in
            let path = try abandonedDocument(in: folder, archive: true), other = folder.path + "/B.folioz"
            func told(_ words: String...) throws -> Bool {
                try FolioCommand.run(words, through: ["/usr/bin/env", "XDG_STATE_HOME=\(state(folder))"]).messages
                    .contains("work was autosaved on another state")
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            try before.write(to: URL(fileURLWithPath: other))
            #expect(try !told("verify", path))
            #expect(try run("recover", other, "--discard", in: folder).exit == 0)
            #expect(try run("set", other, "Person/p1", "name=Other", in: folder).exit == 0)
            try Data(contentsOf: URL(fileURLWithPath: other)).write(to: URL(fileURLWithPath: path))
            #expect(try told("verify", path) && told("recover", path, "--list"))
            #expect(try told("set", path, "Person/p2", "name=x"))
            // It comes back with its state.
            try before.write(to: URL(fileURLWithPath: path))
            #expect(try !told("verify", path))
            #expect(try run("recover", path, "--keep", in: folder).messages.contains("kept autosaved work"))
        }
    }
}
