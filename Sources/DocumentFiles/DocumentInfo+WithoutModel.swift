internal import AtomicStores
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

extension DocumentInfo {
    /// Creates the information about a bare store without a model from its tables or its file.
    init(withoutModel document: DetectedDocument, _ lock: LockHolder?) throws {
        let path = DetectedDocument.storePath(document.kind, document.path)
        let (stored, bytes) = try DocumentError.stage(.reading, document.path) {
            (try Known(document.storeType, at: path), try Disk.status(of: path)?.size ?? 0)
        }
        kind = document.kind
        self.path = document.path
        uuid = stored.uuid
        model = Model(name: nil, identifiers: stored.versionIdentifiers, digest: "", isKnown: false)
        if case .string(let digest) = stored.metadata[StoreMetadataKey.digest] { model.digest = digest }
        storeType = document.storeType.rawValue
        storeBytes = bytes
        entities = stored.counts
        versions = 0
        hasUnsavedChanges = false
        attachments = stored.values
        self.lock = lock
    }

    /// The metadata, object counts and large values of a store.
    private struct Known {
        let uuid: String
        let versionIdentifiers: [String]
        let metadata: [String: MetadataValue]
        let counts: [String: Int]
        let values: DocumentManifest.Attachments

        init(_ type: StoreType, at path: String) throws {
            let url = URL(fileURLWithPath: path)
            if type == .sqlite {
                let info = try SQLiteStoreFile(url).modelInfo()
                (uuid, versionIdentifiers, metadata) = (info.uuid, info.versionIdentifiers, info.metadata)
                counts = try SQLiteStoreFile(url).objectCounts()
                values = try DocumentInfo.filesBesideStore(path)
            } else {
                let info = try AtomicPersistentStore.storedInfo(at: url)
                (uuid, versionIdentifiers, metadata) = (info.uuid, info.versionIdentifiers, info.metadata)
                counts = try AtomicPersistentStore.objectCounts(at: url)
                // An atomic store keeps all values in its file.
                values = DocumentManifest.Attachments(count: 0, bytes: 0)
            }
        }
    }

    /// Counts the files of large values, including unused ones.
    private static func filesBesideStore(_ path: String) throws -> DocumentManifest.Attachments {
        let folder = ExternalValues.folder(beside: path)
        guard try Disk.kind(of: folder) == .directory else { return DocumentManifest.Attachments(count: 0, bytes: 0) }
        let sizes = try Disk.list(folder).filter { $0.kind == .file }.compactMap {
            try Disk.status(of: FilePath.join(folder, $0.name))?.size
        }
        return DocumentManifest.Attachments(count: sizes.count, bytes: sizes.reduce(0, +))
    }
}
