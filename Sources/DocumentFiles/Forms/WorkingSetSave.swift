internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Storage

/// A save of a document that has a working set. It writes a new archive, or a new store for a
/// package on a shared volume, and replaces the old one by it atomically. The replacement is the
/// commit point; earlier commits are autosaved work until then.
///
/// No object graph is needed. Nothing may be committed during or after the save, because the
/// working set is removed together with the replaced state.
struct WorkingSetSave {
    private let session: DocumentSession
    private let path: String
    private let form: WorkingSetForm
    private let workingSet: WorkingSet
    /// The marker of the save.
    private let marker: DocumentMarker

    init(_ session: DocumentSession) {
        guard let form = session.workingSetForm, let workingSet = form.workingSet, var marker = session.marker else {
            preconditionFailure("Only a document that is edited by a working set is replaced by a save")
        }
        if !marker.isSaved { marker = marker.nextSave() }
        marker.journal = nil
        self.session = session
        self.marker = marker
        self.form = form
        self.workingSet = workingSet
        path = session.path
    }

    /// Writes a new archive and replaces the old one.
    /// - Parameter models: The names of models that the new archive does not contain any more.
    func replaceArchive(dropping models: [String]) throws {
        let replacement = Replacement(of: path)
        do {
            let state = try DocumentError.stage(.packing, path) {
                try withStaging { try writeArchive(replacement.temporary, in: $0, dropping: models) }
            }
            try exchange(replacement, for: state, expecting: form.origin.identity, "archive") {
                try Disk.identity(of: path) == form.origin.identity
            }
            session.identity = state.identity
        } catch {
            _ = try? Disk.removeFileIfPresent(replacement.temporary)
            throw error
        }
        _ = try? Disk.removeFileIfPresent(replacement.temporary)
    }

    /// Replaces the store of a package by one with the committed state. The folder of the store is
    /// replaced atomically.
    /// - Parameter parts: The files of the application, which are moved into place after the
    ///   commit.
    func replaceSharedStore(_ parts: CapturedParts, dropping models: [String], reason: DocumentVersion.Reason) throws {
        guard let package = session.package, session.versions != nil else {
            preconditionFailure("Only a package in a shared place has a store of its own beside a working set")
        }
        let folder = FilePath.join(package, PackageLayout.storeFolder),
            main = FilePath.join(package, PackageLayout.store)
        let before = try Disk.identity(of: folder)
        let replacement = Replacement(of: folder)
        // Contains the replaced store after the exchange.
        defer { try? Disk.removeTree(replacement.temporary) }
        let staged = try session.stage(parts)
        defer { staged.remove() }
        let state = try DocumentError.stage(.writing, path) {
            try withStaging { try writeStore(in: replacement.temporary, as: main, by: $0) }
        }
        try DocumentError.stage(.versioning, path) {
            // If the working set has its own store, no process has the package's store open.
            let closed = session.place.database == nil ? main : nil
            try session.keeping.keepReplaced(
                session.packageStore, closed: closed, by: marker.savedState, for: reason, session.content)
        }
        try DocumentError.stage(.replacing, path) { try WorkProgress.check() }
        try exchange(replacement, for: state, expecting: before, "document") {
            guard try Disk.identity(of: main) == form.origin.identity, let identity = session.identity else {
                return false
            }
            return try Disk.identity(of: path)?.isSameFile(as: identity) == true
        }
        session.postCommitError = session.place(staged)
        do {
            try session.describeSharedStore()
            for name in models { ModelFolder(name, in: package).remove() }
            try session.keeping.prune(keeping: marker.lastSave?.generation)
        } catch {
            session.postCommitError = session.postCommitError ?? error
        }
    }

    /// Replaces the old state by the new one, after recording the new one in the working set as
    /// pending. The save is committed then; the next opening cleans up after a crash.
    private func exchange(
        _ replacement: Replacement, for state: WorkingSetOrigin.State, expecting before: FileIdentity?, _ kind: String,
        isUnchanged: () throws -> Bool
    ) throws {
        try DocumentError.stage(.replacing, path) {
            try WorkingSetOrigin(path: path, state: form.origin, pending: state).write(in: workingSet.path)
            guard try isUnchanged() else {
                throw DocumentError(
                    .changed, "the \(kind) was changed by another program", path: path,
                    hint: "save it as another document")
            }
            try replacement.commit(expecting: before)
        }
        form.didReplace(by: state)
        session.marker = marker
    }

