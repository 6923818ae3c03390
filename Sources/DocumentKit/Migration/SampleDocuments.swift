internal import DocumentFiles
internal import FileSystem
public import Foundation
public import ObjectGraph
internal import Query
internal import Schema

/// Proves that documents of former versions open today: for the tests of applications that keep a
/// sample document of every version they released.
///
/// ```swift
/// @Test func everyOldDocumentOpens() async throws {
///     let route = PersistentDocument.MigrationRoute(to: v3, from: [v1, v2])
///     for outcome in try await SampleDocuments.open(in: samples, by: route) { #expect(outcome.failure == nil, "\(outcome)") }
/// }
/// ```
public enum SampleDocuments {
    /// What came of one sample.
    public struct Outcome: Sendable, CustomStringConvertible {
        public let url: URL
        /// What the migration did; nil where it did not come to that.
        public let migration: DocumentMigration?
        /// What keeps the sample from being a document of today: an error, or what is wrong with it
        /// after its migration; nil where nothing does.
        public let failure: String?

        public var description: String { "\(url.lastPathComponent): \(failure ?? "opens")" }
    }

    /// Copies every document in a folder to another place, opens the copy by a route, looks at all
    /// its objects, saves it, and verifies what it is then. The samples stay as they are.
    /// - Parameter check: What the application expects of its samples; what it throws is a failure
    ///   of that sample.
    /// - Returns: an outcome for each document, by name.
    /// - Throws: `DocumentError.notFound` where the folder holds no document: a proof without
    ///   samples is none.
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
                    copy, isThorough: true, fitting: route.migrator(copy).sourceModel)
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
        // A store's journal and large values are beside it.
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
            var request = FetchRequest<ManagedObject>(entity.name)
            request.includesSubentities = false
            for object in try document.context.fetch(request) {
                for property in entity.properties where !property.isTransient { _ = object[property.name] }
            }
        }
    }
}
