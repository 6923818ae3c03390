internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
package import Storage

extension DocumentSession {
    /// The kind of a commit.
    package enum Level {
        case save
        /// Commits work that the user has not saved, and that need not be valid, as a generation of
        /// its own: before another state replaces it, or before it is checkpointed. The last save
        /// is kept as a version.
        case unfinishedWork
        /// Commits to the WAL only. `isUnchecked` is set if objects violate validation rules;
        /// `pending` are unique values that the tables can't contain, and `denied` are deletions
        /// that a save would refuse.
        case autosave(isUnchecked: Bool, pending: [PendingUniqueValue] = [], denied: MetadataValue? = nil)
    }

    /// Commits changes of the object graph: as a save or an autosave in a package or an archive; in
    /// a bare store, every commit is a save. The commit is durable when the method returns.
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

    /// Writes changes of the object graph without committing them. The next `commit` includes them.
    package func writePiece(_ changes: ChangeSet) throws -> SaveReceipt {
        try prepare(changes)
        let receipt = try DocumentError.stage(.writing, path) { try store.applyPiece(changes) }
        footprint.didWritePiece(changes, receipt)
        return receipt
    }

    /// Rolls back the pieces that are not committed.
    package func abandonPieces() {
        store.abandonPieces()
        footprint.didAbandonPieces()
    }

    private func prepare(_ changes: ChangeSet) throws {
        precondition(!isReplaced, "After a save of an archive its successor goes on")
        try form.willCommit(self)
        keeping.willCommit(changes, to: store)
        journal.willWrite()
    }

    /// Makes the folder of the working set durable before a commit.
    package func settleWorkingSet() throws { try form.willCommit(self) }

    /// Completes a save after its commit. If this fails, the save is still valid, and the error is
    /// recorded in `postCommitError`.
    package func settleSave() {
        do {
            try finishSave()
            postCommitError = keeping.lost
        } catch {
            postCommitError = error
        }
    }

    /// Completes a save after its commit. If this fails, the save is still valid, and the next
    /// save, close or opening repeats it.
    package func finishSave() throws { try form.finishSave(self) }

    /// The number of commits by other programs in the WAL. Reads the WAL, if there is one.
    /// - Parameter mainFile: The marker of the main file, if it was read.
    func countOutsideCommits(mainFile: DocumentMarker? = nil) throws -> Int {
        guard kind == .package, place.workingSet == nil, place.temporaryFolder == nil, let manifest,
            try wal.hasContent()
        else { return 0 }
        return try OutsideCommits(store: packageStore, storePath: storePath, manifest: manifest, mainFile: mainFile)
            .count()
    }

    /// Turns commits by other programs after the last save into a save of their own, so that the
    /// state before them is kept as a version.
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

    /// The manifest for a state of the store.
    func nextManifest(_ marker: DocumentMarker) throws -> DocumentManifest {
        guard let content, var manifest, let counts = footprint.counts else {
            preconditionFailure("A store by itself has no manifest")
        }
        var modelName = manifest.model.name
        if manifest.model.digest != model.versionHashesDigest {
            manifest.noteFormerModel()
            modelName =
                try place.model(fitting: model.versionHashesByEntityName)?.name ?? manifest.name(of: model)
                ?? PackageBuilder.name(for: model)
        }
        var next = DocumentManifest(
            uuid: uuid, marker: marker, modelName: modelName, model: model, counts: counts,
            storeBytes: try place.storeBytes(), attachments: try footprint.attachments(in: content))
        next.title = manifest.title
        next.keywords = manifest.keywords
        next.formerModels = manifest.formerModels
        if modelName == manifest.model.name, let known = manifest.model.checksum {
            next.model.checksum = known
        } else if let bytes = try place.modelBytes(modelName) {
            next.model.note(bytes)
        }
        return next
    }
}
