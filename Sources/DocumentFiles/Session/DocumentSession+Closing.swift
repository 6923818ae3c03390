internal import FileSystem
internal import SQLiteStore
internal import Storage

extension DocumentSession {
    /// Ends the session. Autosaved work that was not saved stays where the next opening finds it; a document that is saved is left as one clean set of files.
    package func close() throws {
        defer {
            if let temporaryFolder = place.temporaryFolder { StateFolder.removeTemporary(temporaryFolder) }
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
        if kind == .package, workingSet != nil, !isReplaced { try? collectContent() }
        try DocumentError.stage(.closing, path) {
            if let workingSet {
                try closeStore()
                return try workingSet.remove()
            }
            guard !isCheckpointPending, try !wal.hasContent() else { return try closeStore() }
            // Where somebody reads the document still, both stay, and go with a later session.
            try closeStore(removesJournal: true)
            // Where nothing was ever in the journal, it does no harm if a power cut brings its name back: it is empty.
            guard journal.wasUsed else { return }
            try Disk.synchronizeDirectory(FilePath.parent(storePath))
        }
    }

    package func unlock() {
        lock?.release()
        lock = nil
    }
}
