internal import FileSystem
internal import SQLiteStore
internal import Storage

/// An archive, or a package in a shared place: what is committed goes to a working set, and a save
/// (`WorkingSetSave`) puts a new archive or store in the place of the old one.
final class WorkingSetForm: SessionForm {
    private var set: WorkingSet
    /// The state of the document that the working set belongs to.
    private(set) var origin: WorkingSetOrigin.State
    /// Whether a save has replaced that state, so that nothing more may be committed: another
    /// session goes on.
    private(set) var isReplaced = false
    /// The store as a file of its own, which is to take the place of the one that lies in the
    /// document.
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

    /// A save has put another state in the place of the one that the working set belongs to.
    func didReplace(by state: WorkingSetOrigin.State) {
        origin = state
        isReplaced = true
    }

    /// A save that was interrupted behind its commit; one that the package's own WAL has stays
    /// there until the next.
    func finishSave(_ session: DocumentSession) throws {
        guard session.kind == .package, session.place.database != nil, try !session.wal.hasContent() else { return }
        try session.describeSharedStore()
    }

    /// The saved state is in the document, so that a store of the working set is free for the work;
    /// one that lies in the document gets a file first, and the session goes on on that.
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

    /// Closes the store and puts the file that `checkpointAutosavedWork` wrote in its place. In one
    /// exchange, so that a crash leaves either the WAL on the document's store or the new file.
    func exchangeOwnStore(_ session: DocumentSession) throws {
        guard let replacement = ownStore else { preconditionFailure("Nothing was prepared") }
        ownStore = nil
        defer { try? Disk.removeTree(replacement.temporary) }
        let before = try Disk.identity(of: replacement.target)
        try session.closeStore()
        // Where this fails the WAL on the document's store is there as before, and the next
        // autosave tries again.
        try? replacement.commit(expecting: before)
    }

    func closeSaved(_ session: DocumentSession) throws {
        if session.kind == .package, !isReplaced { try? session.collectContent() }
        try DocumentError.stage(.closing, session.path) {
            try session.closeStore()
            try set.remove()
        }
    }

    /// What is in the working set is the work and nothing else.
    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws {
        try session.closeStore()
        try set.remove()
    }
}
