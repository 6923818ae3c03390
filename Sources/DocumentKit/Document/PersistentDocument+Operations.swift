internal import DocumentFiles
internal import FileSystem
public import Foundation
internal import ObjectGraph
internal import SQLiteStore

extension PersistentDocument {
    /// Writes a copy beside the document, unsaved changes included, and opens it. This document stays as it is.
    ///
    /// ```swift
    /// let copy = try await document.duplicate()      // Name (copy).folio
    /// ```
    /// - Parameter url: Where the copy is to be; nil for a free name beside this one.
    /// - Throws: What `write(to:)` and `open` throw.
    public func duplicate(to url: URL? = nil) async throws -> Self {
        _ = try opened.openedState()
        let target = try url ?? freeURL(tag: "copy")
        try await write(to: target)
        let copy = try await Self.open(target, mode: .editing, classes: opened.objectClasses) { [model] _ in model }
        copy.type = type
        duplicateHandler?(copy)
        return copy
    }

    /// Moves the document, versions and autosaved work included, to another place where nothing is, and goes on there. Objects, their IDs, undo and unsaved changes stay.
    ///
    /// Within a file system it is one renaming. Across, it is copied whole and taken away here once the copy is durable. The files in which a store by itself keeps large values
    /// beside it come along: they have both names until the store is at its new place.
    /// - Throws: `DocumentError`: `cannotCreate` where something is there, `locked`, `permission`, `io`. Then it is where it was.
    public func move(to url: URL) async throws {
        try await opened.exclusively {
            _ = try opened.editingState()
            try await checkOutside()
            let target = LinkResolution.resolve(url.path)
            guard target != state.path else { return }
            try opened.performInline { session in
                try DocumentSession.move(&session, to: target)
                session.renewTrace()
            }
            opened.didMove()
        }
    }

    /// Gives the document another name in its folder. Its extension stays, unless `name` ends in it already, or in another one of the document's type or of Folio.
    ///
    ///     try await document.rename(to: "Letters 1.2")      // Letters 1.2.folio
    /// - Throws: As ``move(to:)``; `usage` where it is no name.
    public func rename(to name: String) async throws {
        let state = try opened.openedState()
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw DocumentError(.usage, "“\(name)” can't be the name of a document", path: state.path)
        }
        let own = url.pathExtension
        // What follows a dot may be a part of the name.
        let known = ["folio", "folioz", own] + (type?.extensions ?? [])
        let hasExtension = own.isEmpty || known.contains { name.lowercased().hasSuffix(".\($0.lowercased())") && name.count > $0.count + 1 }
        try await move(to: url.deletingLastPathComponent().appendingPathComponent(hasExtension ? name : "\(name).\(own)"))
    }

    /// Whether the document is locked against editing by ``lock()``, by anybody: its permissions allow nobody to write it.
    public var isLocked: Bool { DocumentPermissions.isLocked(state.path) }

    /// Locks the document against editing until it is unlocked, whoever opens it. It goes on being open for reading.
    /// - Throws: `DocumentError`: `usage` where there is unsaved work, which would have no way to be saved.
    public func lock() async throws {
        try await opened.exclusively {
            let state = try opened.editingState()
            guard !hasUnsavedChanges else { throw DocumentError(.usage, "there is unsaved work: save it before locking the document", path: state.path) }
            defer { if isOpen { opened.showReadState() } }
            try opened.performInline { session in
                let path = session.path, model = session.model, lock = session.lock
                // Held until it is clear who goes on with the document.
                session.lock = nil
                do {
                    try session.close()
                    try DocumentPermissions.setLocked(true, path)
                } catch {
                    session = session.isStoreOpen ? session : try DocumentSession.reopen(path, lock: nil) { _ in model }
                    session.lock = lock
                    session.renewTrace()
                    throw error
                }
                defer { lock?.release() }
                session = try DocumentSession.read(path) { _ in model }
                session.renewTrace()
            }
        }
    }

    /// Takes the lock away, and opens the document for editing.
    /// - Throws: `DocumentError`: `locked` where another program edits it.
    public func unlock() async throws {
        try await opened.exclusively {
            guard isOpen, !state.isEditing else { return }
            try opened.performInline { session in
                let path = session.path, model = session.model
                let wasLocked = DocumentPermissions.isLocked(path)
                try DocumentPermissions.setLocked(false, path)
                let next: DocumentSession
                do {
                    next = try DocumentSession.edit(path, model: { _ in model }, recovery: .keep)
                } catch {
                    // The mark says what this program could not change.
                    if wasLocked { try? DocumentPermissions.setLocked(true, path) }
                    throw error
                }
                try? session.close()
                session = next
                session.renewTrace()
            }
            // What was edited meanwhile had no way to be saved until now.
            let isEdited = context.hasChanges && hasUnsavedChanges, earlier = opened.edits
            opened.showReadState()
            guard isEdited else { return }
            opened.edits.didBeginEditing(state, with: earlier)
            opened.background?.noteChange()
        }
    }
}

/// The user's mark that a document is not to be edited: nobody may write its file or folder, as file managers show it.
enum DocumentPermissions {
    private static let writing: UInt32 = 0o222

    static func isLocked(_ path: String) -> Bool {
        guard let mode = try? Disk.status(of: path)?.mode else { return false }
        return mode & writing == 0
    }

    static func setLocked(_ isLocked: Bool, _ path: String) throws {
        try DocumentError.stage(.locking, path) {
            guard let status = try Disk.status(of: path) else { return }
            // As much as others may read.
            try Disk.setMode(isLocked ? status.mode & ~writing : status.mode | 0o200, of: path)
        }
    }
}

extension DocumentSession {
    /// Ends the session, moves the files, and begins one at their new place. Where that fails it goes on at the old one.
    fileprivate static func move(_ session: inout DocumentSession, to target: String) throws {
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
                session = try DocumentSession.reopen(path, lock: nil) { _ in model }
                session.lock = old
            }
            throw error
        }
        // Of use to who looks for work that was left; the archive is found by its state.
        try? session.workingSet?.noteMove(to: target)
        session = try DocumentSession.reopen(target, lock: lock) { _ in model }
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
            // The document is there now, whole; what can't be taken away here is no document any more, or a copy.
            try? Disk.removeTree(path)
        }
        try Disk.synchronizeDirectory(FilePath.parent(target))
        try Disk.synchronizeDirectory(FilePath.parent(path))
    }
}

extension PersistentDocument {
    /// Keeps whatever is read of a document that is open for reading to what is committed now, until it is closed.
    ///
    /// Who writes a store with a rollback journal has to wait that long. Where no lock can hold the others off, since nobody else had the store open when this was called, reading
    /// throws as soon as somebody has committed: `DocumentError.tellsOfChange` knows these errors.
    package func holdState() throws {
        try opened.performInline { session in try DocumentError.stage(.reading, session.path) { try session.hold() } }
    }
}
