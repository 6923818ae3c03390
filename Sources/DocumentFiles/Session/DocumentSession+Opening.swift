internal import FileSystem
internal import SQLiteStore
internal import Storage

extension DocumentSession {
    /// Opens a document for reading: nothing is written anywhere near it.
    package static func read(_ path: String, model: ModelChoice) throws -> DocumentSession {
        try DocumentReading.retryingWhileChanging(at: path) { try SessionOpener.read(path, model: model) }
    }

    /// Opens a document for editing, under its lock, and mends what a crash left.
    /// - Parameter held: The document's lock, where the caller has it already and hands it over; it
    ///   is given back where this fails.
    package static func edit(
        _ path: String, model: ModelChoice, recovery: DocumentRecovery, lock held: DocumentLock? = nil
    ) throws -> DocumentSession {
        try edit(resolved: LinkResolution.resolve(path), model: model, recovery: recovery, lock: held)
    }

    /// - Parameter location: The document, links resolved.
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
                lock.note(document: session.uuid)
                return session
            }
        } catch {
            lock.release()
            throw error
        }
    }

    /// Opens a document for editing again, whose lock the caller holds and hands over.
    package static func reopen(_ path: String, lock: DocumentLock?, model: ModelChoice) throws
        -> DocumentSession
    {
        do {
            return try DocumentError.stage(.opening, path) {
                let session = try SessionOpener(model: model, recovery: .keep).open(DetectedDocument(path))
                session.lock = lock
                return session
            }
        } catch {
            lock?.release()
            throw error
        }
    }

    /// Finishes a save that a crash interrupted after its commit. A store with autosaved work stays
    /// as it is.
    func settle() throws {
        // A manifest that knows of everything spares the counting.
        if footprint.counts == nil { try footprint.count(store) }
        guard let marker, let manifest else { return }
        journal.isCheckpointPending = marker.generation > manifest.generation
        // What hinders it now is no reason not to open: the next save or close does it again.
        guard marker.isSaved else { return }
        // A document that was closed as it should be has nothing to finish, and its versions were
        // thinned out then.
        if isCheckpointPending || journal.hadContent { settleSave() }
    }
}
