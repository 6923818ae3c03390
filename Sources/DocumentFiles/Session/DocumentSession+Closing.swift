internal import FileSystem
internal import SQLiteStore
internal import Storage

extension DocumentSession {
    /// Ends the session. Autosaved work that was not saved is kept for the next opening. Auxiliary
    /// files of a saved document are removed.
    package func close() throws {
        defer {
            if let temporaryFolder = place.temporaryFolder { StateFolder.removeTemporary(temporaryFolder) }
            unlock()
        }
        if isEditing, package != nil, marker?.isSaved == true { return try form.closeSaved(self) }
        try DocumentError.stage(.closing, path) { try closeStore() }
    }

    package func unlock() {
        lock?.release()
        lock = nil
    }
}
