import Folio
import Foundation
import Testing
import TestSupport

/// Documents that another program edits, that an editor left, and that this user may not write.
struct BusyDocumentTests {
    private func withCopy(_ body: (URL) async throws -> Void) async throws {
        try await withFolder { folder in
            try await body(URL(fileURLWithPath: try FolioCommand.copyOfDocument(in: folder)))
        }
    }

    @Test(arguments: [["insert", "Person", "name=X"], ["set", "Person/p1", "name=X"], ["delete", "Journey/p1"]])
    func aLockedDocumentIsReadButNotWritten(words: [String]) async throws {
        try await withCopy { url in
            let editor = try await PersistentDocument.open(url)
            let outcome = try FolioCommand.run([words[0], url.path] + words.dropFirst())
            #expect(outcome.exit == 75)
            #expect(outcome.errors.count == 1)
            #expect(outcome.hints == ["hint: try again later; commands that read work meanwhile"])
            #expect(outcome.messages.contains("\(ProcessInfo.processInfo.processIdentifier)"))
            let json = try FolioCommand.run([words[0], url.path, "--json"] + words.dropFirst())
            #expect(
                json.messages.contains("\"code\":\"locked\"")
                    && json.messages.contains("\"pid\":\(ProcessInfo.processInfo.processIdentifier)"))
            let info = try FolioCommand.run("info", url.path, "--json")
            #expect(
                (info.object["lock"] as? [String: Any])?["pid"] as? Int
                    == Int(ProcessInfo.processInfo.processIdentifier))
            #expect(try FolioCommand.run("fetch", url.path, "Person", "--count").output == "5\n")
            try await editor.close()
            #expect(try FolioCommand.run([words[0], url.path] + words.dropFirst()).exit == 0)
        }
    }

    @Test func autosavedWorkIsShownAndNotWrittenOver() async throws {
        try await withCopy { url in
            let editor = try await PersistentDocument.open(url)
            try editor.context.insert("Person").setPropertyValue(.string("Unsaved"), forKey: "name")
            try await editor.autosave()
            let during = try FolioCommand.run("fetch", url.path, "Person", "--count")
            #expect(during.output == "6\n")
            #expect(during.messages.contains("not saved"))
            try await editor.close()
            let after = try FolioCommand.run("fetch", url.path, "Person", "--where", "name == 'Unsaved'", "--count")
            #expect(after.output == "1\n")
            let info = try FolioCommand.run("info", url.path, "--json").object
            #expect(info["hasUnsavedChanges"] as? Bool == true)
            let before = try FolioCommand.contents(of: url)
            let refused = try FolioCommand.run("set", url.path, "Person/p1", "name=X")
            #expect(refused.exit == 75)
            #expect(refused.errors.count == 1)
            #expect(refused.hints.first?.contains("recover") == true)
            #expect(try FolioCommand.contents(of: url) == before)
        }
    }

    @Test func aFolderThatTakesNoFilesIsSaidSo() async throws {
        try await withCopy { url in
            let folder = url.deletingLastPathComponent()
            // The superuser may write everywhere, so there the command runs as nobody, where that
            // can be.
            let user = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
            guard user.isEmpty || FileManager.default.isExecutableFile(atPath: user[0]) else { return }
            func run(_ words: [String]) throws -> FolioCommand.Outcome { try FolioCommand.run(words, through: user) }
            guard try run(["--version"]).exit == 0 else { return }
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
            let before = try FolioCommand.contents(of: folder)
            let new = try run(["new", folder.appendingPathComponent("New.folio").path, "--model", url.path])
            #expect(new.exit == 77 || new.exit == 73, "\(new.messages)")
            #expect(new.errors.count == 1)
            if geteuid() == 0 {
                // Not the owner's files either.
                let set = try run(["set", url.path, "Person/p1", "name=X"])
                #expect(set.exit == 77, "\(set.messages)")
                #expect(set.errors.count == 1)
            }
            #expect(try run(["fetch", url.path, "Person", "--count"]).output == "5\n")
            #expect(try run(["export", url.path, "-o", folder.path + "/out.json"]).exit == 73)
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}

extension BusyDocumentTests {
    @Test func interruptionEndsTheCommandAndChangesNothing() async throws {
        try await withCopy { url in
            let before = try FolioCommand.contents(of: url)
            let process = Process()
            process.executableURL = FolioCommand.binary
            process.arguments = ["import", url.path, "-"]
            // The command waits for the rest of its input.
            let input = privatePipe()
            process.standardInput = input
            process.standardError = FileHandle.nullDevice
            try process.run()
            try await Task.sleep(for: .milliseconds(300))
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit)
            #expect(process.terminationStatus == 130)
            #expect(try FolioCommand.contents(of: url) == before)
            try input.fileHandleForWriting.close()
        }
    }
}
