internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import ModelFiles
internal import SQLiteStore
internal import Schema
internal import Storage

extension DocumentSession {
    /// How often a document that others replace is looked at again before that is an error.
    private static let readingAttempts = 5

    /// Opens a document for reading: nothing is written anywhere near it.
    static func read(_ path: String, model: ModelResolver) throws -> DocumentSession {
        var left = readingAttempts
        while true {
            left -= 1
            let before = try Disk.identity(of: LinkResolution.resolve(path))
            do {
                return try readOnce(path, model: model)
            } catch {
                // A document that was put in its place meanwhile was read half and half.
                if left > 0, try Disk.identity(of: LinkResolution.resolve(path)) != before { continue }
                throw error
            }
        }
    }

    private static func readOnce(_ path: String, model: ModelResolver) throws -> DocumentSession {
        let document = try DetectedDocument(path)
        return try DocumentError.stage(.opening, document.path) {
            guard document.kind == .archive else {
                let isPackage = document.kind == .package
                return try open(document, package: isPackage ? document.path : nil, isEditing: false, model: model)
            }
            let archive = try ArchiveFile(document.path)
            let manifest = try archive.manifest()
            let state = try archive.state()
            if let left = try WorkingSet.existing(for: state, uuid: manifest.uuid) {
                return try open(document, package: left.path, isEditing: false, model: model)
            }
            let folder = try StateFolder.makeTemporary()
            do {
                let package = FilePath.join(folder, "document")
                try archive.reader.extract(to: package)
                let session = try open(document, package: package, isEditing: false, model: model)
                session.temporaryFolder = folder
                return session
            } catch {
                try? Disk.removeTree(folder)
                throw error
            }
        }
    }

    /// Opens a document for editing, under its lock, and mends what a crash left.
    static func edit(_ path: String, model: ModelResolver, recovery: PersistentDocument.Recovery) throws -> DocumentSession {
        let location = LinkResolution.resolve(path)
        if try !Disk.exists(location), try !Replacement.isInterrupted(location) {
            throw DocumentError(.notFound, "there is no such document", path: location, stage: .opening)
        }
        let lock = try DocumentLock.acquire(location, document: nil)
        do {
            return try DocumentError.stage(.opening, location) {
                try mend(location)
                let document = try DetectedDocument(location)
                let session = try edit(document, model, recovery)
                session.lock = lock
                lock.note(document: session.uuid)
                return session
            }
        } catch {
            lock.release()
            throw error
        }
    }

    /// Opens a document for editing again, whose lock the caller holds and hands over.
    static func reopen(_ path: String, lock: DocumentLock?, model: ModelResolver) throws -> DocumentSession {
        do {
            return try DocumentError.stage(.opening, path) {
                let session = try edit(DetectedDocument(path), model, .keep)
                session.lock = lock
                return session
            }
        } catch {
            lock?.release()
            throw error
        }
    }

    /// Finishes or undoes a replacement that a crash interrupted, and removes what it left. The lock is held.
    static func mend(_ path: String) throws {
        for leftover in try Replacement.recover(path).leftovers { try Disk.removeTree(leftover) }
    }

    private static func edit(
        _ document: DetectedDocument, _ model: ModelResolver, _ recovery: PersistentDocument.Recovery
    ) throws -> DocumentSession {
        switch document.kind {
        case .store, .managedDocument:
            let session = try open(document, package: nil, isEditing: true, model: model)
            session.identity = try Disk.identity(of: document.path)
            return session
        case .package:
            return try editPackage(document, model, recovery)
        case .archive:
            return try editArchive(document, model, recovery)
        }
    }

    private static func editPackage(
        _ document: DetectedDocument, _ model: ModelResolver, _ recovery: PersistentDocument.Recovery
    ) throws -> DocumentSession {
        try mend(FilePath.join(document.path, PackageLayout.storeFolder))
        let isDiscarded = try prepareRecovery(document.path, document.path, recovery)
        let session = try open(document, package: document.path, isEditing: true, model: model)
        session.identity = try Disk.identity(of: document.path)
        try session.settle()
        if isDiscarded { return session }
        // The last save is in the WAL together with the work: only an open store can tell them apart.
        let found = session.model
        try session.closeDiscardingAutosavedWork()
        return try editPackage(document, { _ in found }, .refuse)
    }

    private static func editArchive(
        _ document: DetectedDocument, _ model: ModelResolver, _ recovery: PersistentDocument.Recovery
    ) throws -> DocumentSession {
        let archive = try ArchiveFile(document.path)
        let manifest = try archive.manifest()
        let state = try archive.state()
        try WorkingSet.removeFinished(for: state, uuid: manifest.uuid)
        var workingSet = try WorkingSet.existing(for: state, uuid: manifest.uuid)
        if let left = workingSet {
            _ = try prepareRecovery(left.path, document.path, recovery)
            if try !hasAutosavedWork(FilePath.join(left.path, PackageLayout.store)) {
                // Nothing is in it that the archive has not.
                try left.remove()
                workingSet = nil
            }
        }
        let set = try workingSet ?? WorkingSet.make(from: archive, uuid: manifest.uuid, generation: manifest.generation)
        let session = try open(document, package: set.path, isEditing: true, model: model)
        session.identity = state.identity
        session.origin = state
        session.workingSet = set
        try session.settle()
        return session
    }

    // MARK: Work that was left

