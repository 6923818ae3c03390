internal import FileSystem
internal import SQLiteStore

extension DocumentSession {
    /// Records the current identities of the document's files, after this program has written them.
    package func renewTrace() {
        trace = try? DocumentTrace(path, kind, anchor, isEditing: isEditing)
        anchor = nil
    }

    /// Throws if the document was moved, replaced or deleted by another program.
    package func checkPlace() throws {
        try DocumentError.stage(.writing, path) {
            guard isEditing, let trace else { return }
            let hint = "save it as another document"
            switch try trace.look() {
            case .same: return
            case .moved(let place):
                throw DocumentError(.changed, "the document was moved to \(place)", path: path, hint: hint)
            case .replaced:
                throw DocumentError(.changed, "the document was changed by another program", path: path, hint: hint)
            case .deleted: throw DocumentError(.changed, "the document was deleted", path: path, hint: hint)
            }
        }
    }

    /// Closes the session, and opens one at the location to which the document was moved, with the
    /// lock of that location.
    ///
    /// The store's open files were moved along, so nothing is written to the old location.
    package func following(to place: String) throws -> DocumentSession {
        guard isEditing else {
            let next = try DocumentSession.read(place, model: .model(model))
            try? close()
            return next
        }
        let lock = try DocumentLock.acquire(place, document: uuid)
        let old = self.lock
        do {
            // The WAL of a bare store was not moved, so its content has to be checkpointed into the
            // main file.
            if package == nil, let sqliteStore, try !sqliteStore.checkpoint() {
                throw DocumentError(
                    .locked, "its journal is in use by another program at the old place", path: path, stage: .opening)
            }
            try closeStore()
            if package == nil { for suffix in ["-wal", "-shm"] { try Disk.removeFileIfPresent(storePath + suffix) } }
            try workingSet?.noteMove(to: place)
        } catch {
            lock.release()
            throw error
        }
        let next = try DocumentSession.reopen(place, lock: lock, model: .model(model))
        old?.release()
        return next
    }
}

extension DocumentSession {
    /// Closes the session, and opens one with the document that another program has put at this
    /// path. Unsaved work of this session is discarded; the other document is not changed.
    package func reloaded() throws -> DocumentSession {
        guard isEditing else {
            let next = try DocumentSession.read(path, model: .model(model))
            try? close()
            return next
        }
        // Only parts of the package were replaced, so this session's WAL is beside a store to which
        // it does not belong.
        if let package, kind == .package, workingSet == nil, let identity,
            try Disk.identity(of: path)?.isSameFile(as: identity) == true
        {
            try closeStore()
            if try wal.hasContent() {
                try wal.setAside(in: package, as: PackageLayout.discarded)
            } else {
                for suffix in ["-wal", "-shm"] { try Disk.removeFileIfPresent(storePath + suffix) }
            }
            let next = try DocumentSession.reopen(path, lock: nil, model: .model(model))
            next.takeLock(of: self)
            return next
        }
        // Open the new session first, so that this one is still usable if that fails.
        let next = try DocumentSession.reopen(path, lock: nil, model: .model(model))
        next.takeLock(of: self)
        try? closeStore()
        try? workingSet?.remove()
        return next
    }

    private func takeLock(of other: DocumentSession) {
        lock = other.lock
        other.lock = nil
    }

    /// Closes the session if the document at the path was replaced or deleted, without changing
    /// what is there. Autosaved work of an archive stays in its working set.
    package func closeLeavingPlace() throws {
        defer { unlock() }
        try DocumentError.stage(.closing, path) { try closeStore() }
    }
}

extension WorkingSet {
    /// Records the archive's new location, which recovery uses to find its unsaved work.
    package func noteMove(to archive: String) throws { try note { $0.path = archive } }

    /// Records the archive's current file, after it was replaced by one with the same content.
    func noteState(_ state: WorkingSetOrigin.State) throws { try note { $0.state = state } }

    private func note(_ change: (inout WorkingSetOrigin) -> Void) throws {
        guard let origin = try WorkingSetOrigin.read(in: path) else { return }
        var changed = origin
        change(&changed)
        if changed != origin { try changed.write(in: path) }
    }
}
