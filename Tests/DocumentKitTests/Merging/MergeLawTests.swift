import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// The laws of merging, on random triples of documents of every form.
///
/// `FOLIO_MERGE_TRIPLES` says how many triples each form gets.
struct MergeLawTests {
    static let forms: [DocumentForm] = [.package, .archive, .store, .binaryStore, .xmlStore]
    private static let count =
        ProcessInfo.processInfo.environment["FOLIO_MERGE_TRIPLES"].flatMap { Int($0) } ?? sweep(2, all: 12)

    private struct Triple {
        let folder: URL
        let model: ManagedObjectModel
        let form: DocumentForm
        var base: URL { folder.appendingPathComponent("base") }
        var ours: URL { folder.appendingPathComponent("ours") }
        var theirs: URL { folder.appendingPathComponent("theirs") }

        init(_ folder: URL, _ form: DocumentForm, _ seed: UInt64, edits: Int = 12) async throws {
            self.folder = folder
            self.form = form
            model = try MergeFixture.model()
            var random = SplitMix(state: seed)
            let document = try await PersistentDocument.create(at: base, model: model, form: form)
            try MergeFixture.edit(document.context, &random, count: 40)
            try await document.close(.save)
            for (url, seed) in [(ours, seed &+ 1), (theirs, seed &+ 2)] {
                try copy(base, to: url)
                var random = SplitMix(state: seed)
                let document = try await PersistentDocument.open(url, model: model)
                try MergeFixture.edit(document.context, &random, count: edits)
                try await document.close(.save)
            }
        }

        func copy(_ source: URL, to target: URL) throws {
            // A bare SQLite store has its large values beside it.
            func support(_ url: URL) -> URL {
                url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent)_SUPPORT")
            }
            for (from, to) in [(source, target), (support(source), support(target))] {
                try? FileManager.default.removeItem(at: to)
                if FileManager.default.fileExists(atPath: from.path) {
                    try FileManager.default.copyItem(at: from, to: to)
                }
            }
        }

        func world(_ url: URL) async throws -> PlainWorld {
            try await DocumentOpening.withDocument(at: url, fitting: .model(model)) {
                try MergeFixture.world($0.context)
            }
        }

        /// Merges a copy of one document with another one.
        func merged(_ ours: URL, _ theirs: URL, base: URL? = nil, _ decisions: DocumentMerge.Decisions = .ours)
            async throws -> (world: PlainWorld, report: DocumentMerge.Report, url: URL)
        {
            let url = folder.appendingPathComponent("merged-\(UUID().uuidString)")
            try copy(ours, to: url)
            let document = try await PersistentDocument.open(url, model: model)
            let report: DocumentMerge.Report
            do {
                report = try await document.merge(
                    theirs, base: .document(base ?? self.base), deciding: decisions)
                try await document.close(.save)
            } catch {
                try? await document.close(discardingUnsavedWork: true)
                throw error
            }
            return (try await world(url), report, url)
        }
    }

    private func forEachTriple(_ form: DocumentForm, _ body: (Triple, UInt64) async throws -> Void) async throws {
        for index in 0..<Self.count {
            try await withFolder { folder in
                let seed = UInt64(index) &* 1_000_003
                try await body(try await Triple(folder, form, seed), seed)
            }
        }
    }
}

extension MergeLawTests {
    @Test(arguments: forms) func whatOneSideAloneChangedIsTaken(_ form: DocumentForm) async throws {
        try await forEachTriple(form) { triple, seed in
            let base = try await triple.world(triple.base), theirs = try await triple.world(triple.theirs)
            let taken = try await triple.merged(triple.base, triple.theirs)
            #expect(taken.world == theirs, "\(seed): \(taken.world.differences(theirs))")
            #expect(taken.report.conflicts.isEmpty, "\(seed)")
            let left = try await triple.merged(triple.theirs, triple.base)
            #expect(left.world == theirs && left.report.isEmpty, "\(seed): \(left.world.differences(theirs))")
            let copy = triple.folder.appendingPathComponent("copy")
            try triple.copy(triple.theirs, to: copy)
            let same = try await triple.merged(triple.theirs, copy)
            #expect(same.world == theirs && same.report.isEmpty, "\(seed): \(same.world.differences(theirs))")
            #expect(base.objections().isEmpty)
        }
    }

