import Foundation
import Testing
import TestSupport

/// A bit turned over anywhere in a document is found by `verify --deep`, and no export is wrong
/// without a word.
///
/// A few bits of each file of each form; `FOLIO_FLIP_ALL` asks for many, and prints the figures.
struct FlippedDocumentTests {
    private static let isWhole = ProcessInfo.processInfo.environment["FOLIO_FLIP_ALL"] != nil

    /// A document in every form, by name: with versions and without, as it was saved, copied,
    /// packed, unpacked and pruned.
    private func makeDocuments(_ folder: URL) throws -> [String] {
        let base = try FolioCommand.copyOfDocument(in: folder)
        func run(_ arguments: String...) throws {
            let outcome = try FolioCommand.run(arguments)
            #expect(outcome.exit == 0, "\(arguments): \(outcome.messages)")
        }
        for name in ["Nares", "Markham"] { try run("insert", base, "Person", "name=\(name)") }
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        try run("save-as", base, path("Copy.folio"))
        try run("pack", base, path("Packed.folioz"))
        try run("pack", base, path("Versions.folioz"), "--with-versions")
        try run("unpack", path("Packed.folioz"), path("Unpacked.folio"))
        try FileManager.default.copyContents(
            of: URL(fileURLWithPath: base), to: folder.appendingPathComponent("Pruned.folio"))
        try run("versions", "prune", path("Pruned.folio"), "--keep", "0")
        return [base] + ["Copy.folio", "Packed.folioz", "Versions.folioz", "Unpacked.folio", "Pruned.folio"].map(path)
    }

    private func files(of document: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: document, isDirectory: &isFolder), isFolder.boolValue else {
            return [document]
        }
        return try FileManager.default.subpathsOfDirectory(atPath: document).sorted().map { document + "/" + $0 }
            .filter { FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue }
    }

    @Test func everyFlipIsFoundAndNoExportIsWrong() throws {
        try withTemporaryDirectory { folder in
            for document in try makeDocuments(folder) {
                let sound = try FolioCommand.run("export", document)
                #expect(try sound.exit == 0 && FolioCommand.run("verify", "--deep", document).exit == 0)
                var count = 0
                for file in try files(of: document) {
                    let url = URL(fileURLWithPath: file), good = try Data(contentsOf: url)
                    let isMain = file.hasSuffix("store.sqlite") || file == document
                    for _ in 0..<(Self.isWhole ? (isMain ? 500 : 100) : isMain ? 3 : 1) where !good.isEmpty {
                        let place = Int.random(in: good.indices), bit = UInt8.random(in: 0..<8)
                        var bytes = good
                        bytes[place] ^= 1 << bit
                        try bytes.write(to: url)
                        let verified = try FolioCommand.run("verify", "--deep", document)
                        #expect(verified.exit != 0, "\(file), byte \(place), bit \(bit)")
                        if isMain || Self.isWhole {
                            let exported = try FolioCommand.run("export", document)
                            #expect(
                                exported.exit != 0 || exported.output == sound.output,
                                "\(file), byte \(place), bit \(bit)")
                        }
                        count += 1
                    }
                    try good.write(to: url)
                }
                if Self.isWhole { print("\(URL(fileURLWithPath: document).lastPathComponent): \(count) flips") }
            }
        }
    }

    /// Sums and numbers that were altered do not get into what the next save writes, as if they
    /// were true.
    @Test(arguments: ["manifest.json", "versions/index.json"]) func anEditAfterAnAlteredDigitIsSavedWholeOrRefused(
        name: String
    ) throws {
        try withTemporaryDirectory { folder in
            let original = try makeDocuments(folder)[0]
            let file = URL(fileURLWithPath: original + "/extra/notes/file")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("own".utf8).write(to: file)
            #expect(try FolioCommand.run("insert", original, "Person", "name=Nansen").exit == 0)
            let people = try people(original)
            let good = try Data(contentsOf: URL(fileURLWithPath: original + "/" + name))
            let digits = good.indices.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(good[$0]) }
            for number in 0..<(Self.isWhole ? 100 : 5) {
                let document = folder.appendingPathComponent("Altered\(number).folio")
                try FileManager.default.copyContents(of: URL(fileURLWithPath: original), to: document)
                let place = try #require(digits.randomElement())
                var bytes = good
                bytes[place] = UInt8(ascii: "0") + (bytes[place] - UInt8(ascii: "0") + UInt8.random(in: 1...9)) % 10
                try bytes.write(to: document.appendingPathComponent(name))
                let edit = try FolioCommand.run("insert", document.path, "Person", "name=Parry")
                let context: Comment =
                    "\(name), byte \(place): \(String(decoding: bytes[max(0, place - 30)..<min(bytes.count, place + 10)], as: UTF8.self)): \(edit.exit) \(edit.messages)"
                // 76: it says that a newer program is needed.
                #expect([0, 65, 76].contains(edit.exit), context)
                guard edit.exit == 0 else { continue }
                #expect(try self.people(document.path) == people + 1, context)
                let verified = try FolioCommand.run("verify", "--deep", document.path)
                // A version whose own sum was altered can't be told from one that is damaged.
                let findings = verified.output.split(separator: "\n").filter { !$0.hasPrefix("versions") }
                #expect(
                    verified.exit == 0 || verified.exit == 1 && findings.isEmpty && name != "manifest.json",
                    "\(context)\n\(verified.output)")
            }
        }
    }

    /// How many people an export shows.
    private func people(_ document: String) throws -> Int {
        let exported = try FolioCommand.run("export", document)
        #expect(exported.exit == 0, "\(exported.messages)")
        return (exported.object["entities"] as? [String: [Any]])?["Person"]?.count ?? 0
    }

    @Test func anExportOfAnAlteredStoreIsRefused() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("insert", document, "Person", "name=Nares").exit == 0)
            let store = URL(fileURLWithPath: document + "/store/store.sqlite")
            var bytes = try Data(contentsOf: store)
            let place = try #require(bytes.range(of: Data("Nares".utf8))).lowerBound
            bytes[place] = UInt8(ascii: "M")
            try bytes.write(to: store)
            for arguments in [
                ["export", document], ["export", document, "--entity", "Person", "--format", "csv"],
                ["save-as", document, folder.path + "/B.folio"],
                ["pack", document, folder.path + "/B.folioz"], ["diff", document, FolioCommand.document],
            ] {
                let outcome = try FolioCommand.run(arguments)
                #expect(
                    outcome.exit == 65 && outcome.output.isEmpty, "\(arguments): \(outcome.exit) \(outcome.messages)")
            }
            #expect(try FolioCommand.run("verify", document).exit == 1)
        }
    }
}
