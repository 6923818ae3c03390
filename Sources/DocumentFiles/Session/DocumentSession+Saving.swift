internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
package import Storage

extension DocumentSession {
    /// How a commit counts.
    package enum Level {
        case save
        /// As a state of its own, of work that nobody has asked to be saved, which need not be valid: before something else takes its place, or so that the main file can take it up.
        /// The last save is a version then.
        case unfinishedWork
        /// Into the WAL alone. `isUnchecked` where objects violate validation rules; `pending` are unique values that the tables can't take, `denied` deletions that no
        /// save may commit.
        case autosave(isUnchecked: Bool, pending: [PendingUniqueValue] = [], denied: MetadataValue? = nil)
    }

    /// Commits changes of the object graph: of a package as a save or an autosave, of a store by itself as what it is, a save. Durable when it returns.
    package func commit(_ changes: ChangeSet, _ level: Level) throws -> SaveReceipt {
        var changes = changes
        var next = marker
        switch level {
        case .save: next = marker?.nextSave(after: takenGeneration())
        case .unfinishedWork:
            next = marker?.nextInternal(after: takenGeneration())
        case .autosave(let isUnchecked, let pending, let denied):
            next = marker?.nextAutosave(isUnchecked: isUnchecked, pending: pending.metadata, denied: denied)
        }
        let run = marker.map { journal ?? JournalRun(on: $0) }
        next?.journal = run
        if let noted = next?.metadata(since: marker) {
            if changes.metadata.isEmpty { changes.metadata = noted } else { changes.metadata.merge(noted) { $1 } }
        }
        precondition(!isReplaced, "After a save of an archive its successor goes on")
        try settleWorkingSet()
        noteContent(changes)
        hasWritten = true
        let receipt = try DocumentError.stage(.committing, path) { try store.apply(changes) }
        marker = next
        journal = run
        countsBeforePieces = nil
        counts?.apply(changes, receipt)
        return receipt
    }

    /// Writes changes of the object graph without committing them: the next `commit` does.
    package func writePiece(_ changes: ChangeSet) throws -> SaveReceipt {
        precondition(!isReplaced, "After a save of an archive its successor goes on")
        try settleWorkingSet()
        noteContent(changes)
        hasWritten = true
        countsBeforePieces = countsBeforePieces ?? counts
        let receipt = try DocumentError.stage(.writing, path) { try store.applyPiece(changes) }
        counts?.apply(changes, receipt)
        return receipt
    }

    /// Undoes the pieces that are not committed.
    package func abandonPieces() {
        store.abandonPieces()
        counts = countsBeforePieces ?? counts
        countsBeforePieces = nil
    }

    /// Makes the folder durable in which something is about to be committed.
    package func settleWorkingSet() throws {
        guard workingSet?.isSettled == false else { return }
        try DocumentError.stage(.writing, path) { try workingSet?.settle() }
    }

    /// What follows the commit of a save; whatever stops it, the save stands, and `unfinishedSave` says what did.
    package func settleSave() {
        do {
            try finishSave()
            unfinishedSave = lostVersions
        } catch {
            unfinishedSave = error
        }
    }

    /// What follows the commit of a save: the state before it is kept, the WAL goes into the main file, then the manifest says so. Whatever stops it, the save stands,
    /// and the next save, close or open does it again.
    package func finishSave() throws {
        if kind == .package, place.workingSet != nil {
            // A save that was interrupted behind its commit; one that the package's own WAL has stays there until the next.
            if place.database != nil, try !Self.hasJournal(storePath) { try describeSharedStore() }
            return
        }
        if workingSet == nil { try DocumentError.stage(.committing, path) { try takeUpOutsideCommits() } }
        guard let package, workingSet == nil, let marker, marker.isSaved else { return }
        if manifest?.generation != marker.generation { isCheckpointPending = true }
        try DocumentError.stage(.versioning, path) { try keepVersion() }
        let isComplete = try DocumentError.stage(.checkpointing, path) { try checkpoint() }
        isCheckpointPending = !isComplete
        guard isComplete else { return }
        try DocumentError.stage(.describing, path) {
            guard manifest?.generation != marker.generation else { return }
            // Belongs to the main file as it was before this save; opening alone, which comes here too, must not lose it.
            try Disk.removeFileIfPresent(FilePath.join(package, PackageLayout.discarded))
            try writeManifest(to: package, marker)
        }
        try DocumentError.stage(.versioning, path) { try pruneVersions() }
    }

    var packageStore: SQLitePersistentStore {
        guard let sqliteStore else { preconditionFailure("Packages and archives have SQLite stores: other types stand by themselves") }
        return sqliteStore
    }

    func checkpoint() throws -> Bool {
        guard try !Self.hasJournal(storePath) || packageStore.checkpoint() else { return false }
        journal = nil
        foldedJournalSize = 0
        return true
    }

    func writeManifest(to package: String, _ marker: DocumentMarker) throws {
        var next = try nextManifest(marker)
        next.store.pages = try pagesToRecord(marker)
        next.files = filesToRecord()
        try Disk.replaceFile(FilePath.join(package, PackageLayout.manifest), with: next.encoded)
        manifest = next
    }

    /// The manifest that goes with a state of the store.
    func nextManifest(_ marker: DocumentMarker) throws -> Manifest {
        guard let content, let manifest, let counts else { preconditionFailure("A store by itself has no manifest") }
        var modelName = manifest.model.name
        if manifest.model.digest != model.versionHashesDigest {
            modelName = try place.model(fitting: model.versionHashesByEntityName)?.name ?? PackageBuilder.name(for: model)
        }
        if content.takeHasNewFiles() { attachments = nil }
        let attachments = try self.attachments ?? content.attachments()
        self.attachments = attachments
        var next = Manifest(
            uuid: uuid, marker: marker, modelName: modelName, model: model, counts: counts,
            storeBytes: try place.storeBytes(), attachments: attachments)
        next.title = manifest.title
        next.keywords = manifest.keywords
        if modelName == manifest.model.name, let known = manifest.model.checksum {
            next.model.checksum = known
        } else if let bytes = try place.modelBytes(modelName) {
            next.model.note(bytes)
        }
        return next
    }
}
