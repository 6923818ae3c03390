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
        /// As a state of its own, of work that nobody has asked to be saved, which need not be
        /// valid: before something else takes its place, or so that the main file can take it up.
        /// The last save is a version then.
        case unfinishedWork
        /// Into the WAL alone. `isUnchecked` where objects violate validation rules; `pending` are
        /// unique values that the tables can't take, `denied` deletions that no save may commit.
        case autosave(isUnchecked: Bool, pending: [PendingUniqueValue] = [], denied: MetadataValue? = nil)
    }

    /// Commits changes of the object graph: of a package as a save or an autosave, of a store by
    /// itself as what it is, a save. Durable when it returns.
    package func commit(_ changes: ChangeSet, _ level: Level) throws -> SaveReceipt {
        var changes = changes
        var next = marker
        switch level {
        case .save: next = marker?.nextSave(after: keeping.lastGeneration())
        case .unfinishedWork:
            keeping.willSave(for: .autosave)
            next = marker?.nextInternal(after: keeping.lastGeneration())
        case .autosave(let isUnchecked, let pending, let denied):
            next = marker?.nextAutosave(isUnchecked: isUnchecked, pending: pending.metadata, denied: denied)
        }
        let run = marker.map { journal.run ?? WALRun(on: $0) }
        next?.journal = run
        if let noted = next?.metadata(since: marker) {
            if changes.metadata.isEmpty { changes.metadata = noted } else { changes.metadata.merge(noted) { $1 } }
        }
        try prepare(changes)
        let receipt = try DocumentError.stage(.committing, path) { try store.apply(changes) }
        marker = next
        journal.didCommit(to: run)
        footprint.didCommit(changes, receipt)
        return receipt
    }

    /// Writes changes of the object graph without committing them: the next `commit` does.
    package func writePiece(_ changes: ChangeSet) throws -> SaveReceipt {
        try prepare(changes)
        let receipt = try DocumentError.stage(.writing, path) { try store.applyPiece(changes) }
        footprint.didWritePiece(changes, receipt)
        return receipt
    }

    /// Undoes the pieces that are not committed.
    package func abandonPieces() {
        store.abandonPieces()
        footprint.didAbandonPieces()
    }

    private func prepare(_ changes: ChangeSet) throws {
        precondition(!isReplaced, "After a save of an archive its successor goes on")
        try form.willCommit(self)
        keeping.willCommit(changes, of: model)
        journal.willWrite()
    }

    /// Makes the folder durable in which something is about to be committed.
    package func settleWorkingSet() throws { try form.willCommit(self) }

    /// What follows the commit of a save; whatever stops it, the save stands, and `postCommitError`
    /// says what did.
    package func settleSave() {
        do {
            try finishSave()
            postCommitError = keeping.lost
        } catch {
            postCommitError = error
        }
    }

    /// What follows the commit of a save. Whatever stops it, the save stands, and the next save,
    /// close or open does it again.
    package func finishSave() throws { try form.finishSave(self) }

    /// How many commits of other programs the WAL has beside the document's own. Reads the WAL,
    /// where there is one.
    /// - Parameter mainFile: What the main file notes by itself, where that was read.
    func countOutsideCommits(mainFile: DocumentMarker? = nil) throws -> Int {
        guard kind == .package, place.workingSet == nil, place.temporaryFolder == nil, let manifest,
            try wal.hasContent()
        else { return 0 }
        return try OutsideCommits(store: packageStore, storePath: storePath, manifest: manifest, mainFile: mainFile)
            .count()
    }

    /// Makes what other programs have committed on top of the last save a save of its own, so that
    /// the state before it is kept as a version.
    func adoptOutsideCommits() throws {
        guard let marker, marker.isSaved, marker.generation == manifest?.generation,
            case let count = try countOutsideCommits(), count > 0
        else { return }
        journal.noteOutsideCommits(count)
        keeping.noteOutsideCommits()
        footprint.forgetAttachments()
        try footprint.count(store)
        _ = try commit(ChangeSet(), .save)
    }

    var packageStore: SQLitePersistentStore {
        guard let sqliteStore else {
            preconditionFailure("Packages and archives have SQLite stores: other types stand by themselves")
        }
        return sqliteStore
    }

    func checkpoint() throws -> Bool {
        guard try !wal.hasContent() || packageStore.checkpoint() else { return false }
        journal.didCheckpoint()
        return true
    }

    func writeManifest(to package: String, _ marker: DocumentMarker) throws {
        var next = try nextManifest(marker)
        next.store.pages = try pagesToRecord(marker)
        next.files = footprint.fileSums(inPackage: package)
        try Disk.replaceFile(FilePath.join(package, PackageLayout.manifest), with: next.encoded)
        manifest = next
    }

    /// The manifest that goes with a state of the store.
    func nextManifest(_ marker: DocumentMarker) throws -> DocumentManifest {
        guard let content, let manifest, let counts = footprint.counts else {
            preconditionFailure("A store by itself has no manifest")
        }
        var modelName = manifest.model.name
        if manifest.model.digest != model.versionHashesDigest {
            modelName =
                try place.model(fitting: model.versionHashesByEntityName)?.name ?? PackageBuilder.name(for: model)
        }
        var next = DocumentManifest(
            uuid: uuid, marker: marker, modelName: modelName, model: model, counts: counts,
            storeBytes: try place.storeBytes(), attachments: try footprint.attachments(in: content))
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
