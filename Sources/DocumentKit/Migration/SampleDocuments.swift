public import FileMigration
internal import DocumentFiles
internal import FileSystem
public import Foundation
public import ObjectGraph
internal import Query
internal import Schema

/// Tests that documents of all released versions can be opened. For applications that keep a sample
/// document of each version.
///
/// ```swift
/// @Test func everyOldDocumentOpens() async throws {
///     let route = PersistentDocument.MigrationRoute(to: v3, from: [v1, v2])
///     for outcome in try await SampleDocuments.open(in: samples, by: route) { #expect(outcome.failure == nil, "\(outcome)") }
/// }
/// ```
public enum SampleDocuments {
    /// The result of testing one sample document.
    public struct Outcome: Sendable, CustomStringConvertible {
        /// The location of the sample.
        public let url: URL
        /// The report of the migration; nil if none was done.
        public let migration: DocumentMigration?
        /// The error of opening the sample, or the errors found in it after its migration; nil if
        /// there are none.
        public let failure: String?

        public var description: String { "\(url.lastPathComponent): \(failure ?? "opens")" }
    }

    /// Copies every document in a folder, opens the copy by a route, reads all objects, saves it,
    /// and verifies it. The samples are unchanged.
    ///
    /// - Parameter check: Additional checks of the application. An error is recorded as a failure
    ///   of the sample.
    /// - Returns: A result for each document, sorted by name.
    /// - Throws: `DocumentError` with code `notFound` if the folder contains no documents.
    public static func open(
        in folder: URL, by route: PersistentDocument.MigrationRoute, classes: [String: ManagedObject.Type] = [:],
        check: (PersistentDocument) throws -> Void = { _ in }
    ) async throws -> [Outcome] {
        let names = try DocumentError.stage(.reading, folder.path) { try Disk.names(in: folder.path).sorted() }
        let samples = names.filter {
            !$0.hasPrefix(".") && (try? DetectedDocument(FilePath.join(folder.path, $0))) != nil
        }
        guard !samples.isEmpty else {
            throw DocumentError(.notFound, "there are no sample documents in it", path: folder.path, stage: .reading)
        }
        var outcomes: [Outcome] = []
        for name in samples {
            let scratch = try StateFolder.makeTemporary()
            defer { StateFolder.removeTemporary(scratch) }
            let sample = folder.appendingPathComponent(name), copy = URL(fileURLWithPath: FilePath.join(scratch, name))
            var migration: DocumentMigration?
            do {
                try copyDocument(sample, to: copy)
                migration = try await PersistentDocument.migrationPlan(of: copy, by: route)
                let document = try await PersistentDocument.open(
                    copy, by: route, migration: .automatic, classes: classes)
                do {
                    try look(at: document)
                    try check(document)
                    try await document.save()
                    try await document.close()
                } catch {
                    try? await document.close(discardingUnsavedWork: true)
                    throw error
                }
                let findings = try DocumentVerifier.verify(
                    copy, isThorough: true, fitting: DocumentMigrator(copy, by: route).sourceModel
                ).findings
                outcomes.append(
                    Outcome(
                        url: sample, migration: migration,
                        failure: findings.isEmpty ? nil : findings.map { "\($0)" }.joined(separator: "; ")))
            } catch {
                outcomes.append(Outcome(url: sample, migration: migration, failure: "\(error)"))
            }
        }
        return outcomes
    }

    private static func copyDocument(_ sample: URL, to copy: URL) throws {
        if try Disk.kind(of: sample.path) == .directory { return try Disk.copyTree(sample.path, to: copy.path) }
        // The journal and the large values of a bare store are beside it.
        let stem = sample.deletingPathExtension().lastPathComponent
        for name in ["", "-wal", "-journal"].map({ sample.lastPathComponent + $0 }) + [".\(stem)_SUPPORT"] {
            let from = FilePath.join(FilePath.parent(sample.path), name),
                to = FilePath.join(FilePath.parent(copy.path), name)
            guard let kind = try Disk.kind(of: from) else { continue }
            if kind == .directory { try Disk.copyTree(from, to: to) } else { try Disk.copyFile(from, to: to) }
        }
    }

    /// Reads every value of every object.
    private static func look(at document: PersistentDocument) throws {
        for entity in document.model.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            for object in try document.context.fetch(request) {
                for property in entity.properties where !property.isTransient { _ = object[property.name] }
            }
        }
    }
}
