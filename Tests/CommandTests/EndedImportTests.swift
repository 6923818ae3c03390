import Foundation
import TestSupport
import Testing

/// Commands that a signal ends in the middle: the document is as it was.
@Suite(.enabled(if: runsSweeps), .serialized) struct EndedImportTests {
    private static func start(_ words: [String], in folder: URL, state: URL) throws -> Process {
        let process = Process()
        process.executableURL = FolioCommand.binary
        process.arguments = words
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging([
            "XDG_STATE_HOME": state.path, "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// A file of four pieces of the importer's. From the third on, what they write does not fit
    /// into SQLite's cache, and goes to the WAL before it is committed.
    private static func rows() -> Data {
        let filler = String(repeating: "x", count: 1_500)
        return Data(("name\n" + (0..<40_000).map { "\($0) \(filler)\n" }.joined()).utf8)
    }

    private static func size(ofLogsBeneath folder: URL) -> Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix("-wal") }.reduce(0) { size, name in
            size + ((try? FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.size] as? Int) ?? 0)
        }
    }

    @Test(arguments: [
        (SIGKILL, "Doc.folio"), (SIGKILL, "Doc.folioz"), (SIGKILL, "Doc.sqlite"), (SIGINT, "Doc.folio"),
        (SIGTERM, "Doc.sqlite"),
    ])
    func anImportThatIsEndedLeavesTheDocumentAsItWas(signal: Int32, name: String) throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/" + name, state = folder.appendingPathComponent("state")
            #expect(try FolioCommand.run("save-as", FolioCommand.document, document).exit == 0)
            let before = try FolioCommand.run("export", document).output
            try Self.rows().write(to: folder.appendingPathComponent("Person.csv"))
            let process = try Self.start(["import", document, "Person.csv"], in: folder, state: state)
            while process.isRunning, Self.size(ofLogsBeneath: folder) < 1 << 20 { usleep(2_000) }
            #expect(process.isRunning && Self.size(ofLogsBeneath: folder) >= 1 << 20)
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            #expect(
                signal == SIGKILL
                    ? process.terminationReason == .uncaughtSignal : process.terminationStatus == 128 + signal)
            let words = ["/usr/bin/env", "XDG_STATE_HOME=\(state.path)", FolioCommand.binary.path]
            #expect(try FolioCommand.run(words + ["export", document], alone: true).output == before)
            #expect(try FolioCommand.run(words + ["verify", "--deep", document], alone: true).exit == 0)
            // Nothing of it comes back with what is saved next.
            #expect(try FolioCommand.run(words + ["insert", document, "Person", "name=Next"], alone: true).exit == 0)
            #expect(
                try FolioCommand.run(words + ["fetch", document, "Person", "--count"], alone: true).output == "6\n")
            if signal != SIGKILL { #expect(!FileManager.default.fileExists(atPath: folder.path + "/.\(name).lock")) }
        }
    }

    /// A named pipe that nobody writes to, or not to its end, is waited for.
    @Test(arguments: [SIGINT, SIGTERM], [true, false]) func anImportThatWaitsForItsInputIsEnded(
        signal: Int32, hasWriter: Bool
    ) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), pipe = folder.path + "/Person.csv"
            try #require(mkfifo(pipe, 0o600) == 0)
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: document))
            let writer = hasWriter ? open(pipe, O_RDWR) : -1
            defer { if hasWriter { close(writer) } }
            if hasWriter { _ = "name\nA\n".withCString { write(writer, $0, strlen($0)) } }
            let process = try Self.start(
                ["import", document, "Person.csv"], in: folder, state: folder.appendingPathComponent("state"))
            // Until the handlers are set, the signal would end the process by itself.
            usleep(500_000)
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: document)) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".") } == [])
        }
    }

    /// The document is open and locked when the value is waited for.
    @Test func aCommandThatIsEndedLeavesNoLockFile() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), lock = folder.path + "/.Expeditions.folio.lock"
            try #require(mkfifo(folder.path + "/value", 0o600) == 0)
            let before = try FolioCommand.run("export", document).output
            let process = try Self.start(
                ["attach", document, "Person/p1", "portrait", "value"], in: folder,
                state: folder.appendingPathComponent("state"))
            while process.isRunning, !FileManager.default.fileExists(atPath: lock) { usleep(1_000) }
            kill(process.processIdentifier, SIGINT)
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            #expect(!FileManager.default.fileExists(atPath: lock))
            #expect(try FolioCommand.run("export", document).output == before)
        }
    }

    /// Until the new document is placed, a repair is ended at once, whatever it is doing.
    @Test func aRepairIsEnded() throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/Doc.folio", state = folder.appendingPathComponent("state")
            try FileManager.default.copyContents(
                of: URL(fileURLWithPath: FolioCommand.document), to: URL(fileURLWithPath: document))
            try Self.rows().write(to: folder.appendingPathComponent("Person.csv"))
            #expect(try FolioCommand.run(["import", document, "Person.csv"], in: folder).exit == 0)
            let process = try Self.start(["repair", document, "-o", "New.folio"], in: folder, state: state)
            while process.isRunning, !FileManager.default.fileExists(atPath: folder.path + "/.Doc.folio.lock") {
                usleep(1_000)
            }
            kill(process.processIdentifier, SIGINT)
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            #expect(
                Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).isSubset(of: [
                    "Doc.folio", "Person.csv", "state",
                ]))
            #expect(try FolioCommand.run("verify", document).exit == 0)
        }
    }
}
