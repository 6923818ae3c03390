import Merging
import ArchiveKit
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// Archives, which keep the states that merges with copies need.
struct ArchiveMergeTests: MergesCopies {
    private func entries(_ url: URL) throws -> [String: Int64] {
        let reader = try ArchiveReader(File(url.path, .read), allowing: { _ in true })
        return Dictionary(uniqueKeysWithValues: reader.directory.entries.map { ($0.name, $0.size) })
    }

    private func states(_ url: URL) throws -> [String: Int64] {
        try entries(url).filter { $0.key.hasPrefix("extra/folio-merge/states/") }
    }

    @Test(arguments: [1, 5]) func copiesMergeByTheStateThatTheyHadInCommon(saves: Int) async throws {
        try await withCopies(.archive) { ours, theirs in
            for number in 1...saves {
                try await edit(ours) { try book($0, "Essays").setPropertyValue(.int(Int64(number)), forKey: "pages") }
                try await edit(theirs) {
                    try object($0, "Author", "name", "Eliot").setPropertyValue(.string("Eliot"), forKey: "name")
                    try $0.insert("Tag")["name"] = "new \(number)"
                }
            }
            let document = try await PersistentDocument.open(ours)
            let report = try await document.merge(theirs)
            #expect(report.isApplied && report.inserted == ["Tag": saves] && report.changed.isEmpty)
            try await document.save()
            #expect(try await document.merge(theirs).isEmpty)
            try await document.close()
            try await DocumentOpening.withDocument(at: theirs, mode: .editing) { other in
                #expect(try await other.merge(ours).changed == ["Book": 1])
                try await other.save()
            }
            for url in [ours, theirs] { #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty) }
        }
    }

    @Test func bothValuesOfAConflictAreToldWithTheOneBefore() async throws {
        try await withCopies(.archive) { ours, theirs in
            for (url, title) in [(ours, "Mine"), (theirs, "Other")] {
                try await edit(url) { try $0.insert("Tag")["name"] = title }
                try await edit(url) { try book($0, "Essays")["title"] = title }
            }
            let document = try await PersistentDocument.open(ours)
            let conflict = try #require(try await document.merge(theirs).undecided.first)
            #expect(conflict.base == .string("Essays") && conflict.theirs == .string("Other"))
            try await document.close()
        }
    }

    @Test func theStatesTakeLittleAndHoldNoLargeValue() async throws {
        try await withCopies(.archive) { ours, theirs in
            try await edit(ours) { try book($0, "Middlemarch").setPropertyValue(.null, forKey: "cover") }
            try await edit(theirs) { try book($0, "Essays")["title"] = "Other" }
            #expect(try states(ours).values.reduce(0, +) < 10_000)
            let document = try await PersistentDocument.open(ours)
            #expect(try await document.merge(theirs).changed == ["Book": 1])
            #expect(try book(document.context, "Middlemarch").propertyValue(forKey: "cover") == .null)
            try await document.close(.discard)
        }
    }

    @Test func theStatesAreBoundedInNumber() async throws {
        try await withCopies(.archive) { ours, _ in
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                for number in 0..<140 {
                    try book(document.context, "Essays").setPropertyValue(.int(Int64(number)), forKey: "pages")
                    try await document.save()
                }
            }
            #expect(try states(ours).count == 129)
            #expect(try DocumentVerifier.verify(ours, isThorough: true).isEmpty)
        }
    }

    @Test func theStatesAreBoundedInBytes() async throws {
        try await withCopies(.archive) { ours, _ in
            func text(_ number: Int) -> String { String(repeating: "\(number) ", count: 300_000) }
            for number in 0..<4 {
                try await edit(ours) {
                    try book($0, "Essays")["title"] = "Essays"
                    try object($0, "Author", "name", number == 0 ? "Eliot" : text(number - 1))["name"] = text(number)
                }
            }
            #expect(try states(ours).values.reduce(0, +) < 1_100_000)
        }
    }

}

