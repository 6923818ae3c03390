internal import FileSystem
internal import Foundation
internal import SQLiteStore
package import Schema
package import Storage

/// Writes a whole document to a location of its own: builds it at a temporary path, makes it
/// durable, verifies it, and moves it into place atomically.
package struct DocumentWriter {
    /// The content of the new document.
    package enum Content {
        case nothing
        /// The content of an open document, with changes that are not in its store.
        case copy(DocumentSession, ChangeSet?)
    }

    /// The path of the document, with symbolic links resolved.
    package let target: String
    package let form: DocumentForm
    package let replaces: Bool
    package let model: ManagedObjectModel
    package let modelName: String
    /// Whether earlier versions are copied to a package or an archive.
    package var includesVersions = false
    /// Whether the persistent history is copied, if the store is copied page by page.
    package var includesHistory = true
    /// Whether objects may violate validation rules, so that the next save has to validate all
    /// objects.
    package var isUnchecked = false
    /// Denied deletions that are part of the content.
    package var denied: MetadataValue?
    /// Unique values that several objects have and that are missing in the tables, as recorded by
    /// autosaves.
    package var pending: MetadataValue?
    /// The path of the source, whose permissions the new document must not exceed; nil for the
    /// document in `Content`.
    package var origin: String?
    /// The files and descriptions of the application, for packages and archives.
    package var parts = CapturedParts()

    package init(
        target: String, form: DocumentForm, replaces: Bool, model: ManagedObjectModel, modelName: String,
        includesVersions: Bool = false
    ) {
        self.target = target
        self.form = form
        self.replaces = replaces
        self.model = model
        self.modelName = modelName
        self.includesVersions = includesVersions
    }

    /// Writes the document. It is durable when the method returns. After an error nothing is left,
    /// and an existing item is unchanged.
    /// - Returns: The primary keys of new objects in the changes.
    package func write(_ content: Content) throws -> SaveReceipt {
        let written = try writeHoldingLock(content)
        written.lock.release()
        return written.receipt
    }

    /// Writes the document and keeps its lock, so that no other process can open it before the
    /// caller.
    package func writeHoldingLock(_ content: Content) throws -> (receipt: SaveReceipt, lock: DocumentLock) {
        let place = DocumentTarget(path: target, replaces: replaces)
        try place.checkFolder()
        let lock = try DocumentLock.acquire(target, document: nil)
        do {
            return (try write(content, place), lock)
        } catch {
            lock.release()
            throw error
        }
    }

    private func write(_ content: Content, _ place: DocumentTarget) throws -> SaveReceipt {
        let existing: FileIdentity? = try DocumentError.stage(.writing, target) {
            try Leftovers.mend(target)
            return try place.checkExisting(isBareStore: form.bareStoreType != nil)
        }
        let replacement = Replacement(of: target)
        var values: [String] = []
        let receipt: SaveReceipt
        do {
            let protection = try DocumentError.stage(.writing, target) { try self.protection(of: content) }
            receipt = try DocumentError.stage(.writing, target) {
                switch form {
                case .package: try writePackage(content, to: replacement.temporary, protection)
                case .archive: try writeArchive(content, to: replacement.temporary, protection)
                case .store, .binaryStore, .xmlStore:
                    try writeStore(content, to: replacement, protection, placing: &values)
                }
            }
            try DocumentError.stage(.replacing, target) {
                try WorkProgress.check()
                if form.bareStoreType != nil, existing != nil { try clearWALs() }
                try replacement.commit(expecting: existing)
            }
        } catch {
            // Report the first error.
            try? Disk.removeTree(replacement.temporary)
            removePlacedValues(values)
            throw error
        }
        // The replaced document, if there was one. If it can't be removed, the next opening removes
        // it.
        try? Disk.removeTree(replacement.temporary)
        // Remove values only if a store was replaced: otherwise they may belong to a store that was
        // moved away and comes back.
        if form.bareStoreType != nil, existing != nil { try? removeUnusedValues() }
        return receipt
    }

    private func protection(of content: Content) throws -> FileProtection {
        var protection = FileProtection.open
        if let origin {
            protection = try .ofDocument(origin)
        } else if case .copy(let session, _) = content {
            protection = try .ofDocument(session.path)
        }
        return try protection.replacingDocument(target)
    }

    /// Checkpoints or rolls back the journal of the store that will be replaced, because SQLite
    /// would apply it to the new store.
    package func clearWALs() throws {
        for suffix in ["-wal", "-journal"] {
            guard let size = try Disk.status(of: target + suffix)?.size, size > 0 else { continue }
            try SQLiteStoreFile(target).checkpointWAL()
        }
        for suffix in ["-wal", "-shm", "-journal"] { try Disk.removeFileIfPresent(target + suffix) }
    }
}
