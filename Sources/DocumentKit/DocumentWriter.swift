internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

/// Writes a whole document to a place of its own: built aside, made durable, looked at again, then put in place in one step.
struct DocumentWriter {
    /// What the new document holds.
    enum Content {
        case nothing
        /// What an open document shows, with changes that no store has yet.
        case copy(DocumentSession, ChangeSet?)
    }

    /// Where the document is to be, links resolved.
    let target: String
    let form: DocumentForm
    let replaces: Bool
    let model: ManagedObjectModel
    let modelName: String

    /// Writes the document. When it returns it is durable; when it throws, nothing is left and what was there is still there.
    /// - Returns: the numbers of new objects among the changes.
    func write(_ content: Content) throws -> SaveReceipt {
        try checkFolder()
        let lock = try DocumentLock.acquire(target, document: nil)
        defer { lock.release() }
        try DocumentSession.mend(target)
        let existing = try checkTarget()
        let replacement = Replacement(of: target)
        let receipt: SaveReceipt
        do {
            receipt = try DocumentError.stage(.writing, target) {
                switch form {
                case .package: try writePackage(content, to: replacement.temporary)
                case .archive: try writeArchive(content, to: replacement.temporary)
                case .store: try writeStore(content, to: replacement.temporary)
                }
            }
            try DocumentError.stage(.replacing, target) {
                if form == .store { try clearJournals(existing) }
                try replacement.commit(expecting: existing)
            }
        } catch {
            // The first error is the one that counts.
            try? Disk.removeTree(replacement.temporary)
            throw error
        }
        // The old document, where there was one; what is left of it goes with the next opening.
        try? Disk.removeTree(replacement.temporary)
        return receipt
    }

    // MARK: The target

    private func checkFolder() throws {
        let folder = FilePath.parent(target)
        switch try DocumentError.stage(.writing, target, { try Disk.kind(of: folder) }) {
        case .directory: return
        case nil: throw DocumentError(.cannotCreate, "there is no folder \(folder)", path: target, stage: .writing)
        default: throw DocumentError(.cannotCreate, "\(folder) is no folder", path: target, stage: .writing)
        }
    }

    /// What stands at the target and may be replaced; nil where nothing does.
    private func checkTarget() throws -> FileIdentity? {
        guard let status = try Disk.status(of: target) else {
            if form == .store, try Disk.exists(target + "-wal") || Disk.exists(target + "-journal") {
                throw DocumentError(.cannotCreate, "the journal of another store lies beside it", path: target, stage: .writing)
            }
            return nil
        }
        guard replaces else { throw DocumentError(.cannotCreate, "something is there already", path: target, stage: .writing) }
        // Whatever a folder holds, it is not thrown away because somebody mistyped a name.
        if status.kind == .directory, (try? DetectedDocument(target)) == nil, try !Disk.list(target).isEmpty {
            throw DocumentError(.cannotCreate, "a folder that is no document is not replaced", path: target, stage: .writing)
        }
        guard status.kind == .file || status.kind == .directory else {
            throw DocumentError(.cannotCreate, "neither a file nor a folder", path: target, stage: .writing)
        }
        return status.identity
    }

    /// A journal that lay beside the old store would be taken for the new one's: it goes into the store that it belongs to first.
    private func clearJournals(_ existing: FileIdentity?) throws {
        guard existing != nil else { return }
        for suffix in ["-wal", "-journal"] {
            guard let size = try Disk.status(of: target + suffix)?.size, size > 0 else { continue }
            try SQLitePersistentStore.foldJournal(at: target)
        }
        for suffix in ["-wal", "-shm", "-journal"] { try Disk.removeFileIfPresent(target + suffix) }
    }

    // MARK: Forms

    private func writePackage(_ content: Content, to path: String) throws -> SaveReceipt {
        let package = try PackageBuilder(at: path, model: model, modelName: modelName)
        let store = try makeStore(content, at: package.storePath, files: package.content.externalValues, isDocument: true) { try package.makeStore() }
        if case .copy(let session, _) = content, let source = session.package { try copyExtras(from: source, to: path) }
        var manifest = try package.manifest(uuid: store.uuid, marker: store.marker, counts: store.counts)
        if case .copy(let session, _) = content {
            manifest.title = session.manifest?.title
            manifest.keywords = session.manifest?.keywords
        }
        try package.finish(manifest)
        try verify(path, uuid: store.uuid)
        return store.receipt
    }

