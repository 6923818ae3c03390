internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

extension DocumentSession {
    /// Writes the archive anew, with what is committed in the working set, and puts it in the place of the old one. That is the commit point of an archive's save; what was
    /// committed before is autosaved work until then. Afterwards nothing more may be committed here: `successor()` goes on.
    ///
    /// Needs no object graph. Nothing may be committed while it runs, for the working set goes with the old archive.
    /// - Parameter dropping: The names of models that the new archive does not carry any more.
    package func replaceArchive(dropping models: [String] = []) throws {
        guard let origin, let workingSet, let marker else { preconditionFailure("Only an archive that is being edited is written anew") }
        var next = marker.isSaved ? marker : marker.nextSave()
        next.journal = nil
        let replacement = Replacement(of: path)
        let staging = FilePath.join(FilePath.parent(workingSet.path), ".\(FilePath.name(workingSet.path)).tmp-\(UniqueName.make())")
        defer { try? Disk.removeTree(staging) }
        do {
            let state = try DocumentError.stage(.packing, path) {
                try Disk.makeDirectory(staging, mode: 0o700)
                let copy = FilePath.join(staging, "store.sqlite")
                try copyStore(to: copy, next)
                var manifest = try nextManifest(next)
                manifest.store.bytes = try Disk.status(of: copy)?.size ?? 0
                manifest.store.pages = try SavedPages(ofFileAt: copy)
                manifest.files = try FileSums.recorded(ownFiles(), beneath: package.map { try Directory($0) })
                let protection = try FileProtection.open.replacing(path)
                let file = try File(replacement.temporary, .create(mode: protection.fileMode))
                defer { file.close() }
                if let mode = try Disk.status(of: path)?.mode { try file.setMode(mode) }
                try protection.giveAway(replacement.temporary)
                let parts = try archiveParts(manifest, store: copy, dropping: models) + keepArchivedVersion(in: staging, next)
                try WorkProgress.begin(parts.reduce(0) { try $0 + $1.byteCount() })
                try ArchiveWriter.write(parts, to: file) { try WorkProgress.advance(by: $0) }
                try file.synchronize()
                // What can't be opened must not replace what can.
                return try ArchiveFile(replacement.temporary).state()
            }
            try DocumentError.stage(.replacing, path) {
                try WorkingSetOrigin(path: path, state: origin, pending: state).write(in: workingSet.path)
                guard try Disk.identity(of: path) == origin.identity else {
                    throw DocumentError(.changed, "the archive was changed by another program", path: path, hint: "save it as another document")
                }
                try replacement.commit(expecting: origin.identity)
            }
            self.origin = state
            identity = state.identity
        } catch {
            _ = try? Disk.removeFileIfPresent(replacement.temporary)
            throw error
        }
        // From here on the save stands; a crash leaves a working set that the next opening sees to be done with.
        isReplaced = true
        self.marker = next
        _ = try? Disk.removeFileIfPresent(replacement.temporary)
    }

    /// The session that goes on after `replaceArchive`, on the new archive and with the same lock; this one is closed.
    /// - Throws: what opening throws; this one can still be read then, and asked again.
    package func successor() throws -> DocumentSession {
        precondition(isReplaced, "Only a save of an archive makes a successor necessary")
        let next = try DocumentError.stage(.opening, path) { [model] in
            try Self.editWithWorkingSet(path, { _ in model }, .refuse, following: self)
        }
        next.lock = lock
        lock = nil
        // Done with; what stays goes with the next opening.
        try? closeStore()
        try? workingSet?.remove()
        return next
    }

    /// Everything that the new archive holds, in the order in which it lies there: the same content gives the same bytes.
    private func archiveParts(_ manifest: Manifest, store: String, dropping: [String]) throws -> [ArchivePart] {
        var parts = [
            ArchivePart(name: PackageLayout.mimetype, content: .bytes(Array(PackageLayout.archiveType.utf8)), isStored: true),
            ArchivePart(name: PackageLayout.manifest, content: .bytes(try manifest.encoded)),
        ]
        let dropped = dropping.map { "\(PackageLayout.models)/\($0).xcdatamodel/" }
        parts += try self.parts(under: PackageLayout.models).filter { part in !dropped.contains { part.name.hasPrefix($0) } }
        parts += try PageSums.storeParts(store)
        for folder in [PackageLayout.content, PackageLayout.extra, PackageLayout.preview] { parts += try self.parts(under: folder) }
        return parts
    }

    /// The versions of an archive that carries some, with the state that is about to be replaced as a whole copy: an archive's store is written anew, page by page.
    private func keepArchivedVersion(in staging: String, _ next: DocumentMarker) throws -> [ArchivePart] {
        guard let versions = try archivedVersions(in: staging), let previous = keptState else { return [] }
        if place.database == nil, let archive = place.archive {
            // The working set's own store may have taken up autosaved work.
            let saved = FilePath.join(staging, "saved.sqlite")
            try archive.takeOutStore(to: saved)
            try versions.keepReplaced(saved, saved: next.savedState, previous: previous, reason: .save)
        } else {
            try packageStore.withFiles { files in
                _ = try versions.keepReplaced(files, saved: next.savedState, previous: previous, reason: .save)
            }
        }
        try versions.prune(.standard)
        return try ArchiveFile.files(in: staging, under: PackageLayout.versions)
    }

    /// The application's own files and the previews.
    private func ownFiles() throws -> [ArchivePart] { try [PackageLayout.extra, PackageLayout.preview].flatMap { try parts(under: $0) } }

    /// What the archive has under a folder, as it lies there, and what the working set has beside or instead, by name.
    private func parts(under folder: String) throws -> [ArchivePart] {
        let own = try package.map { try ArchiveFile.files(in: $0, under: folder) } ?? []
        let names = Set(own.map(\.name))
        let entries = place.archive?.reader.directory.entries ?? []
        let isRemoved = try package.map { try RemovedParts(inWorkingSet: $0).contains() } ?? { _ in false }
        let kept = entries.filter { !$0.isDirectory && $0.name.hasPrefix(folder + "/") && !names.contains($0.name) && !isRemoved($0.name) }
        guard let reader = place.archive?.reader else { return own }
        return (own + kept.map { reader.part($0) }).sorted { $0.name < $1.name }
    }

    /// Copies the store, the WAL folded in, as one closed file that carries this marker.
    func copyStore(to path: String, _ marker: DocumentMarker) throws {
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
}
