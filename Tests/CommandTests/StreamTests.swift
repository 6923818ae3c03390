import Foundation
import Testing
import TestSupport

/// Where results go and input comes from: links, pipes, closed descriptors, names that are no text.
struct StreamTests {
    private static func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script] }

    private func kind(of path: String) throws -> mode_t {
        var status = stat()
        #expect(lstat(path, &status) == 0)
        return status.st_mode & S_IFMT
    }

    @Test func aResultGoesWhereALinkLeads() throws {
        try withTemporaryDirectory { folder in
            let real = folder.path + "/real.json", link = folder.path + "/link.json"
            try Data("old".utf8).write(to: URL(fileURLWithPath: real))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: real)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.json")
            #expect(try FolioCommand.run("export", FolioCommand.document, "-o", link).exit == 0)
            #expect(try kind(of: link) == S_IFLNK)
            #expect(try Data(contentsOf: URL(fileURLWithPath: real)).count > 1000)
            #expect(try FileManager.default.attributesOfItem(atPath: real)[.posixPermissions] as? Int == 0o600)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["link.json", "real.json"])
        }
    }

    @Test func aDeviceIsWrittenAndNotReplaced() throws {
        try withTemporaryDirectory { folder in
            let link = folder.path + "/null"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
            #expect(try FolioCommand.run("export", FolioCommand.document, "-o", link).exit == 0)
            #expect(try kind(of: link) == S_IFLNK)
            #expect(try kind(of: "/dev/null") == S_IFCHR)
        }
    }

    @Test func aPipeIsWrittenAndRead() throws {
        try withTemporaryDirectory { folder in
            let pipe = folder.path + "/pipe", copy = folder.path + "/copy.json"
            #expect(mkfifo(pipe, 0o600) == 0)
            let read = folder.path + "/read.json", reader = Process()
            reader.executableURL = URL(fileURLWithPath: "/bin/sh")
            reader.arguments = ["-c", "cat \"$0\" > \"$1\"", pipe, read]
            try reader.run()
            let outcome = try FolioCommand.run("export", FolioCommand.document, "-o", pipe)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            // A pipe that was replaced by a file would never come to its end.
            try #require(try kind(of: pipe) == S_IFIFO)
            reader.waitUntilExit()
            let exported = try Data(contentsOf: URL(fileURLWithPath: read))
            #expect(
                try FolioCommand.run("export", FolioCommand.document).output
                    == String(decoding: exported, as: UTF8.self))
            try exported.write(to: URL(fileURLWithPath: copy))

            let new = folder.path + "/New.folio"
            #expect(try FolioCommand.run("new", new, "--model", FolioCommand.document).exit == 0)
            let imported = try FolioCommand.run(
                ["import", new, pipe], through: Self.shell("cat '\(copy)' > '\(pipe)' & exec \"$0\" \"$@\""))
            #expect(imported.exit == 0, "\(imported.messages)")
            #expect(try FolioCommand.run("fetch", new, "Person", "--count").output == "5\n")
        }
    }

    @Test func aFolderIsNoResultAndNoInput() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let target = try FolioCommand.run("export", document, "-o", folder.path)
            #expect(target.exit == 73)
            #expect(target.messages.contains("it is a folder"))
            let source = try FolioCommand.run(["import", document, "-"], through: Self.shell("exec \"$0\" \"$@\" < /"))
            #expect(source.exit == 64, "\(source.messages)")
            #expect(source.errors == ["folio: import: standard input is a folder, not a file"])
        }
    }
}

