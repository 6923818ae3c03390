internal import FileSystem
internal import SQLiteStore
internal import Storage

extension DocumentSession {
    /// Ends the session. Autosaved work that was not saved stays where the next opening finds it; a document that is saved is left as one clean set of files.
    func close() throws {
        defer {
            if let temporaryFolder = place.temporaryFolder { try? Disk.removeTree(temporaryFolder) }
            unlock()
        }
        guard isEditing, package != nil, marker?.isSaved == true else {
            try DocumentError.stage(.closing, path) { try closeStore() }
            return
        }
        if workingSet == nil {
            settleSave()
            // What stays for now goes at the end of a later session.
            try? collectContent()
        }
        try DocumentError.stage(.closing, path) {
            try closeStore()
            if let workingSet {
                try workingSet.remove()
            } else if !isCheckpointPending {
                try removeEmptyJournal()
            }
        }
    }

    func unlock() {
        lock?.release()
        lock = nil
    }

    /// Takes away the WAL that the last checkpoint emptied, and its index.
    private func removeEmptyJournal() throws {
        let journal = storePath + "-wal"
        if let size = try Disk.status(of: journal)?.size, size > 0 { return }
        try Disk.removeFileIfPresent(journal)
        try Disk.removeFileIfPresent(storePath + "-shm")
        try Disk.synchronizeDirectory(FilePath.parent(storePath))
    }
}
