import FileMigration
import Coding
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ModelFiles
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// The versions of the document format: each that was released has samples, and they open today.
struct DocumentFormatTests {
    private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("DocumentSamples")

    private func route() throws -> PersistentDocument.MigrationRoute {
        let file = try ModelFile(contentsOf: Self.samples.appendingPathComponent("Expeditions.xcdatamodeld"))
        let versions = try file.versionNames.map { try file.model(version: $0) }
        return PersistentDocument.MigrationRoute(to: try file.model(version: nil), from: versions)
    }

    @Test func everyReleasedFormatHasSamplesThatOpenToday() async throws {
        for version in 1...DocumentFormat.current.version {
            let folder = Self.samples.appendingPathComponent("Formats/\(version)")
            let before = try contents(of: folder)
            let outcomes = try await SampleDocuments.open(in: folder, by: route()) { document in
                guard try document.context.count(for: FetchRequest<ManagedObject>(entityName: "Person")) == 5 else {
                    throw DocumentError(.malformed, "persons are missing")
                }
            }
            #expect(outcomes.map { $0.url.pathExtension } == ["folio", "folioz"])
            for outcome in outcomes {
                #expect(outcome.failure == nil, "\(outcome)")
                #expect(outcome.migration?.isNeeded == true)
                #expect(try DocumentInfo(of: outcome.url).formatVersion == version)
            }
            #expect(try contents(of: folder) == before)
        }
    }

    @Test func aSampleThatDoesNotOpenIsNamedWithTheReason() async throws {
        try await withFolder { folder in
            await #expect(throws: DocumentError.self) { try await SampleDocuments.open(in: folder, by: route()) }
            for name in ["A.folio", "B.folio"] {
                try Disk.copyTree(Self.samples.path + "/Formats/1/Expeditions.folio", to: folder.path + "/" + name)
            }
            try Disk.replaceFile(folder.path + "/B.folio/store/store.sqlite", with: Array("no store".utf8))
            let outcomes = try await SampleDocuments.open(in: folder, by: route())
            #expect(outcomes.map { $0.failure == nil } == [true, false])
            let checked = try await SampleDocuments.open(in: folder, by: route()) { _ in throw CancellationError() }
            #expect(checked.allSatisfy { $0.failure != nil })
            // Where nothing leads to the program's version, the way is what is said to be missing.
            let other = try ManagedObjectModel(entities: [
                EntityDefinition("Person", attributes: [.init("name", .date)])
            ])
            let refused = try await SampleDocuments.open(
                in: folder, by: PersistentDocument.MigrationRoute(to: other, from: route().formerVersions))
            #expect(refused[0].failure?.contains("Person.name changes its type") == true)
        }
    }

    /// From a first version that had no keywords and called the title a name.
    private struct TitleStep: DocumentFormatStep {
        func manifest(from members: [String: JSONValue]) throws -> [String: JSONValue] {
            var members = members
            members["title"] = members.removeValue(forKey: "name")
            members["formatVersion"] = .int(2)
            return members
        }
    }

    private struct KeywordsStep: DocumentFormatStep {
        func manifest(from members: [String: JSONValue]) throws -> [String: JSONValue] {
            members.merging(["keywords": .array([]), "formatVersion": .int(3)]) { $1 }
        }
    }

    @Test func manifestsOfFormerFormatsAreReadStepByStep() throws {
        let format = DocumentFormat(steps: [TitleStep(), KeywordsStep()])
        #expect(format.version == 3)
        func decode(_ version: Int, _ more: String) throws -> DocumentManifest {
            let text = """
                {"format": "folio-document", "formatVersion": \(version), "minimumReader": \(version), "uuid": "6F0C9A44-0000-4000-8000-000000000001", "generation": 3,
                 "created": "2026-01-01T00:00:00Z", "saved": "2026-01-02T00:00:00Z", "model": {"name": "M", "identifiers": ["1"], "digest": "x"},
                 "store": {"type": "SQLite", "bytes": 10}, "entities": {"A": 2}, "attachments": {"count": 0, "bytes": 0}\(more)}
                """
            return try DocumentManifest.decode(Array(text.utf8), path: "manifest.json", format: format)
        }
        let first = try decode(1, ", \"name\": \"Old\""), second = try decode(2, ", \"title\": \"Newer\""),
            third = try decode(3, "")
        #expect(first.title == "Old" && first.keywords == [] && first.formatVersion == 3)
        #expect(second.title == "Newer" && second.keywords == [])
        #expect(third.title == nil && third.keywords == nil)
        #expect(throws: DocumentError.self) { try decode(4, "") }
    }
}