extension StreamTests {
    @Test func closedStreamsAreNeverTakenForFilesOfADocument() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let silent = try FolioCommand.run(
                ["set", document, "Person/p1", "name=Silent"], through: Self.shell("exec \"$0\" \"$@\" <&- >&- 2>&-"))
            #expect(silent.exit == 0)
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
            #expect(try FolioCommand.run("get", document, "Person/p1").output.contains("Silent"))
            // What can't be printed is an error.
            let mute = try FolioCommand.run(
                ["fetch", document, "Person"], through: Self.shell("exec \"$0\" \"$@\" >&-"))
            #expect(mute.exit == 74)
            #expect(mute.errors == ["folio: output: Bad file descriptor"])
        }
    }

    /// A document with an earlier version, which is put together in a temporary folder when it is
    /// read, and an empty folder for that.
    private func versioned(in folder: URL) throws -> (version: String, temporary: String) {
        let temporary = folder.path + "/temporary"
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        let document = try FolioCommand.copyOfDocument(in: folder)
        for name in ["A", "B"] { #expect(try FolioCommand.run("set", document, "Person/p1", "name=\(name)").exit == 0) }
        return (try Self.lastVersion(of: document), temporary)
    }

    /// `DOC@n` for the state before the last save.
    private static func lastVersion(of document: String, in folder: URL? = nil) throws -> String {
        let versions = try FolioCommand.run("versions", "--json", "--", document, in: folder).json as? [[String: Any]]
        return "\(document)@\(try #require(versions?.last { $0["state"] as? String == "version" }?["version"] as? Int))"
    }

    private func process(_ arguments: [String], temporary: String) -> Process {
        let process = Process()
        process.executableURL = FolioCommand.binary
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["TMPDIR"] = temporary
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    @Test func aReaderThatGoesEndsTheCommandQuietlyAndLeavesNothing() throws {
        try withTemporaryDirectory { folder in
            let (version, temporary) = try versioned(in: folder)
            let output = privatePipe(), messages = privatePipe()
            let process = self.process(["export", version], temporary: temporary)
            process.standardOutput = output
            process.standardError = messages
            try output.fileHandleForReading.close()
            try process.run()
            try messages.fileHandleForWriting.close()
            #expect(try messages.fileHandleForReading.readToEnd()?.isEmpty ?? true)
            process.waitUntilExit()
            #expect(process.terminationStatus == 141)
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
        }
    }

    @Test func aTerminatedCommandSaysSoAndTakesItsFilesAlong() async throws {
        try await withFolder { folder in
            let (version, temporary) = try versioned(in: folder)
            // Nobody reads the pipe: the command waits for somebody.
            #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
            let process = self.process(["export", version, "-o", folder.path + "/pipe"], temporary: temporary)
            try process.run()
            while try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty, process.isRunning {
                try await Task.sleep(for: .milliseconds(10))
            }
            process.terminate()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit)
            #expect(process.terminationStatus == 143)
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
        }
    }
}

extension StreamTests {
    @Test func whatWasIgnoredFromTheBeginningStaysIgnored() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), input = privatePipe(), output = privatePipe()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", "trap '' INT; echo ready; exec \"$0\" import \"$1\" - --entity Person", FolioCommand.binary.path,
                document,
            ]
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            #expect(try output.fileHandleForReading.read(upToCount: 6) == Data("ready\n".utf8))
            process.interrupt()
            try input.fileHandleForWriting.write(contentsOf: Data("[{\"name\":\"A\"}]".utf8))
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let count = try FolioCommand.run("fetch", document, "Person", "--count").output
            #expect(count == "6\n")
        }
    }

    @Test func aNameThatIsNoTextIsRefused() throws {
        try withTemporaryDirectory { folder in
            let outcome = try FolioCommand.run(
                ["--model", FolioCommand.model], in: folder,
                through: Self.shell("exec \"$0\" new \"$(printf 'made\\377.folio')\" \"$@\""))
            #expect(outcome.exit == 64)
            #expect(outcome.errors.count == 1)
            #expect(outcome.messages.contains("no UTF-8 text"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test(arguments: ["sp ace.folio", "new\nline.folio", "-dash.folio", "ünï\u{301}.folio"]) func unusualNamesAreNames(
        name: String
    ) throws {
        try withTemporaryDirectory { folder in
            try FileManager.default.copyContents(
                of: URL(fileURLWithPath: FolioCommand.document), to: URL(fileURLWithPath: folder.path + "/" + name))
            #expect(try FolioCommand.run("set", "--", name, "Person/p1", "name=A", in: folder).exit == 0)
            #expect(try FolioCommand.run("set", "--", name, "Person/p1", "name=B", in: folder).exit == 0)
            let version = try Self.lastVersion(of: name, in: folder)
            let outcome = try FolioCommand.run("get", "--json", "--", version, "Person/p1", in: folder)
            #expect((outcome.object["attributes"] as? [String: Any])?["name"] as? String == "A", "\(outcome.messages)")
        }
    }

    @Test func anExportThatASaveComesBetweenSaysSo() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), large = folder.path + "/large"
            try Data(repeating: 7, count: 300_000).write(to: URL(fileURLWithPath: large))
            #expect(try FolioCommand.run("attach", document, "Journey/p1", "route", large).exit == 0)
            let output = privatePipe()
            let process = self.process(["export", document], temporary: folder.path)
            process.standardOutput = output
            try process.run()
            // Journeys are read before persons, and more than the pipe takes: the command waits
            // until somebody reads on.
            #expect(try output.fileHandleForReading.read(upToCount: 1)?.count == 1)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=Between").exit == 0)
            try output.fileHandleForWriting.close()
            _ = try output.fileHandleForReading.readToEnd()
            process.waitUntilExit()
            #expect(process.terminationStatus == 75)
            #expect(try FolioCommand.run("export", document, "-o", folder.path + "/again.json").exit == 0)
        }
    }
}
