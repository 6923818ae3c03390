internal import DocumentFiles
internal import FileSystem
internal import SQLiteStore

extension DocumentSession {
    /// Ends the session, moves the files, and begins one at their new place. Where that fails it
    /// goes on at the old one.
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
                // What stays is of no use, and does no harm.
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
        // Of use to who looks for work that was left; the archive is found by its state.
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
            // The document is there now, whole; what can't be taken away here is no document any
            // more, or a copy.
            try? Disk.removeTree(path)
        }
        try Disk.synchronizeDirectory(FilePath.parent(target))
        try Disk.synchronizeDirectory(FilePath.parent(path))
    }

    /// Ends the session, marks the document as locked against editing, and begins a session for
    /// reading.
    static func lockAgainstEditing(_ session: inout DocumentSession) throws {
        let path = session.path, model = session.model, lock = session.lock
        // Held until it is clear who goes on with the document.
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

    /// Takes the mark away, and goes from a session for reading to one for editing.
    static func unlockForEditing(_ session: inout DocumentSession) throws {
        let path = session.path, model = session.model
        let wasLocked = DocumentPermissions.isLocked(path)
        try DocumentPermissions.setLocked(false, path)
        let next: DocumentSession
        do {
            next = try DocumentSession.edit(path, model: .model(model), recovery: .keep)
        } catch {
            // The mark says what this program could not change.
            if wasLocked { try? DocumentPermissions.setLocked(true, path) }
            throw error
        }
        try? session.close()
        session = next
        session.renewTrace()
    }
}