    /// Runs `body` with a temporary folder beside the working set, where a WAL may be created. The
    /// folder is removed afterwards.
    private func withStaging<Result>(_ body: (_ folder: String) throws -> Result) throws -> Result {
        let staging = FilePath.join(
            FilePath.parent(workingSet.path), ".\(FilePath.name(workingSet.path)).tmp-\(UniqueName.make())")
        defer { try? Disk.removeTree(staging) }
        try Disk.makeDirectory(staging, mode: 0o700)
        return try body(staging)
    }

    /// Writes the new store of a package into a new folder, and returns its state.
    private func writeStore(in folder: String, as main: String, by staging: String) throws -> WorkingSetOrigin.State {
        let copy = FilePath.join(staging, FilePath.name(main)), made = FilePath.join(folder, FilePath.name(main))
        try copyStore(to: copy)
        try Disk.makeDirectory(folder)
        try Disk.copyFile(copy, to: made)
        try AccessRights(of: main)?.give(to: made)
        try AccessRights(of: FilePath.parent(main))?.give(to: folder)
        try Disk.synchronizeFile(made)
        try Disk.synchronizeDirectory(folder)
        return try WorkingSetOrigin.state(ofStore: made)
    }

    // MARK: The archive

    /// Writes the new archive to a file, and returns its state.
    private func writeArchive(_ target: String, in staging: String, dropping models: [String]) throws
        -> WorkingSetOrigin.State
    {
        let copy = FilePath.join(staging, "store.sqlite")
        let used = try copyStore(to: copy)
        var manifest = try session.nextManifest(marker)
        manifest.store.bytes = try Disk.status(of: copy)?.size ?? 0
        let pages = try SavedPages(ofFileAt: copy)
        manifest.store.pages = pages
        let (states, kept) = try keepArchivedState(copy, pages.sum, in: staging)
        let values = try neededValues(used, kept)
        manifest.attachments = DocumentManifest.Attachments(
            count: values.count, bytes: try values.reduce(0) { try $0 + $1.byteCount() })
        manifest.files = try FileSums.recorded(ownFiles(), beneath: session.package.map { try Directory($0) })
        // Nobody else may read it before it has the rights of the old one.
        let file = try File(target, .create(mode: 0o600))
        defer { file.close() }
        try AccessRights(of: path)?.give(to: target)
        let parts = try archiveParts(manifest, store: copy, values, dropping: models) + states
        try WorkProgress.begin(parts.reduce(0) { try $0 + $1.byteCount() })
        try ArchiveWriter.write(parts, to: file, progress: { try WorkProgress.advance(by: $0) })
        try file.synchronize()
        // Verify that the archive can be opened before it replaces the old one.
        return try ArchiveFile(target).state()
    }

    /// All parts of the new archive. Their order is fixed, so that the same content results in the
    /// same bytes.
    private func archiveParts(
        _ manifest: DocumentManifest, store: String, _ values: [ArchivePart], dropping: [String]
    ) throws -> [ArchivePart] {
        var parts = [
            ArchivePart(
                name: PackageLayout.mimetype, content: .bytes(Array(PackageLayout.archiveType.utf8)), isStored: true),
            ArchivePart(name: PackageLayout.manifest, content: .bytes(try manifest.encoded)),
        ]
        let dropped = dropping.map { "\(PackageLayout.models)/\($0).xcdatamodel/" }
        parts += try self.parts(under: PackageLayout.models).filter { part in
            !dropped.contains { part.name.hasPrefix($0) }
        }
        parts += try PageSums.storeParts(store)
        return try parts + values + ownFiles()
    }

