import Foundation
import TestSupport
import Testing

/// Large values whose files another program altered, replaced by links or gave a second name.
struct AlteredValueTests {
    /// Bytes that no compression makes fewer.
    private static let bytes: Data = {
        var state: UInt64 = 7
        return Data(
            (0..<300_000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            })
    }()

    /// A package with one large value, and the path of its file.
    private static func document(in folder: URL) throws -> (path: String, file: String) {
        let document = try FolioCommand.copyOfDocument(in: folder), file = folder.appendingPathComponent("portrait")
        try bytes.write(to: file)
        #expect(try FolioCommand.run("set", document, "Person/p1", "portrait=@\(file.path)").exit == 0)
        let content = document + "/content"
        let values = try FileManager.default.subpathsOfDirectory(atPath: content).filter { $0.utf8.count == 39 }
        return (document, content + "/" + (try #require(values.first)))
    }

    private static func flip(_ file: String, at place: Int) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[place] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
    }

    private static let readings = [
        ["export"], ["extract", "Person/p1", "portrait", "-o", "OUT"], ["save-as", "OUT.folio"],
        ["save-as", "OUT.sqlite"], ["pack", "OUT.folioz"],
    ]

    @Test(arguments: readings) func aFlippedBitOfAValueIsNeverPassedOn(words: [String]) throws {
        try withTemporaryDirectory { folder in
            let (document, file) = try Self.document(in: folder)
            for place in [0, 150_000, 299_999] {
                try Self.flip(file, at: place)
                let outcome = try FolioCommand.run(
                    [words[0], document]
                        + words.dropFirst().map { $0.replacingOccurrences(of: "OUT", with: folder.path + "/out") })
                #expect(outcome.exit == 65, "\(place): \(outcome.messages)")
                #expect(outcome.messages.contains("not what was written"), "\(outcome.messages)")
                #expect(outcome.json == nil)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("out") }
                        == [])
                try Self.flip(file, at: place)
            }
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
        }
    }

    @Test func aFlippedBitOfAValueInAnArchiveIsDamage() throws {
        try withTemporaryDirectory { folder in
            let (document, _) = try Self.document(in: folder)
            let archive = folder.path + "/A.folioz"
            #expect(try FolioCommand.run("pack", document, archive).exit == 0)
            let packed = try Data(contentsOf: URL(fileURLWithPath: archive))
            let start = try #require(packed.range(of: Data("content/".utf8))?.upperBound)
            for place in [start + 1_000, start + 100_000, start + 250_000] {
                try Self.flip(archive, at: place)
                let readings = [
                    ["export"], ["export", "--format", "jsonl"], ["get", "Person/p1", "--json"],
                    ["fetch", "Person", "--json"], ["fetch", "Person", "--format", "jsonl"],
                    ["export", "--format", "csv", "--entity", "Person"], ["fetch", "Person", "--format", "csv"],
                    ["fetch", "Person", "--columns", "name,portrait", "--format", "csv"],
                    ["extract", "Person/p1", "portrait", "-o", folder.path + "/out"],
                    ["unpack", folder.path + "/out.folio"],
                ]
                for words in readings {
                    let outcome = try FolioCommand.run([words[0], archive] + words.dropFirst())
                    #expect(outcome.exit == 65, "\(words): \(outcome.exit) \(outcome.messages)")
                    #expect(outcome.json == nil)
                    #expect(!outcome.output.hasSuffix("}\n"), "\(words)")
                }
                try Self.flip(archive, at: place)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == packed)
        }
    }
}

extension AlteredValueTests {
    /// Whether a folder of a package is a link to one elsewhere.
    @Test(arguments: ["content", "content/xx", "versions", "model", "store", "extra"])
    func aFolderThatIsALinkIsDamageAndNothingIsWrittenThroughIt(name: String) throws {
        try withTemporaryDirectory { folder in
            let (document, file) = try Self.document(in: folder)
            let part =
                document + "/"
                + name.replacingOccurrences(
                    of: "xx", with: URL(fileURLWithPath: file).deletingLastPathComponent().lastPathComponent)
            let outside = folder.appendingPathComponent("outside")
            if FileManager.default.fileExists(atPath: part) {
                try FileManager.default.moveItem(atPath: part, toPath: outside.path)
            } else {
                try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
            }
            try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: outside.path)
            let before = try FolioCommand.contents(of: outside)
            var other = Self.bytes
            other[5] ^= 1
            // In the same folder as the value that is there: some other bytes have such a name.
            if name == "content/xx" { other = Self.bytes }
            let value = folder.appendingPathComponent("other")
            try other.write(to: value)
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 1)
            let written = try FolioCommand.run("set", document, "Person/p2", "portrait=@\(value.path)")
            #expect(written.exit == 65, "\(written.messages)")
            let extracted = try FolioCommand.run(
                "extract", document, "Person/p1", "portrait", "-o", folder.path + "/out")
            #expect(extracted.exit == 65, "\(extracted.messages)")
            #expect(try FolioCommand.contents(of: outside) == before)
        }
    }

    @Test func aValueWithASecondNameIsDamage() throws {
        try withTemporaryDirectory { folder in
            let (document, file) = try Self.document(in: folder)
            try FileManager.default.linkItem(atPath: file, toPath: folder.path + "/second")
            #expect(try FolioCommand.run("verify", document).exit == 1)
            let extracted = try FolioCommand.run(
                "extract", document, "Person/p1", "portrait", "-o", folder.path + "/out")
            #expect(extracted.exit == 65 && extracted.messages.contains("hard link"), "\(extracted.messages)")
        }
    }
}
