internal import FileSystem
internal import SQLiteStore

extension DocumentSession {
    /// Takes the marks of the document's files as they are now, as this program left them.
    package func renewTrace() {
        trace = try? DocumentTrace(path, kind, anchor)
        anchor = nil
    }

    /// Throws where what stands at the document's place is no longer what was opened.
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

    /// Ends the session and begins one at the place that the document was moved to, under the lock
    /// of that place.
    ///
    /// The store's files are held open and moved along: nothing of them is written to the old
    /// place.
    package func following(to place: String) throws -> DocumentSession {
        guard isEditing else {
            let next = try DocumentSession.read(place, model: .model(model))
            try? close()
            return next
        }
        let lock = try DocumentLock.acquire(place, document: uuid)
        let old = self.lock
        do {
            // The journal of a store by itself stayed where it was: what is in it must come along.
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
    /// Ends the session and begins one on what another program put in the document's place. What is
    /// unsaved here is given up; nothing of the other state is touched.
    package func reloaded() throws -> DocumentSession {
        guard isEditing else {
            let next = try DocumentSession.read(path, model: .model(model))
            try? close()
            return next
        }
        // Only parts of the package were exchanged: our WAL lies beside a store that it is not of.
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
        // First the new one, so that this one is still there when that fails.
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

    /// Ends the session where something else stands at the document's place, or nothing: that is
    /// left alone. Autosaved work of an archive stays in its working set.
    package func closeLeavingPlace() throws {
        defer { unlock() }
        try DocumentError.stage(.closing, path) { try closeStore() }
    }
}

extension WorkingSet {
    /// Notes where the archive is now, for whoever looks for work that was left.
    package func noteMove(to archive: String) throws { try note { $0.path = archive } }

    /// Notes which file the archive is now: one of the same content was put in its place.
    func noteState(_ state: WorkingSetOrigin.State) throws { try note { $0.state = state } }

    private func note(_ change: (inout WorkingSetOrigin) -> Void) throws {
        guard let origin = try WorkingSetOrigin.read(in: path) else { return }
        var changed = origin
        change(&changed)
        if changed != origin { try changed.write(in: path) }
    }
}
