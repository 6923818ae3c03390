internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

extension DocumentInfo {
    /// Looks at a bare SQLite store that carries no model, by what its tables say.
    init(withoutModel document: DetectedDocument, _ lock: LockHolder?) throws {
        let path = DetectedDocument.storePath(document.kind, document.path), url = URL(fileURLWithPath: path)
        let stored = try DocumentError.stage(.reading, document.path) {
            (
                info: try SQLitePersistentStore.storedModelInfo(at: url), counts: try SQLitePersistentStore.objectCounts(at: url),
                bytes: try Disk.status(of: path)?.size ?? 0, values: try Self.filesBesideStore(path)
            )
        }
        kind = document.kind
        self.path = document.path
        uuid = stored.info.uuid
        model = Model(name: nil, identifiers: stored.info.versionIdentifiers, digest: "", isKnown: false)
        if case .string(let digest) = stored.info.metadata[StoreMetadataKey.digest] { model.digest = digest }
        storeType = document.storeType.rawValue
        storeBytes = stored.bytes
        entities = stored.counts
        versions = 0
        hasUnsavedChanges = false
        attachments = stored.values
        self.lock = lock
    }

    /// The files of large values, whether or not any object has them.
    private static func filesBesideStore(_ path: String) throws -> Manifest.Attachments {
        let folder = ExternalValues.folder(beside: path)
        guard try Disk.kind(of: folder) == .directory else { return Manifest.Attachments(count: 0, bytes: 0) }
        let sizes = try Disk.list(folder).filter { $0.kind == .file }.compactMap { try Disk.status(of: FilePath.join(folder, $0.name))?.size }
        return Manifest.Attachments(count: sizes.count, bytes: sizes.reduce(0, +))
    }
}
