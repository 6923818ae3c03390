internal import FileSystem
internal import Foundation
package import SQLiteStore
internal import Schema
package import Storage

extension DocumentWriter {
    package struct WrittenStore {
        package let uuid: String
        package let marker: DocumentMarker
        let counts: EntityCounts
        package let receipt: SaveReceipt
        /// The names of the large values that are stored in files.
        package let externalValues: Set<String>
    }

    /// Writes the store with its content as one closed file.
    ///
    /// Every new store has its own UUID, because object IDs of two documents with the same UUID
    /// could not be distinguished. Objects keep their primary keys.
    package func makeStore(
        _ content: Content, at path: String, files: ExternalValues, isDocument: Bool,
        empty: () throws -> SQLitePersistentStore
    ) throws -> WrittenStore {
        let store: SQLitePersistentStore
        var pending: ChangeSet?
        var created: Date?
        switch content {
        case .nothing:
            store = try empty()
        case .copy(let session, let changes):
            created = session.marker?.created
            pending = changes
            // The store of another program may contain triggers, indexes and tables that are not
            // allowed in a package, so it is copied row by row.
            try session.checkPages()
            if let source = session.sqliteStore, session.manifest != nil || !isDocument {
                try source.copy(to: path, uuid: UUID().uuidString)
                if !includesHistory { try SQLiteStoreFile(path).removeHistory() }
                try copyValues(of: session, source, to: files)
                var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
                description.journal = .asFound
                description.createsIfMissing = false
                store = try SQLitePersistentStore.open(description, model: session.model, files: files)
            } else {
                store = try empty()
                pending = changes?.withFirstVersions
                do {
                    try RowCopier(from: session.store, to: store, progress: { try WorkProgress.advance(by: Int64($0)) })
                        .copy()
                    if let source = session.sqliteStore { try GreatestKeys(of: source).hold(in: store) }
                    if session.sqliteStore == nil { try Self.copyApplicationMetadata(from: session.store, to: store) }
                } catch {
                    try? store.close()
                    throw error
                }
            }
        }
        do {
            var marker = DocumentMarker()
            if let created { marker.created = created }
            marker.isUnchecked = isUnchecked
            marker.pending = self.pending
            marker.denied = denied
            if case .copy(let session, _) = content {
                marker.generation = includesVersions ? (session.marker?.generation ?? 0) + 1 : 1
            }
            var changes = pending ?? ChangeSet()
            changes.metadata.merge(isDocument ? marker.metadata : DocumentMarker.removal) { $1 }
            let receipt = try store.apply(changes)
            let counts = try EntityCounts(counting: store)
            let uuid = store.identity.uuid, externalValues = try store.externalValueNames()
            try store.closeAsOneFile()
            return WrittenStore(
                uuid: uuid, marker: marker, counts: counts, receipt: receipt, externalValues: externalValues)
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Copies the files of the large values to which the store refers. Values that are already
    /// missing are not an error here; `verify` reports them.
    private func copyValues(of session: DocumentSession, _ store: SQLitePersistentStore, to files: ExternalValues)
        throws
    {
        let besideStore = ExternalValues.besideStore(at: session.storePath)
        for name in try store.externalValueNames() {
            let to = files.path(name)
            guard try !Disk.exists(to) else { continue }
            do {
                if let content = session.content {
                    try content.copy(name, to: to)
                } else {
                    let from = besideStore.path(name)
                    guard try Disk.exists(from) else { continue }
                    try Disk.makeDirectories(FilePath.parent(to))
                    try Disk.copyFile(from, to: to)
                }
            } catch let error as StorageError where error.code == .notFound {
                continue
            }
            try Disk.synchronizeFile(to)
        }
    }
}
