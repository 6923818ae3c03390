import Foundation
import Testing
import TestSupport

/// Files into binary attributes and out of them.
struct AttachmentTests {
    /// `portrait` may be kept in a file of its own, `route` is not.
    @Test(arguments: [
        ("Person/p1", "portrait", 300_000), ("Person/p1", "portrait", 10), ("Journey/p1", "route", 5000),
        ("Person/p1", "portrait", 0),
    ])
    func whatIsAttachedIsExtracted(object: String, key: String, size: Int) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
            let file = folder.appendingPathComponent("in.bin"), result = folder.appendingPathComponent("out.bin")
            try bytes.write(to: file)
            let attached = try FolioCommand.run("attach", document, object, key, file.path, "--json")
            #expect(attached.exit == 0, "\(attached.messages)")
            #expect(attached.object["bytes"] as? Int == size)
            let extracted = try FolioCommand.run("extract", document, object, key, "-o", result.path, "--json")
            #expect(extracted.exit == 0, "\(extracted.messages)")
            #expect(extracted.object["bytes"] as? Int == size)
            #expect(try Data(contentsOf: result) == bytes)
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
        }
    }

    @Test func standardOutputGetsTheBytesAlone() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let file = folder.appendingPathComponent("in.txt")
            try Data("just this".utf8).write(to: file)
            #expect(try FolioCommand.run("attach", document, "Person/p1", "portrait", file.path).exit == 0)
            let outcome = try FolioCommand.run("extract", document, "Person/p1", "portrait", "-o", "-")
            #expect(outcome.exit == 0)
            #expect(outcome.output == "just this")
        }
    }

    @Test func aDryRunAttachesNothing() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run(
                "attach", document, "Person/p1", "portrait", FolioCommand.document + "/manifest.json", "--dry-run")
            #expect(outcome.exit == 0)
            #expect(outcome.messages.hasPrefix("would attach "))
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }

    @Test func aMissingFileOfALargeValueIsNamed() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let file = folder.appendingPathComponent("in.bin")
            try Data(repeating: 7, count: 300_000).write(to: file)
            #expect(try FolioCommand.run("attach", document, "Person/p1", "portrait", file.path).exit == 0)
            let content = URL(fileURLWithPath: document + "/content")
            let names = try FileManager.default.subpathsOfDirectory(atPath: content.path).filter { $0.contains("/") }
            let name = try #require(names.first)
            try FileManager.default.removeItem(at: content.appendingPathComponent(name))
            let result = folder.appendingPathComponent("out.bin").path
            let outcome = try FolioCommand.run("extract", document, "Person/p1", "portrait", "-o", result)
            #expect(outcome.exit == 66, "\(outcome.messages)")
            #expect(outcome.errors.count == 1)
            #expect(outcome.messages.contains(URL(fileURLWithPath: name).lastPathComponent))
            #expect(!FileManager.default.fileExists(atPath: result))
        }
    }
}

extension AttachmentTests {
    @Test func whatIsTooLargeForATableIsRefusedBeforeItIsRead() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), file = folder.appendingPathComponent("in.bin")
            #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 300_000_000)
            try handle.close()
            let outcome = try FolioCommand.run("attach", document, "Journey/p1", "route", file.path)
            #expect(outcome.exit == 69, "\(outcome.messages)")
            #expect(outcome.errors.first?.contains("at most 250000000 bytes") == true)
            #expect(outcome.hints.count == 1)
            #expect(try FolioCommand.run("attach", document, "Person/p1", "portrait", file.path, "--dry-run").exit == 0)
        }
    }

    @Test func wrongWordsAreExplained() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let file = folder.appendingPathComponent("in.bin").path
            try Data([1]).write(to: URL(fileURLWithPath: file))
            let before = try FolioCommand.contents(of: folder)
            let cases: [([String], Int32)] = [
                (["attach", document, "Person/p1", "name", file], 64),
                (["attach", document, "Person/p1", "leads", file], 64),
                (["attach", document, "Person/p1", "portait", file], 64),
                (["attach", document, "Person/p99", "portrait", file], 66),
                (["attach", document, "Person/p1", "portrait", file + "x"], 66),
                (["extract", document, "Person/p1", "name", "-o", "-"], 64),
                (["extract", document, "Person/p1", "portait", "-o", "-"], 64),
                (["extract", document, "Person/p1", "portrait"], 64),
                (["extract", document, "Person/p99", "portrait", "-o", "-"], 66),
            ]
            for (words, exit) in cases {
                let outcome = try FolioCommand.run(words)
                #expect(outcome.exit == exit, "\(words): \(outcome.messages)")
                #expect(outcome.errors.count == 1)
                #expect(outcome.output.isEmpty)
            }
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}
