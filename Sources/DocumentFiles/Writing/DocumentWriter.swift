internal import FileSystem
internal import Foundation
internal import SQLiteStore
package import Schema
package import Storage

/// Writes a whole document to a place of its own: built aside, made durable, looked at again, then
/// put in place in one step.
package struct DocumentWriter {
    /// What the new document holds.
    package enum Content {
        case nothing
        /// What an open document shows, with changes that no store has yet.
        case copy(DocumentSession, ChangeSet?)
    }

    /// Where the document is to be, links resolved.
    package let target: String
    package let form: DocumentForm
    package let replaces: Bool
    package let model: ManagedObjectModel
    package let modelName: String
    /// Whether earlier versions go along, into a package or an archive.
    package var includesVersions = false
    /// Whether the persistent history of a store that is copied page by page goes along.
    package var includesHistory = true
    /// Whether objects may violate validation rules, which the next save checks then.
    package var isUnchecked = false
    /// Deletions that are in it though they are denied.
    package var denied: MetadataValue?
    /// Unique values that objects share with others and that the tables lack, as autosaves note
    /// them.
    package var pending: MetadataValue?
    /// The path of what the new document is made from, which it is not to be more open than; nil
    /// for what `Content` names.
    package var origin: String?
    /// Files of the application's own, and what the manifest says, for packages and archives.
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

    /// Writes the document. When it returns it is durable; when it throws, nothing is left and what
    /// was there is still there.
    /// - Returns: the numbers of new objects among the changes.
    package func write(_ content: Content) throws -> SaveReceipt {
        let written = try writeHoldingLock(content)
        written.lock.release()
        return written.receipt
    }

    /// Writes the document and keeps its lock, for going on with it before anybody else can.
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
            // The first error is the one that counts.
            try? Disk.removeTree(replacement.temporary)
            removePlacedValues(values)
            throw error
        }
        // The old document, where there was one; what is left of it goes with the next opening.
        try? Disk.removeTree(replacement.temporary)
        // Only what was replaced by intent: values beside a store that is gone may be wanted by one
        // that comes back.
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
        return try protection.replacing(target)
    }

    /// A journal that lay beside the old store would be taken for the new one's: it goes into the
    /// store that it belongs to first.
    package func clearWALs() throws {
        for suffix in ["-wal", "-journal"] {
            guard let size = try Disk.status(of: target + suffix)?.size, size > 0 else { continue }
            try SQLitePersistentStore.checkpointWAL(at: target)
        }
        for suffix in ["-wal", "-shm", "-journal"] { try Disk.removeFileIfPresent(target + suffix) }
    }
}
