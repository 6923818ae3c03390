internal import DocumentFiles
internal import FileSystem
internal import SQLiteStore

extension DocumentSession {
    /// Closes the session, moves the files, and opens a session at the new path. If the move fails,
    /// the session is reopened at the old path.
    static func move(_ session: inout DocumentSession, to target: String) throws {
        let path = session.path, model = session.model
        let values = try ValuesBesideStore(of: session.kind == .store ? path : nil)
        let lock = try DocumentLock.acquire(target, document: session.uuid)
        let old = session.lock
        do {
            try DocumentError.stage(.replacing, target) {
                if session.kind == .store { try session.sqliteStore?.closeAsOneFile() }
                try session.closeStore()
                try values?.link(to: target)
                do {
                    try moveFiles(path, to: target)
                } catch {
                    try? values?.unlink(at: target)
                    throw error
                }
                // A failure is harmless: the files that remain at the old path are extra links to
                // the values.
                try? values?.remove()
            }
        } catch {
            lock.release()
            if try Disk.exists(path) {
                session = try DocumentSession.reopen(path, lock: nil, model: .model(model))
                session.lock = old
            }
            throw error
        }
        // Recovery looks for unsaved work by this note. Archives are found by their state file
        // instead.
        try? session.workingSet?.noteMove(to: target)
        session = try DocumentSession.reopen(target, lock: lock, model: .model(model))
        session.renewTrace()
        old?.release()
    }

    private static func moveFiles(_ path: String, to target: String) throws {
        do {
            try Disk.renameWithoutReplacing(path, to: target)
        } catch let error as FileSystemError where error.code == .crossDevice {
            let replacement = Replacement(of: target)
            do {
                try Disk.copyTree(path, to: replacement.temporary)
                try Disk.synchronizeTree(replacement.temporary)
                try replacement.commit(expecting: nil)
            } catch {
                try? Disk.removeTree(replacement.temporary)
                throw error
            }
            // The copy at the target is complete and durable. Remains at the old path are an
            // incomplete document or a copy, so a failure to delete them is ignored.
            try? Disk.removeTree(path)
        }
        try Disk.synchronizeDirectory(FilePath.parent(target))
        try Disk.synchronizeDirectory(FilePath.parent(path))
    }

    /// Closes the session, locks the document against editing, and opens a session for reading.
    static func lockAgainstEditing(_ session: inout DocumentSession) throws {
        let path = session.path, model = session.model, lock = session.lock
        // The editor's lock is kept until the session for reading is open, or until the old one is
        // restored.
        session.lock = nil
        do {
            try session.close()
            try DocumentPermissions.setLocked(true, path)
        } catch {
            session = session.isStoreOpen ? session : try DocumentSession.reopen(path, lock: nil, model: .model(model))
            session.lock = lock
            session.renewTrace()
            throw error
        }
        defer { lock?.release() }
        session = try DocumentSession.read(path, model: .model(model))
        session.renewTrace()
    }

    /// Removes the user's lock, and replaces a session for reading by one for editing.
    static func unlockForEditing(_ session: inout DocumentSession) throws {
        let path = session.path, model = session.model
        let wasLocked = DocumentPermissions.isLocked(path)
        try DocumentPermissions.setLocked(false, path)
        let next: DocumentSession
        do {
            next = try DocumentSession.edit(path, model: .model(model), recovery: .keep)
        } catch {
            // The document could not be opened for editing: restore the user's lock.
            if wasLocked { try? DocumentPermissions.setLocked(true, path) }
            throw error
        }
        try? session.close()
        session = next
        session.renewTrace()
    }
}
