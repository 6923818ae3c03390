internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

extension DocumentSession {
    /// How a commit counts.
    enum Level {
        case save
        /// As a save of work that nobody has asked to be saved, before something else takes its place. It need not be valid.
        case unfinishedWork
        /// Into the WAL alone. `isUnchecked` where objects violate validation rules.
        case autosave(isUnchecked: Bool)
    }

    /// Commits changes of the object graph: of a package as a save or an autosave, of a store by itself as what it is, a save. Durable when it returns.
    func commit(_ changes: ChangeSet, _ level: Level) throws -> SaveReceipt {
        var changes = changes
        var next = marker
        switch level {
        case .save: next = marker?.nextSave()
        case .unfinishedWork:
            next = marker?.nextSave()
            next?.isUnchecked = marker?.isUnchecked ?? false
        case .autosave(let isUnchecked): next = marker?.nextAutosave(isUnchecked: isUnchecked)
        }
        if let next { changes.metadata.merge(next.metadata) { $1 } }
        // Work for the next save must not go into a working set that counts as done with.
        if isOriginPending { try DocumentError.stage(.committing, path) { try writeOrigin() } }
        noteContent(changes)
        let receipt = try DocumentError.stage(.committing, path) { try store.apply(changes) }
        marker = next
        counts?.apply(changes)
        return receipt
    }

    /// What follows the commit of a save; whatever stops it, the save stands, and `unfinishedSave` says what did.
    func settleSave() {
        do {
            try finishSave()
            unfinishedSave = lostVersions
        } catch {
            unfinishedSave = error
        }
    }

    /// What follows the commit of a save: the state before it is kept, the WAL goes into the main file, then the manifest says so. Whatever stops it, the save stands,
    /// and the next save, close or open does it again.
    func finishSave() throws {
        guard let package, let marker, marker.isSaved else { return }
        if manifest?.generation != marker.generation { isCheckpointPending = true }
        try DocumentError.stage(.versioning, path) { try keepVersion() }
        let isComplete = try DocumentError.stage(.checkpointing, path) { try checkpoint() }
        isCheckpointPending = !isComplete
        guard isComplete else { return }
        try DocumentError.stage(.describing, path) {
            guard manifest?.generation != marker.generation else { return }
            // Belongs to the main file as it was before this save; opening alone, which comes here too, must not lose it.
            try Disk.removeFileIfPresent(FilePath.join(package, PackageLayout.discarded))
            try writeManifest(to: package, marker)
        }
        try DocumentError.stage(.versioning, path) { try pruneVersions() }
    }

    var packageStore: SQLitePersistentStore {
        guard let sqliteStore else { preconditionFailure("Packages and archives have SQLite stores: other types stand by themselves") }
        return sqliteStore
    }

    private func checkpoint() throws -> Bool { try packageStore.checkpoint() }

    private func writeManifest(to package: String, _ marker: DocumentMarker) throws {
        let next = try nextManifest(marker)
        try Disk.replaceFile(FilePath.join(package, PackageLayout.manifest), with: next.encoded)
        manifest = next
    }

    /// The manifest that goes with a state of the store.
    func nextManifest(_ marker: DocumentMarker) throws -> Manifest {
        guard let package, let content, let manifest, let counts else { preconditionFailure("A store by itself has no manifest") }
        var modelName = manifest.model.name
        if manifest.model.digest != model.versionHashesDigest, let found = try PackageReader(package).model(fitting: model.versionHashesByEntityName) {
            modelName = found.name
        }
        if content.takeHasNewFiles() { attachments = nil }
        let attachments = try self.attachments ?? PackageReader(package).attachments()
        self.attachments = attachments
        var next = Manifest(
            uuid: uuid, marker: marker, modelName: modelName, model: model, counts: counts,
            storeBytes: try Disk.status(of: storePath)?.size ?? 0, attachments: attachments)
        next.title = manifest.title
        next.keywords = manifest.keywords
        return next
    }

    // MARK: Archives

    /// Writes the archive anew from the working set and puts it in the place of the old one. That is the commit point of an archive's save.
    func replaceArchive() throws {
        guard let package, let origin, let workingSet, let marker else { preconditionFailure("Only an archive that is being edited is written anew") }
        let next = marker.isSaved ? marker : marker.nextSave()
        let replacement = Replacement(of: path)
        let staging = FilePath.join(FilePath.parent(package), ".\(FilePath.name(package)).tmp-\(UniqueName.make())")
        defer { try? Disk.removeTree(staging) }
        do {
            let state = try DocumentError.stage(.packing, path) {
                try Disk.makeDirectory(staging, mode: 0o700)
                let copy = FilePath.join(staging, "store.sqlite")
                try copyStore(to: copy, next)
                var manifest = try nextManifest(next)
                manifest.store.bytes = try Disk.status(of: copy)?.size ?? 0
                try ArchiveFile.pack(package, store: copy, manifest: manifest, to: replacement.temporary)
                if let mode = try Disk.status(of: path)?.mode { try File(replacement.temporary).setMode(mode) }
                // What can't be opened must not replace what can.
                return try ArchiveFile(replacement.temporary).state()
            }
            try DocumentError.stage(.replacing, path) {
                try ArchiveOrigin(path: path, state: origin, pending: state).write(in: workingSet.path)
                guard try Disk.identity(of: path) == origin.identity else {
                    throw DocumentError(.changed, "the archive was changed by another program", path: path, hint: "save it as another document")
                }
                try replacement.commit(expecting: origin.identity)
            }
            self.origin = state
            isOriginPending = true
            identity = state.identity
        } catch {
            _ = try? Disk.removeFileIfPresent(replacement.temporary)
            throw error
        }
        // From here on the save stands; what fails now is done again with the next save, or is seen to be finished by the next open.
        _ = try? Disk.removeFileIfPresent(replacement.temporary)
        try? settleWorkingSet(next)
    }

    /// Copies the store, the WAL folded in, as one closed file that carries this marker.
    private func copyStore(to path: String, _ marker: DocumentMarker) throws {
        try packageStore.copy(to: path)
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.createsIfMissing = false
        let copy = try SQLitePersistentStore.open(description, model: model, files: content?.externalValues)
        do {
            var changes = ChangeSet()
            changes.metadata = marker.metadata
            _ = try copy.apply(changes)
            try copy.closeAsOneFile()
        } catch {
            try? copy.close()
            throw error
        }
    }

    private func settleWorkingSet(_ next: DocumentMarker) throws {
        guard let package else { return }
        if marker?.isSaved == false {
            var changes = ChangeSet()
            changes.metadata = next.metadata
            _ = try store.apply(changes)
            marker = next
        }
        isCheckpointPending = try !checkpoint()
        if !isCheckpointPending { try writeManifest(to: package, next) }
        try writeOrigin()
    }

    /// Notes that the working set's saved state is that of the archive as it is now.
    private func writeOrigin() throws {
        guard let workingSet, let origin else { return }
        try ArchiveOrigin(path: path, state: origin, pending: nil).write(in: workingSet.path)
        isOriginPending = false
    }
}
