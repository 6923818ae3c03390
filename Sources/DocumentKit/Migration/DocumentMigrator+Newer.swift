internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Schema
internal import SQLiteStore
internal import Storage

/// Documents that are newer than the program: what a document was migrated from stands in its
/// store, so a program of one of those versions knows.
extension DocumentMigrator {
    /// The checksums of the versions that a document was of, the oldest first.
    private static let trailKey = "FolioFormerVersions"

    /// What a migration notes of the version that it leaves; of documents only, for the metadata of
    /// a bare store is its owner's.
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

    /// - Throws: `DocumentError.newer`, which names both versions and where the document of the
    ///   older one is kept, for a document that was migrated from this version, and, where that is
    ///   asked for, for one of a version that is not among `versions`.
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

    /// The document, or the version of it, that this program's version of the model still fits.
    private func keptOlderState(of session: DocumentSession) -> String? {
        if session.versions != nil {
            let versions = (try? session.listVersions()) ?? []
            let found = versions.last { version in
                (try? session.withVersion(version.number) { path in
                    try model.isCompatible(
                        withVersionHashes: SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: path))
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
