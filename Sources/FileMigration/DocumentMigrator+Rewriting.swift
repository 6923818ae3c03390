package import DocumentFiles
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

/// Migration by a new store, which is written beside the old one and replaces it. Used for mapping
/// models, for staged plans, and for stores other than SQLite.
extension DocumentMigrator {
    /// Rewrites the document. The session is closed afterwards, even after an error.
    func rewrite(_ session: DocumentSession, _ builder: MigratedStoreBuilder) throws {
        do {
            switch session.kind {
            case .package: try rewritePackage(session, builder)
            case .archive: try rewriteArchive(session, builder)
            case .store, .managedDocument: try rewriteStore(session, builder)
            }
        } catch {
            if session.isStoreOpen { try? session.close() }
            session.unlock()
            throw error
        }
    }

    /// The replacement of the store's folder is the commit.
    private func rewritePackage(_ session: DocumentSession, _ builder: MigratedStoreBuilder) throws {
        guard let package = session.package else { preconditionFailure("A package is where its document is") }
        let previous = session.marker?.generation, newModel = try writeModel(in: package, session)
        do {
            let trail = trail(of: session)
            try session.closeReplacing(noting: trail) { path in
                try builder.makeStore(at: path)
                try progress?.check()
            }
        } catch {
            if try session.place.storedModelInfo().versionHashes == session.model.versionHashesByEntityName {
                newModel.takeBack()
            }
            throw error
        }
        // The migration is committed. Update the manifest, and remove files that only the old state
        // needed.
        let lock = session.lock
        session.lock = nil
        UnfinishedWork.noting {
            let migrated = try DocumentSession.reopen(session.path, lock: lock, model: .model(model))
            defer { UnfinishedWork.noting { try migrated.close() } }
            try migrated.clearUpAfterMigration(
                package, from: previous, models: newModel.others, keepsOld: backupLabel != nil)
        }
    }

    /// The new store is committed as autosaved work in the working set first. A regular save then
    /// writes the archive.
    private func rewriteArchive(_ session: DocumentSession, _ builder: MigratedStoreBuilder) throws {
        guard let package = session.package, let marker = session.marker, let content = session.content else {
            preconditionFailure("An archive that is edited has a working set and a marker")
        }
        let newModel = try writeModel(in: package, session)
        let trail = trail(of: session)
        // The folder of the store may contain nothing else, so the new store is written elsewhere.
        let folder = FilePath.join(package, PackageLayout.migrated),
            made = FilePath.join(folder, FilePath.name(PackageLayout.store))
        defer { try? Disk.removeTree(folder) }
        try Disk.makeDirectory(folder, mode: 0o700)
        try builder.makeStore(at: made)
        // The marker tells the next opening that there is unsaved work.
        try note(marker.nextAutosave(isUnchecked: false), adding: trail, in: made, content.externalValues)
        try Disk.synchronizeFile(made)
        try progress?.check()
        let lock = session.lock
        session.lock = nil
        do {
            try session.closeStore()
            for suffix in ["-wal", "-shm"] { try Disk.removeFileIfPresent(session.storePath + suffix) }
            try Disk.rename(made, to: session.storePath)
            try Disk.synchronizeDirectory(FilePath.parent(session.storePath))
        } catch {
            try? session.workingSet?.remove()
            lock?.release()
            throw error
        }
        try DocumentSession.reopen(session.path, lock: lock, model: .model(model)).saveMigrationAndClose(
            modelName: newModel.name, replacing: newModel.others, keepsOld: false)
    }

    /// Writes a marker to a closed store of the new version.
    func note(
        _ marker: DocumentMarker, adding metadata: [String: MetadataValue?] = [:], in path: String,
        _ files: ExternalValues
    ) throws {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.createsIfMissing = false
        let store = try SQLitePersistentStore.open(description, model: model, files: files)
        do {
            var changes = ChangeSet()
            changes.metadata = marker.metadata.merging(metadata) { $1 }
            _ = try store.apply(changes)
            try store.closeAsOneFile()
        } catch {
            try? store.close()
            throw error
        }
    }

    /// The replacement of the file is the commit.
    private func rewriteStore(_ session: DocumentSession, _ builder: MigratedStoreBuilder) throws {
        let target = session.storePath, type = session.store.description.type
        let replacement = Replacement(of: target)
        let before = try Disk.identity(of: target)
        defer { session.unlock() }
        do {
            if type == .sqlite {
                try builder.makeStore(at: replacement.temporary)
            } else {
                var description = PersistentStoreDescription(url: URL(fileURLWithPath: replacement.temporary))
                description.type = type
                try builder.makeAtomicStore(description)
            }
            try AccessRights(of: target)?.give(to: replacement.temporary)
            try Disk.synchronizeFile(replacement.temporary)
            try progress?.check()
            try session.closeStore()
            let writer = DocumentWriter(
                target: target, form: .store, replaces: true, model: model, modelName: wantedModelName)
            if type == .sqlite { try writer.clearWALs() }
            try replacement.commit(expecting: before)
            try? Disk.removeTree(replacement.temporary)
            if type == .sqlite { try? writer.removeUnusedValues() }
        } catch {
            try? Disk.removeTree(replacement.temporary)
            throw error
        }
    }

    /// Opens a migrated copy of the document for reading. The copy is written to a temporary
    /// folder; nothing is written to the document or beside it.
    package func view(of state: DocumentState = .newest) throws -> DocumentSession {
        let session = try DocumentSession.read(path, state, model: sourceModel)
        do {
            return try DocumentError.stage(.opening, session.path) {
                let plan = try plan(session)
                guard plan.preview.isNeeded else { return session }
                try checkSpace(in: FileManager.default.temporaryDirectory.path, plan.preview)
                let builder = MigratedStoreBuilder(
                    session, model, plan.way, policies: policies, checksRules: false, progress: progress)
                return try StateOpener(session, model: .model(model)).openMigrated(hasOwnValues: builder.writesValues) {
                    target in
                    let files = builder.writesValues ? ExternalValues.besideStore(at: target) : builder.files
                    try builder.makeStore(at: target, files: files)
                    if let marker = session.marker, builder.writesValues { try note(marker, in: target, files) }
                }
            }
        } catch {
            if session.isStoreOpen { try? session.close() }
            throw error
        }
    }
}