    private func writeArchive(_ content: Content, to path: String) throws -> SaveReceipt {
        let staging = FilePath.sibling(of: target, tag: "tmp", id: UniqueName.make())
        defer { try? Disk.removeTree(staging) }
        let receipt = try writePackage(content, to: staging)
        try ArchiveFile.pack(
            staging, store: FilePath.join(staging, PackageLayout.store), manifest: PackageReader(staging).manifest(), to: path)
        _ = try ArchiveFile(path).manifest()
        return receipt
    }

    private func writeStore(_ content: Content, to path: String) throws -> SaveReceipt {
        let files = ExternalValues.besideStore(at: target)
        let store = try makeStore(content, at: path, files: files, isDocument: false) {
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
            description.journal = .asFound
            return try SQLitePersistentStore.create(description, model: model, files: files)
        }
        try Disk.synchronizeFile(path)
        return store.receipt
    }

    /// What can't be opened must not replace what can.
    private func verify(_ package: String, uuid: String) throws {
        let session = try DocumentSession.read(package) { _ in model }
        defer { try? session.close() }
        guard session.uuid == uuid else { throw DocumentError(.io, "what was written reads back as another document", path: package) }
    }

    private func copyExtras(from source: String, to target: String) throws {
        let extra = FilePath.join(source, "extra")
        guard try Disk.kind(of: extra) == .directory else { return }
        try Disk.copyTree(extra, to: FilePath.join(target, "extra"))
    }

    // MARK: The store

    private struct WrittenStore {
        let uuid: String
        let marker: DocumentMarker
        let counts: EntityCounts
        let receipt: SaveReceipt
    }

    /// Makes the store with its content as one closed file.
    ///
    /// Every store that is written has a UUID of its own, for two documents with one would be one to whoever keeps object IDs; objects keep their numbers.
    private func makeStore(
        _ content: Content, at path: String, files: ExternalValues, isDocument: Bool, empty: () throws -> SQLitePersistentStore
    ) throws -> WrittenStore {
        let store: SQLitePersistentStore
        var pending: ChangeSet?
        var created: Date?
        switch content {
        case .nothing:
            store = try empty()
        case .copy(let session, let changes):
            pending = changes
            created = session.marker?.created
            if session.package == nil, isDocument {
                // A foreign store may have triggers, indexes and tables that have no place in a package.
                store = try empty()
                do { try RowCopier(from: session.store, to: store).copy() } catch {
                    try? store.close()
                    throw error
                }
            } else {
                try session.store.copy(to: path, uuid: UUID().uuidString)
                try copyValues(of: session, to: files)
                var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
                description.journal = .asFound
                description.createsIfMissing = false
                store = try SQLitePersistentStore.open(description, model: session.model, files: files)
            }
        }
        do {
            var marker = DocumentMarker()
            if let created { marker.created = created }
            if case .copy = content { marker.generation = 1 }
            var changes = pending ?? ChangeSet()
            changes.metadata.merge(isDocument ? marker.metadata : DocumentMarker.removal) { $1 }
            let receipt = try store.apply(changes)
            let counts = try EntityCounts(counting: store)
            let uuid = store.identity.uuid
            try store.closeAsOneFile()
            return WrittenStore(uuid: uuid, marker: marker, counts: counts, receipt: receipt)
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Copies the files of large values that the store refers to; what is missing stays missing, for `verify` to report.
    private func copyValues(of session: DocumentSession, to files: ExternalValues) throws {
        let source = session.content?.externalValues ?? ExternalValues.besideStore(at: session.storePath)
        for name in try session.store.externalValueNames() {
            let from = source.path(name), to = files.path(name)
            guard try Disk.exists(from), try !Disk.exists(to) else { continue }
            try Disk.makeDirectories(FilePath.parent(to))
            try Disk.copyFile(from, to: to)
            try Disk.synchronizeFile(to)
        }
    }
}
