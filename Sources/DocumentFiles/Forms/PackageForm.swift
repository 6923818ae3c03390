internal import FileSystem
internal import Storage

/// A package that contains its WAL. The main file of its store is the last saved state; a save
/// checkpoints the WAL into it.
struct PackageForm: SessionForm {
    var workingSet: WorkingSet? { nil }

    func willCommit(_ session: DocumentSession) {}

    /// Keeps the state before the save as a version, checkpoints the WAL into the main file, then
    /// writes the manifest.
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
            // The discarded work belongs to the main file before this save. Not removed without a
            // save: opening calls this method, too.
            if try Disk.removeFileIfPresent(FilePath.join(package, PackageLayout.discarded)) {
                session.keeping.noteUnusedContent()
            }
            try session.writeManifest(to: package, marker)
        }
        try DocumentError.stage(.versioning, path) { try session.keeping.prune(keeping: marker.lastSave?.generation) }
    }

    /// Commits the work as a generation of its own, like a save, but marked as unsaved. The last
    /// save is kept as a version, to which reverting returns.
    func checkpointAutosavedWork(_ session: DocumentSession) throws {
        _ = try session.commit(ChangeSet(), .unfinishedWork)
        session.settleSave()
        // Content that could not be checkpointed stays in the WAL, and does not count towards the
        // limit again.
        if session.journal.run != nil { try session.journal.didCheckpointAutosave(leaving: session.wal.size()) }
    }

    func closeSaved(_ session: DocumentSession) throws {
        session.settleSave()
        // A failure is harmless: a later session removes the unused values.
        try? session.collectContent()
        try DocumentError.stage(.closing, session.path) {
            guard !session.isCheckpointPending, try !session.wal.hasContent() else { return try session.closeStore() }
            // If another process is still reading, both files stay, and a later session removes
            // them.
            try session.closeStore(removesWAL: true)
            // If the WAL was never used it is empty, so it does no harm if a power failure restores
            // its directory entry.
            guard session.journal.wasUsed else { return }
            try Disk.synchronizeDirectory(FilePath.parent(session.storePath))
        }
    }

    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws {
        guard let package = session.package else { preconditionFailure("A package is where its document is") }
        let exchange = StoreExchange(session: session)
        if session.isCheckpointPending {
            // Another process may still have the files open. They stay unchanged, and a new store
            // with the last saved state, built from the versions, replaces them.
            return try exchange.replaceStore { try session.writeSavedState(to: $0) }
        }
        if try session.closeStore(alone: {
            try session.wal.setAutosavedWorkAside(in: package, savedGeneration: marker.generation)
        }) {
            return
        }
        // Another process is reading, and continues with the WAL and its index. Both are moved away
        // with their folder, so the reader is not disturbed.
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
