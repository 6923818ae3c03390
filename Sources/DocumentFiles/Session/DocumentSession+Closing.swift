internal import FileSystem
internal import SQLiteStore
package import Storage

extension DocumentSession {
    /// Ends the session. Autosaved work that was not saved is kept for the next opening. Auxiliary
    /// files of a saved document are removed.
    package func close() throws {
        defer {
            if isEditing { giveBackToOwner() }
            if let temporaryFolder = place.temporaryFolder { StateFolder.removeTemporary(temporaryFolder) }
            unlock()
        }
        if isEditing, package != nil, marker?.isSaved == true { return try form.closeSaved(self) }
        try DocumentError.stage(.closing, path) { try closeStore() }
    }

    /// What the superuser wrote to another user's document belongs to that user afterwards, who
    /// could not edit it otherwise.
    private func giveBackToOwner() {
        guard let rights = try? AccessRights(of: path), rights.isOfAnotherUser else { return }
        if rights.isFolder { return rights.giveOwner(toContentsOf: path) }
        if kind == .store { rights.giveOwner(toContentsOf: ExternalValues.folder(beside: storePath)) }
    }

    package func unlock() {
        lock?.release()
        lock = nil
    }

    /// Closes the session and replaces the store by one with another version of the model, which
    /// `build` writes to a path, as the next generation. The old store is kept as a version. The
    /// caller keeps the lock, and writes the model.
    package func closeReplacing(noting metadata: [String: MetadataValue?], _ build: (_ path: String) throws -> Void)
        throws
    {
        guard let content else { preconditionFailure("Packages keep versions") }
        try DocumentError.stage(.writing, path) {
            try StoreExchange(session: self).makeNextGeneration(for: .migration) { target, marker in
                try build(target)
                return try StoreExchange.mark(
                    target, marker, content, holding: GreatestKeys(of: packageStore), adding: metadata
                ).names
            }
        }
    }

    /// Closes the session and discards the work that was autosaved since the last save. The work is
    /// set aside, or lost if the last save is not in the main file yet. The caller keeps the lock.
    package func closeDiscardingAutosavedWork() throws {
        try DocumentError.stage(.closing, path) {
            if let lastSave = marker?.lastSave { return try closeReturning(to: lastSave) }
            guard package != nil, let marker, !marker.isSaved else { return try closeStore() }
            try form.closeDiscarding(self, marker)
        }
    }

    /// Closes the session and makes the last save the newest generation again, if autosaved work
    /// was checkpointed into the main file. That work is kept as a version.
    private func closeReturning(to lastSave: DocumentMarker.LastSave) throws {
        func kept() throws -> DocumentVersion? { try versions?.list().last { $0.generation == lastSave.generation } }
        if marker?.isSaved == false {
            _ = try commit(ChangeSet(), .unfinishedWork)
        }
        // If keeping the last save as a version failed before, the main file still contains it.
        if try kept() == nil { try keepVersion() }
        guard let version = try kept() else {
            throw DocumentError(
                .malformed, "the last save is not among the versions any more", path: path, hint: "save what there is")
        }
        try VersionRestorer(self).closeRestoring(version.number)
    }
}
