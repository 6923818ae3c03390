internal import FileSystem
internal import Storage

/// A package whose WAL lies in itself: the main file of its store is the last saved state, and
/// takes the next one up by a checkpoint.
struct PackageForm: SessionForm {
    var workingSet: WorkingSet? { nil }

    func willCommit(_ session: DocumentSession) {}

    /// The state before the save is kept, the WAL goes into the main file, then the manifest says
    /// so.
    func finishSave(_ session: DocumentSession) throws {
        let path = session.path
        try DocumentError.stage(.committing, path) { try session.adoptOutsideCommits() }
        guard let package = session.package, let marker = session.marker, marker.isSaved else { return }
        if session.manifest?.generation != marker.generation { session.journal.isCheckpointPending = true }
        try DocumentError.stage(.versioning, path) { try session.keepVersion() }
        let isComplete = try DocumentError.stage(.checkpointing, path) { try session.checkpoint() }
        session.journal.isCheckpointPending = !isComplete
        guard isComplete else { return }
        try DocumentError.stage(.describing, path) {
            guard session.manifest?.generation != marker.generation else { return }
            // Belongs to the main file as it was before this save; opening alone, which comes here
            // too, must not lose it.
            try Disk.removeFileIfPresent(FilePath.join(package, PackageLayout.discarded))
            try session.writeManifest(to: package, marker)
        }
        try DocumentError.stage(.versioning, path) { try session.keeping.prune(keeping: marker.lastSave?.generation) }
    }

    /// The work becomes a generation of its own, as by a save, but noted as unsaved: the last save
    /// is kept as a version, which reverting goes back to.
    func checkpointAutosavedWork(_ session: DocumentSession) throws {
        _ = try session.commit(ChangeSet(), .unfinishedWork)
        session.settleSave()
        // What could not be brought over stays, and does not count again.
        if session.journal.run != nil { try session.journal.didCheckpointAutosave(leaving: session.wal.size()) }
    }

    func closeSaved(_ session: DocumentSession) throws {
        session.settleSave()
        // What stays for now goes at the end of a later session.
        try? session.collectContent()
        try DocumentError.stage(.closing, session.path) {
            guard !session.isCheckpointPending, try !session.wal.hasContent() else { return try session.closeStore() }
            // Where somebody reads the document still, both stay, and go with a later session.
            try session.closeStore(removesWAL: true)
            // Where nothing was ever in the journal, it does no harm if a power cut brings its name
            // back: it is empty.
            guard session.journal.wasUsed else { return }
            try Disk.synchronizeDirectory(FilePath.parent(session.storePath))
        }
    }

    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws {
        guard let package = session.package else { preconditionFailure("A package is where its document is") }
        let exchange = StoreExchange(session: session)
        if session.isCheckpointPending {
            // An outside reader may still have the files open: they stay as they are, and the state
            // that the versions lead up to takes their place.
            return try exchange.replaceStore { try session.writeSavedState(to: $0) }
        }
        if try session.closeStore(alone: {
            try session.wal.setAutosavedWorkAside(in: package, savedGeneration: marker.generation)
        }) {
            return
        }
        // Whoever reads goes on by the WAL and its index: these go with the folder that they are
        // in, and the reader with them.
        try exchange.replaceStore {
            try session.writeSavedState(to: $0)
        } keeping: { old in
            try Disk.makeDirectories(FilePath.parent(FilePath.join(package, PackageLayout.discarded)), isDurable: true)
            try Disk.rename(
                FilePath.join(old, FilePath.name(PackageLayout.store) + "-wal"),
                to: FilePath.join(package, PackageLayout.discarded))
        }
    }
}
