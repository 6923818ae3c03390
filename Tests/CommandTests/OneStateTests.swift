import Foundation
import SQLiteKit
import Synchronization
import TestSupport
import Testing

/// Commands that read a store show one state of it, whatever another program commits meanwhile.
@Suite(.enabled(if: runsSweeps)) struct OneStateTests {
    /// Of forty exports beside a writer, so many at least show something: the writer pauses, and
    /// the reader tries again.
    private static let fewestShown = sweep(2, all: 10)

    /// A bare store in which the names of `Person/p1` and `Journey/p1` are the same after every
    /// commit.
    private static func makeStore(in folder: URL, journal: Connection.JournalMode) throws -> String {
        let path = folder.appendingPathComponent("Store.sqlite").path
        #expect(try FolioCommand.run("save-as", FolioCommand.document, path, "--store", "sqlite").exit == 0)
        let connection = try Connection(path, .readWrite)
        try connection.setJournalMode(journal)
        try commit("first", to: connection)
        try connection.close()
        return path
    }

    private static func commit(_ name: String, to connection: Connection) throws {
        try connection.transaction {
            try connection.run("UPDATE ZPERSON SET ZNAME = ? WHERE Z_PK = 1", [.text(name)])
            try connection.run("UPDATE ZJOURNEY SET ZTITLE = ? WHERE Z_PK = 1", [.text(name)])
        }
    }

    /// A writer on a thread of its own.
    private final class Writer: Sendable {
        private let isDone = Atomic(false)
        private let ended = DispatchSemaphore(value: 0)

        /// Commits again and again until `stop`; with `closes` it opens the store for each commit.
        init(_ path: String, closes: Bool, mostMicrosecondsBetween: UInt32 = 8_000) {
            Thread.detachNewThread { [self] in
                var connection: Connection?, number = 0
                while !isDone.load(ordering: .relaxed) {
                    number += 1
                    do {
                        let open = try connection ?? Connection(path, .readWrite)
                        connection = closes ? nil : open
                        try OneStateTests.commit("n\(number)", to: open)
                        if closes { try open.close() }
                    } catch {
                        // A reader was in its way for longer than it waits.
                    }
                    usleep(UInt32.random(in: 0...mostMicrosecondsBetween))
                }
                connection = nil
                ended.signal()
            }
        }

        func stop() {
            isDone.store(true, ordering: .relaxed)
            ended.wait()
        }
    }

    /// The names of the person and the journey in an export.
    private func names(_ export: [String: Any]) throws -> [String] {
        let entities = try #require(export["entities"] as? [String: [[String: Any]]])
        return try [("Person", "name"), ("Journey", "title")].map { entity, key in
            let object = try #require(entities[entity]?.first { ($0["id"] as? String)?.hasSuffix("/p1") == true })
            return try #require((object["attributes"] as? [String: Any])?[key] as? String)
        }
    }

    @Test(arguments: [Connection.JournalMode.wal, .delete], [true, false])
    func anExportBesideAWriterIsOneState(journal: Connection.JournalMode, closes: Bool) throws {
        try withTemporaryDirectory { folder in
            let path = try Self.makeStore(in: folder, journal: journal)
            let writer = Writer(path, closes: closes)
            defer { writer.stop() }
            var shown = 0
            for _ in 0..<sweep(10, all: 40) {
                let export = try FolioCommand.run("export", path)
                // Whoever can't be held off is told of, and nothing is shown then.
                guard export.exit == 0 else {
                    #expect(export.exit == 75, "\(export.messages)")
                    continue
                }
                let names = try names(export.object)
                #expect(names[0] == names[1])
                shown += 1
            }
            #expect(shown >= Self.fewestShown)
        }
    }

    @Test(arguments: [
        ["fetch", "Person", "--columns", "name,journeys.title", "--format", "json"],
        ["get", "Person/p1", "Journey/p1"], ["info"], ["verify", "--deep"],
    ])
    func aReadingCommandBesideAWriterSucceeds(words: [String]) throws {
        try withTemporaryDirectory { folder in
            let path = try Self.makeStore(in: folder, journal: .wal)
            let writer = Writer(path, closes: true, mostMicrosecondsBetween: 30_000)
            defer { writer.stop() }
            for _ in 0..<10 {
                let outcome = try FolioCommand.run([words[0], path] + words.dropFirst())
                #expect(outcome.exit == 0, "\(outcome.messages)\(outcome.output)")
            }
        }
    }

    @Test func aCopyMadeBesideAWriterIsOneState() throws {
        try withTemporaryDirectory { folder in
            let path = try Self.makeStore(in: folder, journal: .wal)
            let writer = Writer(path, closes: true)
            defer { writer.stop() }
            var made = 0
            for number in 0..<6 {
                let copy = folder.appendingPathComponent("Copy\(number).folio").path
                let outcome = try FolioCommand.run("save-as", path, copy)
                // Whoever can't be held off is told of, and nothing is made then.
                guard outcome.exit == 0 else {
                    #expect(outcome.exit == 75 && !FileManager.default.fileExists(atPath: copy), "\(outcome.messages)")
                    continue
                }
                let names = try names(FolioCommand.run("export", copy).object)
                #expect(names[0] == names[1])
                made += 1
            }
            #expect(made > 0)
        }
    }
}
