package import Merging
package import DocumentFiles
import DocumentKit
package import Foundation
internal import ObjectGraph
package import Schema
internal import TestSupport

/// A document, and two copies of it that were edited: base, ours and theirs.
package final class MergeTriple {
    /// Where the models and the edits come from.
    package enum Source: Sendable {
        /// The model of `MergeFixture`, and its edits.
        case library
        /// A random model, and edits of any model.
        case random
        /// A random model, and edits of three people that have nothing to do with each other.
        case disjoint
    }

    package struct Merged {
        package let world: PlainWorld
        package let report: DocumentMerge.Report
        package let url: URL
    }

    package let model: ManagedObjectModel
    package let form: DocumentForm
    package let source: Source
    private let folder: URL
    private var worlds: [String: PlainWorld] = [:]
    private var both: Merged?

    package var base: URL { url("base") }
    package var ours: URL { url("ours") }
    package var theirs: URL { url("theirs") }
    /// Of the third person; only where edits are disjoint.
    package var third: URL { url("third") }

    package func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    package static let forms: [DocumentForm] = [.package, .archive, .store, .binaryStore, .xmlStore]

    /// Makes the documents in a folder that is empty.
    package init(
        in folder: URL, _ form: DocumentForm, _ source: Source, seed: UInt64, edits: Int = 12
    ) async throws {
        self.folder = folder
        self.form = form
        self.source = source
        model = source == .library ? try MergeFixture.model() : try RandomModel.make(seed)
        let document = try await PersistentDocument.create(at: base, model: model, form: form)
        do {
            var random = SplitMix(state: seed)
            if source == .library {
                try MergeFixture.edit(document.context, &random, count: 40)
            } else {
                var editor = RandomEditor(document.context, model)
                try editor.edit(&random, count: 60)
            }
            try await document.close(.save)
        } catch {
            try? await document.close(discardingUnsavedWork: true)
            throw error
        }
        let copies = source == .disjoint ? [ours, theirs, third] : [ours, theirs]
        for (index, copy) in copies.enumerated() {
            try self.copy(base, to: copy)
            try await edit(copy, seed &+ 1 &+ UInt64(index), share: index, count: edits)
        }
    }

    private func edit(_ url: URL, _ seed: UInt64, share: Int, count: Int) async throws {
        let document = try await PersistentDocument.open(url, model: model)
        do {
            var random = SplitMix(state: seed)
            switch source {
            case .library: try MergeFixture.edit(document.context, &random, count: count)
            case .random, .disjoint:
                var editor = RandomEditor(
                    document.context, model, share: source == .disjoint ? .init(share, of: 3) : nil)
                try editor.edit(&random, count: count)
            }
            try await document.close(.save)
        } catch {
            try? await document.close(discardingUnsavedWork: true)
            throw error
        }
    }

    package func copy(_ source: URL, to target: URL) throws {
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

    /// What a document holds; that of a name is read once.
    package func world(_ url: URL) async throws -> PlainWorld {
        if let known = worlds[url.path] { return known }
        let world = try await DocumentOpening.withDocument(at: url, fitting: .model(model)) {
            try PlainWorld($0.context, model)
        }
        worlds[url.path] = world
        return world
    }

    /// Ours with theirs, with all conflicts decided for ours.
    package func bothMerged() async throws -> Merged {
        if let both { return both }
        let merged = try await merged(ours, theirs)
        both = merged
        return merged
    }

    /// Merges a copy of one document with another one.
    package func merged(
        _ ours: URL, _ theirs: URL, base: URL? = nil, _ decisions: DocumentMerge.Decisions = .ours
    ) async throws -> Merged {
        let url = url("merged-\(UUID().uuidString)")
        try copy(ours, to: url)
        let document = try await PersistentDocument.open(url, model: model)
        let report: DocumentMerge.Report
        do {
            report = try await document.merge(theirs, base: .document(base ?? self.base), deciding: decisions)
            try await document.close(.save)
        } catch {
            try? await document.close(discardingUnsavedWork: true)
            throw error
        }
        return Merged(world: try await world(url), report: report, url: url)
    }

    /// What `folio verify --deep` would find.
    package func findings(_ url: URL) throws -> [String] {
        try DocumentVerifier.verify(url, isThorough: true, model: model).map { "\($0)" }
    }
}
