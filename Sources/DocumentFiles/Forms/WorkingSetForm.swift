internal import FileSystem
internal import SQLiteStore
internal import Storage

/// An archive, or a package on a shared volume. Commits are written to a working set, and a save
/// (`WorkingSetSave`) replaces the archive or store by a new one.
final class WorkingSetForm: SessionForm {
    private var set: WorkingSet
    /// The state of the document to which the working set belongs.
    private(set) var origin: WorkingSetOrigin.State
    /// Whether a save has replaced that state. Nothing may be committed to this session then;
    /// another one continues.
    private(set) var isReplaced = false
    /// A copy of the store in a file, prepared by `foldAutosavedWork` to replace the one that is
    /// read in place from the document.
    private(set) var ownStore: Replacement?

    init(_ set: WorkingSet, _ origin: WorkingSetOrigin.State) {
        self.set = set
        self.origin = origin
    }

    var workingSet: WorkingSet? { self.set }

    func willCommit(_ session: DocumentSession) throws {
        guard !set.isSettled else { return }
        try DocumentError.stage(.writing, session.path) { try set.settle() }
    }

    /// Called when a save has replaced the state to which the working set belongs.
    func didReplace(by state: WorkingSetOrigin.State) {
        origin = state
        isReplaced = true
    }

    /// Completes a save that was interrupted after its commit. A WAL in the package itself stays
    /// until the next save.
    func finishSave(_ session: DocumentSession) throws {
        guard session.kind == .package, session.place.database != nil, try !session.wal.hasContent() else { return }
        try session.describeSharedStore()
    }

    /// The saved state is in the document, so the WAL can be checkpointed into a store file of the
    /// working set. If the store is read in place from the document, a copy is written, and the
    /// session continues with the copy.
    func checkpointAutosavedWork(_ session: DocumentSession) throws {
        guard session.place.database != nil else {
            return _ = try DocumentError.stage(.checkpointing, session.path) { try session.checkpoint() }
        }
        let replacement = Replacement(of: FilePath.join(set.path, PackageLayout.storeFolder))
        do {
            try willCommit(session)
            try DocumentError.stage(.writing, session.path) {
                try Disk.makeDirectory(replacement.temporary, mode: 0o700)
                try session.packageStore.copy(
                    to: FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store)))
                try Disk.synchronizeDirectory(replacement.temporary)
            }
        } catch {
            try? Disk.removeTree(replacement.temporary)
            throw error
        }
        ownStore = replacement
    }

    /// Closes the store and moves the copy that `foldAutosavedWork` wrote into the working set. One
    /// atomic replacement, so that a crash leaves either the WAL of the document's store or the new
    /// file.
    func exchangeOwnStore(_ session: DocumentSession) throws {
        guard let replacement = ownStore else { preconditionFailure("Nothing was prepared") }
        ownStore = nil
        defer { try? Disk.removeTree(replacement.temporary) }
        let before = try Disk.identity(of: replacement.target)
        try session.closeStore()
        // If this fails, the WAL of the document's store is unchanged, and the next autosave tries
        // again.
        try? replacement.commit(expecting: before)
    }

    func closeSaved(_ session: DocumentSession) throws {
        if session.kind == .package, !isReplaced { try? session.collectContent() }
        try DocumentError.stage(.closing, session.path) {
            try session.closeStore()
            try set.remove()
        }
    }

    /// Discards the working set, which contains nothing but the unsaved work.
    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws {
        try session.closeStore()
        try set.remove()
    }
}
