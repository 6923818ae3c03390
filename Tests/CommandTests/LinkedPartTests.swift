import Foundation
import Testing
import TestSupport

/// A part of a package that is a link: no command reads what it leads to, or writes to it.
///
/// Of each part a quarter of the commands; `FOLIO_LINKS=all` runs all. What was read shows by the
/// time of the last access, unless the file system is mounted without it.
@Suite(.enabled(if: runsSweeps)) struct LinkedPartTests {
    private static let share = ProcessInfo.processInfo.environment["FOLIO_LINKS"] == "all" ? 1 : sweep(12, all: 4)

    private static let commands = [
        ["verify", "DOC", "--deep"], ["info", "DOC"], ["export", "DOC"], ["get", "DOC", "Person/p1"],
        ["extract", "DOC", "Person/p1", "portrait", "-o", "value"], ["pack", "DOC", "B.folioz"],
        ["save-as", "DOC", "B.folio"], ["repair", "DOC", "-o", "C.folio"], ["insert", "DOC", "Person", "name=New"],
        ["attach", "DOC", "Person/p2", "portrait", "new"],
        ["versions", "prune", "DOC", "--keep", "1"], ["restore", "DOC@1"],
    ]

    private static let folders = [
        "store", "content", "content/??", "extra", "extra/sub", "preview", "versions", "model",
        "model/Expeditions.xcdatamodel",
    ]
    private static let files = [
        "manifest.json", "mimetype", "store/store.sqlite", "content/??/*", "extra/sub/file", "preview/page",
        "versions/index.json", "versions/1.delta", "model/Expeditions.xcdatamodel/contents",
    ]

    /// A document that has every part.
    private func make(in folder: URL) throws -> String {
        let path = try FolioCommand.copyOfDocument(in: folder)
        for (name, start) in [("old", UInt64(1)), ("new", 2)] {
            var random = SplitMix(state: start)
            try Data((0..<150_000).map { _ in UInt8.random(in: 0...255, using: &random) }).write(
                to: folder.appendingPathComponent(name))
        }
        #expect(try FolioCommand.run("attach", path, "Person/p1", "portrait", "old", in: folder).exit == 0)
        #expect(try FolioCommand.run("insert", path, "Person", "name=Late", in: folder).exit == 0)
        for name in ["extra/sub/file", "preview/page"] {
            let file = URL(fileURLWithPath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("own".utf8).write(to: file)
        }
        return path
    }

    /// A name for a pattern, which has one.
    private func resolved(_ part: String, _ package: String) throws -> String {
        var path = ""
        for name in part.split(separator: "/") {
            let found =
                name == "??" || name == "*"
                ? try FileManager.default.contentsOfDirectory(atPath: package + "/" + path).first ?? "" : String(name)
            path += (path.isEmpty ? "" : "/") + found
        }
        return path
    }

    /// Puts the time of the last reading far back, so that the next one shows.
    private func forgetReadings(_ folder: URL) throws -> [String: time_t] {
        var times: [String: time_t] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let path = folder.path + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let old = [timespec(tv_sec: 1, tv_nsec: 0), status.st_mtim]
            #expect(utimensat(AT_FDCWD, path, old, 0) == 0)
            times[path] = 1
        }
        return times
    }

    @Test(arguments: folders + files) func nothingIsReadOrWrittenThroughALink(part: String) throws {
        try withTemporaryDirectory { folder in
            let original = try make(in: folder)
            let start = ((Self.folders + Self.files).firstIndex(of: part) ?? 0) % Self.share
            for command in stride(from: start, to: Self.commands.count, by: Self.share).map({ Self.commands[$0] }) {
                let work = folder.appendingPathComponent("work"), outside = folder.appendingPathComponent("outside")
                for place in [work, outside] {
                    try? FileManager.default.removeItem(at: place)
                    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                }
                let document = work.appendingPathComponent("A.folio")
                try FileManager.default.copyContents(of: URL(fileURLWithPath: original), to: document)
                try Data(contentsOf: folder.appendingPathComponent("new")).write(to: work.appendingPathComponent("new"))
                let place = try document.path + "/" + resolved(part, document.path)
                try FileManager.default.moveItem(atPath: place, toPath: outside.path + "/x")
                try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: outside.path + "/x")
                let before = try FolioCommand.contents(of: outside)
                let times = try forgetReadings(outside)
                let outcome = try FolioCommand.run(command.map { $0.replacing("DOC", with: "A.folio") }, in: work)
                #expect(
                    [0, 1, 65, 66].contains(outcome.exit), "\(part), \(command): \(outcome.exit) \(outcome.messages)")
                for (path, time) in times {
                    var status = stat()
                    #expect(
                        lstat(path, &status) == 0 && status.st_atim.tv_sec == time,
                        "\(part), \(command): \(path) was read")
                }
                #expect(try FolioCommand.contents(of: outside) == before, "\(part), \(command)")
            }
        }
    }
    /// Other commands refuse such parts: so does `verify`, however deep it looks.
    @Test(
        arguments: [
            "content/??", "content/??/*", "extra/link", "extra/sub/link", "preview/link", "model/link", "versions/link",
            "link",
        ], [[], ["--deep"]])
    func aLinkIsFound(part: String, options: [String]) throws {
        try withTemporaryDirectory { folder in
            let document = try make(in: folder), outside = folder.path + "/outside", part = try resolved(part, document)
            if FileManager.default.fileExists(atPath: document + "/" + part) {
                try FileManager.default.moveItem(atPath: document + "/" + part, toPath: outside)
            }
            try FileManager.default.createSymbolicLink(atPath: document + "/" + part, withDestinationPath: outside)
            let outcome = try FolioCommand.run(["verify", document] + options)
            let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix(part + ": ") }
            #expect(
                outcome.exit == 1 && lines.count == 1 && lines[0].contains("link"),
                "\(outcome.output)\(outcome.messages)")
        }
    }

    @Test(
        arguments: [
            "manifest.json", "mimetype", "content/??/*", "extra/sub/file", "preview/page", "versions/index.json",
            "versions/1.delta", "model/Expeditions.xcdatamodel/contents",
        ], [[], ["--deep"]])
    func aFileWithAnotherNameIsFound(part: String, options: [String]) throws {
        try withTemporaryDirectory { folder in
            let document = try make(in: folder), part = try resolved(part, document)
            try FileManager.default.linkItem(atPath: document + "/" + part, toPath: folder.path + "/another")
            let outcome = try FolioCommand.run(["verify", document] + options)
            let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix(part + ": ") }
            #expect(
                outcome.exit == 1 && lines.count == 1 && lines[0].contains("hard link"),
                "\(outcome.output)\(outcome.messages)")
        }
    }

    @Test(arguments: ["extra/pipe", "content/pipe", "pipe"]) func aPipeIsFound(part: String) throws {
        try withTemporaryDirectory { folder in
            let document = try make(in: folder)
            #expect(mkfifo(document + "/" + part, 0o600) == 0)
            let outcome = try FolioCommand.run("verify", document)
            #expect(
                outcome.exit == 1 && outcome.output.contains(part + ": is neither a plain file nor a folder"),
                "\(outcome.output)\(outcome.messages)")
        }
    }
}