extension ArchiveMergeTests {
    @Test func onlyTheArchiveItselfKeepsThem() async throws {
        try await withCopies(.archive) { ours, _ in
            try await edit(ours) { try book($0, "Essays")["title"] = "Essays and Leaves" }
            #expect(try !states(ours).isEmpty)
            let folder = ours.deletingLastPathComponent()
            let package = folder.appendingPathComponent("P.folio"), packed = folder.appendingPathComponent("Q.folioz")
            let copy = folder.appendingPathComponent("C.folioz"), repaired = folder.appendingPathComponent("R.folioz")
            try await PersistentDocument.unpack(ours, to: package)
            try await PersistentDocument.pack(package, to: packed)
            try await DocumentOpening.withDocument(at: ours) { try await $0.write(to: copy, form: .archive) }
            _ = try await DocumentRepairer.repair(ours, to: repaired)
            #expect(try contents(of: package).keys.allSatisfy { !$0.hasPrefix("extra/") })
            for url in [packed, copy, repaired] { #expect(try states(url).isEmpty, "\(url.lastPathComponent)") }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
    func aReaderOfTheFormatFindsTheStates() async throws {
        try await withCopies(.archive) { ours, _ in
            for number in 2...3 {
                try await edit(ours) { try book($0, "Essays").setPropertyValue(.int(Int64(number)), forKey: "pages") }
            }
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("FormatReader/folio_format.py")
            let process = Process(), output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            process.arguments = ["-B", script.path, "check", ours.path]
            process.standardOutput = output
            try process.run()
            let report = try JSONSerialization.jsonObject(with: output.fileHandleForReading.readDataToEndOfFile())
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect((report as? [String: Any])?["mergeStates"] as? [Int] == [0, 1, 2])
        }
    }

    @Test func anArchiveWithVersionsKeepsDifferences() async throws {
        try await withCopies { ours, _ in
            let archive = ours.deletingLastPathComponent().appendingPathComponent("A.folioz")
            try await PersistentDocument.pack(ours, to: archive, withVersions: true)
            for number in 1...3 {
                try await edit(archive) {
                    try book($0, "Essays").setPropertyValue(.int(Int64(number)), forKey: "pages")
                }
            }
            #expect(try entries(archive).keys.allSatisfy { !$0.hasSuffix(".base") && !$0.hasPrefix("extra/") })
            #expect(try DocumentVerifier.verify(archive, isThorough: true).isEmpty)
            let old = try await PersistentDocument.open(archive, version: 2)
            #expect(try book(old.context, "Essays").propertyValue(forKey: "pages") == .int(1))
            try await old.close()
            // Also of large values of a version.
            let package = ours.deletingLastPathComponent().appendingPathComponent("B.folio")
            try await PersistentDocument.unpack(archive, to: package)
            #expect(try DocumentVerifier.verify(package, isThorough: true).isEmpty)
        }
    }

}

extension ArchiveMergeTests {
    @Test func copiesWithoutABaseUniteWhatIsOneObject() async throws {
        try await withCopies(.archive) { ours, theirs in
            try await edit(ours) { try object($0, "Author", "name", "Eliot")["name"] = "George Eliot" }
            try await edit(theirs) { try book($0, "Essays").setPropertyValue(.int(7), forKey: "pages") }
            let document = try await PersistentDocument.open(ours)
            let refused = try await document.merge(theirs, base: .none)
            #expect(!refused.isApplied && refused.undecided.map(\.name) == ["Author/p1.name"])
            let report = try await document.merge(theirs, base: .none, deciding: .ours)
            #expect(report.isApplied && report.inserted.isEmpty && report.changed == ["Book": 1])
            try await document.save()
            #expect(try await document.merge(theirs, base: .none, deciding: .ours).isEmpty)
            try await document.close()
        }
    }

    @Test func otherDocumentsWithoutABaseUniteWhatHasTheSameValues() async throws {
        try await withCopies { ours, theirs in
            let other = ours.deletingLastPathComponent().appendingPathComponent("other.folio")
            try await DocumentOpening.withDocument(at: theirs) { try await $0.write(to: other, form: .package) }
            try await edit(other) { try $0.insert("Tag").setPropertyValue(.string("new"), forKey: "name") }
            try await edit(other) { try book($0, "Essays").setPropertyValue(.int(7), forKey: "pages") }
            let document = try await PersistentDocument.open(ours)
            let report = try await document.merge(other, base: .none)
            #expect(report.isApplied && report.inserted == ["Tag": 1, "Book": 1])
            try await document.close(.discard)
        }
    }
}
