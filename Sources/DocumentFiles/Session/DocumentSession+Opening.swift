internal import FileSystem
internal import SQLiteStore
internal import Storage

extension DocumentSession {
    /// Opens a document for reading. Nothing is written to it or beside it.
    package static func read(_ path: String, model: ModelChoice) throws -> DocumentSession {
        try DocumentReading.retryingWhileChanging(at: path) { try SessionOpener.read(path, model: model) }
    }

    /// Opens a state of a document for reading. Nothing is written to the document or beside it.
    /// - Throws: `DocumentError` with code `notFound` if there is no such state.
    package static func read(_ path: String, _ state: DocumentState, model: ModelChoice) throws -> DocumentSession {
        let session = try read(path, model: model)
        do {
            return try StateOpener(session, model: model).open(state)
        } catch {
            try? session.close()
            throw error
        }
    }

    /// Opens a document for editing, with its lock, and cleans up after a crash.
    /// - Parameter held: The document's lock if the caller has acquired it. Ownership is
    ///   transferred; it is released after an error.
    package static func edit(
        _ path: String, model: ModelChoice, recovery: DocumentRecovery, lock held: DocumentLock? = nil
    ) throws -> DocumentSession {
        try edit(resolved: LinkResolution.resolve(path), model: model, recovery: recovery, lock: held)
    }

    /// - Parameter location: The path of the document, with symbolic links resolved.
    package static func edit(
        resolved location: String, model: ModelChoice, recovery: DocumentRecovery,
        lock held: DocumentLock? = nil
    ) throws -> DocumentSession {
        if held == nil, try !Disk.exists(location), try !Replacement.isInterrupted(location) {
            throw DocumentError(.notFound, "there is no such document", path: location, stage: .opening)
        }
        let lock = try held ?? DocumentLock.acquire(location, document: nil)
        do {
            return try DocumentError.stage(.opening, location) {
                let session = try SessionOpener(model: model, recovery: recovery).openMended(location)
                session.lock = lock
                if lock.wasLeft { session.keeping.noteUnusedContent() }
                lock.note(document: session.uuid)
                return session
            }
        } catch {
            lock.release()
            throw error
        }
    }

    /// Opens a document for editing again. Takes over the caller's lock.
    package static func reopen(_ path: String, lock: DocumentLock?, model: ModelChoice) throws
        -> DocumentSession
    {
        do {
            return try DocumentError.stage(.opening, path) {
                let session = try SessionOpener(model: model, recovery: .keep).open(DetectedDocument(path))
                session.lock = lock
                // The session before may have left some, or the store was replaced.
                session.keeping.noteUnusedContent()
                return session
            }
        } catch {
            lock?.release()
            throw error
        }
    }

    /// Completes a save that a crash interrupted after its commit. Autosaved work is unchanged.
    func settle() throws {
        // A complete manifest makes counting unnecessary.
        if footprint.counts == nil { try footprint.count(store) }
        guard let marker, let manifest else { return }
        journal.isCheckpointPending = marker.generation > manifest.generation
        // Errors don't prevent opening: the next save or close tries again.
        guard marker.isSaved else { return }
        // A document that was closed properly has nothing to complete, and its versions were
        // thinned out then.
        if isCheckpointPending || journal.hadContent { settleSave() }
    }
}