    private static func hasAutosavedWork(_ store: String) throws -> Bool {
        // The main file alone is always a saved state.
        guard let wal = try Disk.status(of: store + "-wal"), wal.size > 0 else { return false }
        let metadata = try SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store)).metadata
        return DocumentMarker(metadata).map { !$0.isSaved } ?? false
    }

    /// Does with autosaved work of an editor that is gone what the caller wants, before the store is opened for writing.
    /// - Returns: false where the work is still to be discarded, once the store is open.
    private static func prepareRecovery(_ package: String, _ document: String, _ recovery: PersistentDocument.Recovery) throws -> Bool {
        try PackageReader(package).checkStore()
        let store = FilePath.join(package, PackageLayout.store)
        guard try hasAutosavedWork(store) else { return true }
        switch recovery {
        case .keep: return true
        case .refuse:
            throw DocumentError(
                .recoverable, "an editor that is gone left work that was never saved", path: document, stage: .opening,
                hint: "recover it first: keep or discard it")
        case .discard:
            let reader = try PackageReader(package)
            let marker = try DocumentMarker(SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store)).metadata)
            guard let marker, marker.generation == (try reader.manifest().generation) else { return false }
            try setAutosavedWorkAside(in: package, savedGeneration: marker.generation)
            return true
        }
    }

    /// Puts the WAL with autosaved work aside, so that the main file, which is the last saved state, counts again. The store is closed.
    static func setAutosavedWorkAside(in package: String, savedGeneration: Int) throws {
        let store = FilePath.join(package, PackageLayout.store), discarded = FilePath.join(package, PackageLayout.discarded)
        try Disk.makeDirectories(FilePath.parent(discarded))
        try Disk.removeFileIfPresent(discarded)
        try Disk.rename(store + "-wal", to: discarded)
        try Disk.removeFileIfPresent(store + "-shm")
        let marker = try DocumentMarker(SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store)).metadata)
        guard let marker, marker.isSaved, marker.generation == savedGeneration else {
            // A save is in the WAL too, kept from the main file by somebody who was reading it: that save must not go.
            try Disk.rename(discarded, to: store + "-wal")
            throw DocumentError(
                .locked, "the last save has not reached the main file, since another program was reading it", path: store, hint: "try again later")
        }
        try Disk.synchronizeDirectory(FilePath.parent(store))
        try Disk.synchronizeDirectory(FilePath.parent(discarded))
    }

    // MARK: The store

    /// Opens the store of a document, in `package` where the document has one.
    private static func open(
        _ document: DetectedDocument, package: String?, isEditing: Bool, model resolve: ModelResolver
    ) throws -> DocumentSession {
        let reader = try package.map { try PackageReader($0) }
        try reader?.checkStore()
        let manifest = try reader?.manifest()
        let storePath = package.map { FilePath.join($0, PackageLayout.store) } ?? DetectedDocument.storePath(document.kind, document.path)
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: storePath))
        description.createsIfMissing = false
        description.isReadOnly = !isEditing
        description.journal = package == nil ? .asFound : .heldByDocument
        let content = package.map { ContentFolder(inPackage: $0) }
        let store: any PersistentStore
        if document.storeType == .sqlite {
            store = try SQLitePersistentStore.open(description, files: content?.externalValues) { info in
                guard let info else { return nil }
                return try resolve(info.versionHashes) ?? reader?.model(fitting: info.versionHashes)?.model
            }
        } else {
            description.type = document.storeType
            store = try BareStore.open(description, model: resolve)
        }
        do {
            let session = DocumentSession(
                kind: document.kind, path: document.path, isEditing: isEditing, package: package, store: store, storePath: storePath, content: content)
            session.manifest = manifest
            if let manifest { try session.readMarker(manifest) }
            return session
        } catch {
            try? store.close()
            throw error
        }
    }

    private func readMarker(_ manifest: Manifest) throws {
        guard let marker = DocumentMarker(try store.metadata()) else {
            throw DocumentError(.malformed, "the store is not that of a document: its metadata lack the marker", path: storePath)
        }
        guard uuid == manifest.uuid.uppercased() else {
            throw DocumentError(.malformed, "the store is that of another document: \(uuid), not \(manifest.uuid)", path: storePath)
        }
        guard marker.generation >= manifest.generation else {
            throw DocumentError(.malformed, "the store is older than the manifest", path: storePath)
        }
        self.marker = marker
        findKeptState(manifest, marker)
        // A manifest that knows of everything spares the counting.
        guard marker.isSaved, marker.generation == manifest.generation else { return }
        counts = EntityCounts(model, manifest: manifest.entities)
        attachments = manifest.attachments
    }

    /// Finishes a save that a crash interrupted after its commit. A store with autosaved work stays as it is.
    private func settle() throws {
        if counts == nil { counts = try EntityCounts(counting: store) }
        guard let marker, let manifest else { return }
        isCheckpointPending = marker.generation > manifest.generation
        // What hinders it now is no reason not to open: the next save or close does it again.
        if marker.isSaved { settleSave() }
    }
}

extension PackageReader {
    /// The model under `model/` whose version hashes are these, with its name; nil where none fits.
    func model(fitting hashes: [String: Data]) throws -> (name: String, model: ManagedObjectModel)? {
        for name in try modelNames() {
            let model = try ModelContents.decode(Data(self.model(name)), path: "\(path)/\(PackageLayout.models)/\(name).xcdatamodel/contents")
            if model.isCompatible(withVersionHashes: hashes) { return (name, model) }
        }
        return nil
    }
}