    /// The large values that the new archive needs: those to which its store or its versions refer.
    /// - Parameter kept: The names to which only versions refer; nil if they are not known.
    private func neededValues(_ used: Set<UUID>, _ kept: Set<UUID>?) throws -> [ArchivePart] {
        let all = try parts(under: PackageLayout.content)
        guard let needed = kept.map(used.union) else { return all }
        return all.filter { part in UUID(uuidString: FilePath.name(part.name)).map(needed.contains) ?? false }
    }

    /// The earlier states for the new archive, with the one that is being replaced: the versions if
    /// the old one contains versions, or else what merges with copies need.
    /// - Parameters:
    ///   - copy: The new store.
    ///   - sum: Its sum.
    /// - Returns: The parts, and the names of the large values to which only versions refer; nil
    ///   for the names if they are not known.
    private func keepArchivedState(_ copy: String, _ sum: StateSum, in staging: String) throws
        -> ([ArchivePart], names: Set<UUID>?)
    {
        guard let previous = session.keeping.head else { return ([], []) }
        let versions = try session.archivedVersions(in: staging)
        let references = versions == nil ? nil : try session.keeping.references(session.packageStore, session.content)
        if versions == nil { _ = try session.archivedMergeStates(in: staging) }
        let newer = try DatabaseState(ofFileAt: copy), saved = marker.savedState
        let recorded = session.manifest.flatMap { $0.generation == previous.generation ? $0.store.pages : nil }
        func keep(_ older: DatabaseState) throws {
            if let versions, let references {
                try versions.keepReplaced(
                    older, by: newer, saved: saved, previous: previous, references: references, recorded: recorded,
                    sum: sum)
            } else {
                try MergeStates.keep(
                    older, by: newer, saved: saved, previous: previous, recorded: recorded, sum: sum, in: staging)
            }
        }
        if session.place.database == nil, let archive = session.place.archive {
            // The store of the working set may already contain autosaved work.
            let old = FilePath.join(staging, "saved.sqlite")
            try archive.takeOutStore(to: old)
            try keep(DatabaseState(ofFileAt: old))
        } else {
            try session.packageStore.withFiles { try keep($0.state(at: nil)) }
        }
        guard let versions else {
            // States for merges name large values by their sums, and hold none.
            return (try ArchiveFile.files(in: staging, under: PackageLayout.mergeStates), names: [])
        }
        try versions.prune(.standard)
        return (
            try ArchiveFile.files(in: staging, under: PackageLayout.versions), names: try versions.contentReferences()
        )
    }

    /// The files of the application and the previews.
    private func ownFiles() throws -> [ArchivePart] {
        try [PackageLayout.extra, PackageLayout.preview].flatMap { try parts(under: $0) }
    }

    /// The parts under a folder: those of the archive, unchanged, and those of the working set,
    /// which override them. Sorted by name.
    private func parts(under folder: String) throws -> [ArchivePart] {
        let own = try session.package.map { try ArchiveFile.files(in: $0, under: folder) } ?? []
        let names = Set(own.map(\.name))
        let entries = session.place.archive?.reader.directory.entries ?? []
        let isRemoved = try session.package.map { try RemovedParts(inWorkingSet: $0).contains() } ?? { _ in false }
        let kept = entries.filter {
            !$0.isDirectory && $0.name.hasPrefix(folder + "/") && !names.contains($0.name) && !isRemoved($0.name)
                && !PackageLayout.isMergeState($0.name)
        }
        guard let reader = session.place.archive?.reader else { return own }
        return (own + kept.map { reader.part($0) }).sorted { $0.name < $1.name }
    }

    /// Copies the store with its WAL to one closed file, and writes the marker of the save into it.
    /// - Returns: The names of the large values to which the store refers.
    @discardableResult
    private func copyStore(to path: String) throws -> Set<UUID> {
        try session.packageStore.copy(to: path)
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.createsIfMissing = false
        let copy = try SQLitePersistentStore.open(
            description, model: session.model, files: session.content?.externalValues)
        do {
            var changes = ChangeSet()
            changes.metadata = marker.metadata
            _ = try copy.apply(changes)
            let names = try copy.contentNames()
            try copy.closeAsOneFile()
            return names
        } catch {
            try? copy.close()
            throw error
        }
    }
}
