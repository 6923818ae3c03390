internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Schema
internal import SQLiteStore
internal import Storage

/// Detection of documents that are newer than the program. A migrated document records the
/// checksums of its former versions in its store, so a program of one of these versions recognizes
/// it.
extension DocumentMigrator {
    /// The metadata key for the checksums of the document's former versions, the oldest first.
    private static let trailKey = "FolioFormerVersions"

    /// The metadata that records the version before a migration. Empty for bare stores, whose
    /// metadata belongs to the application.
    func trail(of session: DocumentSession) -> [String: MetadataValue?] {
        guard session.marker != nil else { return [:] }
        let own = session.model.versionChecksum, new = model.versionChecksum
        let former = Self.formerVersions(session).filter { $0 != own && $0 != new } + [own]
        return [Self.trailKey: .array(former.map { .string($0) })]
    }

    private static func formerVersions(_ session: DocumentSession) -> [String] {
        guard case .array(let values)? = try? session.store.metadata()[trailKey] else { return [] }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// - Throws: `DocumentError.newer` if the document was migrated from this version or, with
    ///   ``refusesUnknownVersions``, has a version that is not among `versions`. The error names
    ///   both versions and the location of the old state that was kept.
    func refuseNewer(_ session: DocumentSession) throws {
        let hashes = session.model.versionHashesByEntityName
        guard !model.isCompatible(withVersionHashes: hashes) else { return }
        let isUnknown = refusesUnknownVersions && !versions.contains { $0.isCompatible(withVersionHashes: hashes) }
        guard isUnknown || Self.formerVersions(session).contains(model.versionChecksum) else { return }
        let name = session.manifest?.model.name ?? PackageBuilder.name(for: session.model)
        var hint = "open it with a newer program"
        if let kept = keptOlderState(of: session) { hint += "; as it was before its migration it is kept as \(kept)" }
        throw DocumentError(
            .newer,
            "the document is of the version “\(name)”, which is newer than “\(modelName ?? PackageBuilder.name(for: model))”",
            path: path, stage: .opening, hint: hint)
    }

    /// The location of a document or version that was kept and has this program's version of the
    /// model.
    private func keptOlderState(of session: DocumentSession) -> String? {
        if session.versions != nil {
            let versions = (try? session.listVersions()) ?? []
            let found = versions.last { version in
                (try? VersionRestorer(session).withStore(of: version.number) { path in
                    try model.isCompatible(
                        withVersionHashes: SQLiteStoreFile(path).modelInfo()
                            .versionHashes)
                }) ?? false
            }
            return found.map { "\(session.path)@\($0.generation)" }
        }
        let folder = FilePath.parent(session.path)
        let names = ((try? Disk.names(in: folder)) ?? []).filter {
            DocumentBackup.isBackup($0, of: FilePath.name(session.path))
        }.sorted()
        return names.map { FilePath.join(folder, $0) }.last { path in
            guard let session = try? DocumentSession.read(path, model: sourceModel) else { return false }
            defer { try? session.close() }
            return model.isCompatible(withVersionHashes: session.model.versionHashesByEntityName)
        }
    }
}