    @Test(arguments: forms) func whatBothSidesChangedIsInTheResult(_ form: DocumentForm) async throws {
        try await forEachTriple(form) { triple, seed in
            let base = try await triple.world(triple.base), ours = try await triple.world(triple.ours),
                theirs = try await triple.world(triple.theirs)
            let merged = try await triple.merged(triple.ours, triple.theirs)
            #expect(merged.report.isApplied, "\(seed)")
            #expect(merged.world.objections().isEmpty, "\(seed): \(merged.world.objections())")
            if form == .package || form == .archive {
                let findings = try DocumentVerifier.verify(merged.url, isThorough: true)
                #expect(findings.isEmpty, "\(seed): \(findings)")
            }
            let conflicts = Set(merged.report.conflicts.map(\.name))
            let decided = Set(merged.report.conflicts.map(\.object))
            for (name, values) in base.objects where ours.objects[name] != nil && theirs.objects[name] != nil {
                guard let result = merged.world.objects[name] else {
                    // A delete rule may take along what something was added to.
                    #expect(!decided.isEmpty, "\(seed): \(name) is gone")
                    continue
                }
                for property in values.keys where !conflicts.contains("\(name).\(property)") && decided.isEmpty {
                    guard let expected = PlainWorld.expected(base, ours, theirs, name, property),
                        expected.names.allSatisfy({ base.objects[$0] != nil && merged.world.objects[$0] != nil })
                    else { continue }
                    if case .sequence = expected { continue }
                    #expect(result[property] == expected, "\(seed): \(name).\(property)")
                }
            }
            // Nothing new is lost.
            guard merged.report.conflicts.isEmpty else { return }
            func added(_ world: PlainWorld) -> Int { world.objects.keys.filter { base.objects[$0] == nil }.count }
            #expect(
                added(ours) + added(theirs) - merged.report.united.count == added(merged.world), "\(seed)")
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func mergingAgainChangesNothing(_ form: DocumentForm)
        async throws
    {
        try await forEachTriple(form) { triple, seed in
            let once = try await triple.merged(triple.ours, triple.theirs)
            // A merge of which all was decided for ours leaves a note, too.
            let document = try await PersistentDocument.open(once.url, model: triple.model)
            let again = try await document.merge(triple.theirs)
            #expect(again.isApplied && again.isEmpty && again.conflicts.isEmpty, "\(seed)")
            #expect(!document.hasUnsavedChanges)
            try await document.close(.discard)
        }
    }
}

extension MergeLawTests {
    @Test(arguments: forms) func exchangedSidesGiveTheSameGraphUpToNumbers(_ form: DocumentForm) async throws {
        try await forEachTriple(form) { triple, seed in
            let there = try await triple.merged(triple.ours, triple.theirs)
            let back = try await triple.merged(triple.theirs, triple.ours)
            #expect(there.report.conflicts.count == back.report.conflicts.count, "\(seed)")
            guard there.report.conflicts.isEmpty else { return }
            #expect(there.world.shape() == back.world.shape(), "\(seed): \(there.world.differences(back.world))")
        }
    }

    @Test(arguments: forms) func refusedMergesChangeNothing(_ form: DocumentForm) async throws {
        try await forEachTriple(form) { triple, seed in
            let ours = try await triple.world(triple.ours)
            let merged = try await triple.merged(triple.ours, triple.theirs, .refuse)
            #expect(merged.report.isApplied == merged.report.conflicts.isEmpty, "\(seed)")
            if !merged.report.isApplied { #expect(merged.world == ours, "\(seed)") }
        }
    }
}
