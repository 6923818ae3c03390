internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// Autosaved work stays in the WAL until it is saved; here is what keeps that from growing without end.
extension DocumentSession {
    /// Finds out after an autosave whether more is in the WAL than is to stay there: then `isJournalFull`.
    /// - Parameter limit: In bytes; nil for the document's own.
    package func checkJournalSize(_ limit: Int64?) {
        guard marker?.isSaved == false else { return }
        try? journal.checkSize(of: wal, limit, packageStore) { try place.storeBytes() }
    }

    /// Lets the main file take up what was autosaved.
    ///
    /// Of a package, the work becomes a generation of its own, as by a save, but noted as unsaved: the last save is kept as a version, which reverting goes back to. Of an archive
    /// the saved state is in the archive, so that the store of the working set is free for it; one that lies in the archive gets a file first, and `onOwnStore()` goes on there.
    package func foldAutosavedWork() throws {
        journal.willFold()
        if workingSet != nil {
            guard place.database == nil else { return try prepareOwnStore() }
            return _ = try DocumentError.stage(.checkpointing, path) { try checkpoint() }
        }
        _ = try commit(ChangeSet(), .unfinishedWork)
        settleSave()
        // What could not be brought over stays, and does not count again.
        if journal.run != nil { try journal.didFold(leaving: wal.size()) }
    }

    /// Writes the store of an archive with all that is committed as a file, beside the folder that it is to be in. Costs the size of the store; nothing may be committed until
    /// `onOwnStore()`.
    private func prepareOwnStore() throws {
        guard let workingSet else { preconditionFailure("An archive that is edited has a working set") }
        let replacement = Replacement(of: FilePath.join(workingSet.path, PackageLayout.storeFolder))
        do {
            try settleWorkingSet()
            try DocumentError.stage(.writing, path) {
                try Disk.makeDirectory(replacement.temporary, mode: 0o700)
                try packageStore.copy(to: FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store)))
                try Disk.synchronizeDirectory(replacement.temporary)
            }
        } catch {
            try? Disk.removeTree(replacement.temporary)
            throw error
        }
        ownStore = replacement
    }

    /// The session that goes on with the store that `foldAutosavedWork()` wrote as a file, under the same lock; this one is closed. In one exchange, so that a crash leaves either the
    /// WAL on the archive's store or the new file.
    package func onOwnStore() throws -> DocumentSession {
        guard let replacement = ownStore else { preconditionFailure("Nothing was prepared") }
        ownStore = nil
        defer { try? Disk.removeTree(replacement.temporary) }
        let before = try Disk.identity(of: replacement.target)
        try closeStore()
        // Where this fails the WAL on the archive's store is there as before, and the next autosave tries again.
        try? replacement.commit(expecting: before)
        let next = try reopened()
        next.lock = lock
        lock = nil
        return next
    }

    /// Nothing else can go on with the document: what hinders for a moment only must not end it.
    private func reopened(attempts: Int = 3) throws -> DocumentSession {
        do {
            return try DocumentError.stage(.opening, path) { [model] in
                try SessionOpener(model: { _ in model }, recovery: .keep, following: self).openWithWorkingSet(DetectedDocument(path))
            }
        } catch where attempts > 1 {
            return try reopened(attempts: attempts - 1)
        }
    }
}
