import Merging
import DocumentFiles
import DocumentKit
import Foundation
import MergeTriples
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// Two people who edit their copies and merge again and again: the base is found each time, and
/// what one has called by another number stays what it is.
///
/// `FOLIO_MERGE_ROUNDS` says how many rounds there are.
struct MergeConversationTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["FOLIO_MERGE_ROUNDS"].flatMap { Int($0) } ?? sweep(4, all: 12)

    private func edit(_ url: URL, _ seed: UInt64, count: Int = 5) async throws {
        var random = SplitMix(state: seed)
        try await DocumentOpening.withDocument(at: url, mode: .editing) { document in
            try MergeFixture.edit(document.context, &random, count: count)
            try await document.save()
        }
    }

    private func merge(_ ours: URL, _ theirs: URL, base: DocumentMerge.Base = .common) async throws
        -> DocumentMerge.Report
    {
        try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
            let report = try await document.merge(theirs, base: base, deciding: .ours)
            try await document.save()
            return report
        }
    }

    private func world(_ url: URL) async throws -> PlainWorld {
        try await DocumentOpening.withDocument(at: url) { try MergeFixture.world($0.context) }
    }

    @Test(arguments: [UInt64](1...sweep(2, all: 4))) func packagesFindTheirBaseByWhatTheyKnow(_ seed: UInt64)
        async throws
    {
        try await withFolder { folder in
            let a = folder.appendingPathComponent("a.folio"), b = folder.appendingPathComponent("b.folio")
            let document = try await PersistentDocument.create(at: a, model: MergeFixture.model())
            var random = SplitMix(state: seed)
            try MergeFixture.edit(document.context, &random, count: 30)
            try await document.close(.save)
            try FileManager.default.copyItem(at: a, to: b)
            for round in 0..<Self.rounds {
                try await edit(a, seed &* 1000 &+ UInt64(round) &* 2)
                try await edit(b, seed &* 1000 &+ UInt64(round) &* 2 &+ 1)
                let (first, second) = Bool.random(using: &random) ? (a, b) : (b, a)
                let report = try await merge(first, second)
                #expect(report.isApplied && report.base != nil, "\(round)")
                // Now the first knows everything of the second.
                let back = try await merge(second, first)
                #expect(back.conflicts.isEmpty, "\(round): \(back.conflicts)")
                let left = try await world(a), right = try await world(b)
                #expect(left.shape() == right.shape(), "\(seed) \(round): \(left.differences(right))")
                for world in [left, right] {
                    let objections = try world.objections(MergeFixture.model())
                    #expect(objections.isEmpty, "\(round): \(objections)")
                }
                #expect(try await merge(a, b).isEmpty)
            }
            for url in [a, b] {
                let findings = try DocumentVerifier.verify(url, isThorough: true)
                #expect(findings.isEmpty, "\(findings)")
            }
        }
    }

    /// As git does it: the base is a file, and archives keep no versions.
    @Test(arguments: [UInt64](1...sweep(2, all: 4))) func archivesAreMergedByTheFilesThatGitGives(_ seed: UInt64)
        async throws
    {
        try await withFolder { folder in
            func url(_ name: String) -> URL { folder.appendingPathComponent(name + ".folioz") }
            func copy(_ from: URL, _ to: URL) throws {
                try? FileManager.default.removeItem(at: to)
                try FileManager.default.copyItem(at: from, to: to)
            }
            let a = url("a"), b = url("b"), base = url("base")
            let document = try await PersistentDocument.create(at: a, model: MergeFixture.model(), form: .archive)
            var random = SplitMix(state: seed)
            try MergeFixture.edit(document.context, &random, count: 30)
            try await document.close(.save)
            try copy(a, b)
            try copy(a, base)
            for round in 0..<Self.rounds {
                try await edit(a, seed &* 1000 &+ UInt64(round) &* 2)
                try await edit(b, seed &* 1000 &+ UInt64(round) &* 2 &+ 1)
                let tip = url("tip")
                try copy(b, tip)
                // The branch of b comes into that of a; b goes on, from where it was.
                let report = try await merge(a, b, base: .document(base))
                #expect(report.isApplied, "\(round)")
                try copy(tip, base)
                let objections = try await world(a).objections(MergeFixture.model())
                #expect(objections.isEmpty, "\(round): \(objections)")
            }
            // In the end all of b is in a: nothing is left to merge.
            #expect(try await merge(a, b, base: .document(base)).isEmpty)
            #expect(try await merge(a, b).isEmpty)
            let findings = try DocumentVerifier.verify(a, isThorough: true)
            #expect(findings.isEmpty, "\(findings)")
        }
    }
}

extension MergeConversationTests {
    /// The first copy comes in late: what it was made from is known since long, and is no base for
    /// the second copy, which was made later.
    @Test func aCopyThatIsMergedLateIsNoBaseForOneThatWasMadeAfterIt() async throws {
        try await withFolder { folder in
            func url(_ name: String) -> URL { folder.appendingPathComponent(name + ".folio") }
            func insert(_ name: String, _ document: String) async throws {
                try await DocumentOpening.withDocument(at: url(document), mode: .editing) {
                    try $0.context.insert("Tag")["name"] = name
                    try await $0.save()
                }
            }
            func names() async throws -> [String] {
                try await DocumentOpening.withDocument(at: url("ours")) {
                    try MergeFixture.objects($0.context, "Tag").compactMap { $0["name"] as? String }.sorted()
                }
            }
            try await PersistentDocument.create(at: url("ours"), model: MergeFixture.model()).close(.save)
            try await insert("one", "ours")
            try FileManager.default.copyItem(at: url("ours"), to: url("early"))
            try await insert("early", "early")
            try await insert("two", "ours")
            try FileManager.default.copyItem(at: url("ours"), to: url("late"))
            try await insert("late", "late")
            try await DocumentOpening.withDocument(at: url("ours"), mode: .editing) { document in
                for tag in try MergeFixture.objects(document.context, "Tag") where tag["name"] as? String == "two" {
                    document.context.delete(tag)
                }
                try await document.save()
            }
            for copy in ["early", "late"] { #expect(try await merge(url("ours"), url(copy)).isApplied) }
            #expect(try await names() == ["early", "late", "one"])
        }
    }
}
