import Foundation
import Testing

/// What git can't hold, planted in the place of a document's parts: FIFOs and files with two names.
/// Nothing waits on them, reads or writes them.
struct PlantedFilesTests {
    private static let commands = [
        ["export", "DOC"], ["verify", "DOC"], ["insert", "DOC", "Note", "title=x"], ["info", "DOC"],
        ["pack", "DOC", "x.folioz"],
    ]

    private static func package(in box: URL) throws -> URL {
        let package = box.appendingPathComponent("A.folio")
        try SoundPackage.make(at: package)
        return package
    }

    @Test(
        arguments: [
            "store/store.sqlite", "store/store.sqlite-wal", "store/store.sqlite-shm", "manifest.json", "mimetype",
        ], commands)
    func aFIFOIsNotWaitedFor(part: String, command: [String]) throws {
        // Nobody needs the media type to open a document.
        let run = try HostileRun(command, mayChange: part == "mimetype" && command[0] == "insert") { box in
            let path = try Self.package(in: box).appendingPathComponent(part).path
            try? FileManager.default.removeItem(atPath: path)
            #expect(mkfifo(path, 0o600) == 0)
            return "A.folio"
        }
        #expect(!run.isKilled)
        #expect(run.exit == 65 || run.exit == 1 || part == "mimetype" && run.exit == 0, "\(run.exit) \(run.messages)")
    }

    @Test(arguments: ["store/store.sqlite", "store/store.sqlite-wal"], commands) func aFileWithTwoNamesIsRefused(
        part: String, command: [String]
    ) throws {
        let run = try HostileRun(command) { box in
            let path = try Self.package(in: box).appendingPathComponent(part).path
            let other = box.appendingPathComponent("other").path
            try Data("precious".utf8).write(to: URL(fileURLWithPath: other))
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.linkItem(atPath: other, toPath: path)
            return "A.folio"
        }
        #expect(!run.isKilled)
        #expect(run.exit == 65 || run.exit == 1, "\(run.exit) \(run.messages)")
        #expect((run.messages + run.output).contains("hard link"))
    }

    @Test(arguments: commands) func aFIFOIsNoDocument(command: [String]) throws {
        let run = try HostileRun(command) { box in
            #expect(mkfifo(box.appendingPathComponent("A.folio").path, 0o600) == 0)
            return "A.folio"
        }
        #expect(!run.isKilled && run.exit == 65, "\(run.exit) \(run.messages)")
    }
}
