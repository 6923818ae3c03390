internal import FileSystem
internal import Foundation
internal import ModelFiles
internal import SQLiteStore
internal import Schema
package import Storage

extension DocumentSession {
    /// Ends the session and makes an earlier version the saved state, as the next generation. What is saved now is kept as a version first. The lock stays with the caller.
    ///
    /// The commit point is the exchange of the store's folder; whatever fails or crashes before leaves the document as it was. Work that was autosaved and not saved
    /// has to be out of the way.
    package func closeRestoring(_ number: Int) throws {
        guard let versions, let package, let content, let marker, let previous = keptState else {
            throw DocumentError(.unsupported, "it keeps no versions", path: path, stage: .restoring)
        }
        precondition(marker.isSaved, "Autosaved work is saved or set aside before a version is restored")
        try DocumentError.stage(.restoring, path) {
            try keepVersion()
            var next = marker.nextSave(after: takenGeneration())
            next.journal = nil
            try replaceStore { target in
                try restoreVersion(number, of: versions, to: target)
                let before = try contentNames ?? Set(packageStore.externalValueNames().compactMap { UUID(uuidString: $0) })
                let restored = try Self.mark(target, next, content)
                try addModel(restored.model, to: package)
                let references = ContentReferences(from: before, to: restored.names)
                try packageStore.withFiles { files in
                    _ = try versions.keepReplaced(
                        files, saved: next.savedState, previous: keptState ?? previous, reason: .restore, references: references)
                }
            }
        }
    }

    /// Ends the session and puts a store of another version of the model, which `build` makes at a path, in the place of the old one, as the next generation. The old one is
    /// kept as a version. The lock stays with the caller, and so does writing the model.
    ///
    /// The commit point is the exchange of the store's folder, as for a version that is restored.
    package func closeReplacing(noting metadata: [String: MetadataValue?], _ build: (_ path: String) throws -> Void) throws {
        guard let versions, let content, let marker, let previous = keptState else { preconditionFailure("Packages keep versions") }
        precondition(marker.isSaved, "Autosaved work is saved or set aside before a store is replaced")
        try DocumentError.stage(.writing, path) {
            try keepVersion()
            let next = marker.nextSave(after: takenGeneration())
            try replaceStore { target in
                let before = try contentNames ?? Set(packageStore.externalValueNames().compactMap { UUID(uuidString: $0) })
                try build(target)
                let made = try Self.mark(target, next, content, adding: metadata)
                let references = ContentReferences(from: before, to: made.names)
                try packageStore.withFiles { files in
                    _ = try versions.keepReplaced(files, saved: next.savedState, previous: keptState ?? previous, reason: .migration, references: references)
                }
            }
        }
    }

    /// Gives a closed store a marker of its own; answers its model and the large values that it refers to.
    static func mark(
        _ path: String, _ marker: DocumentMarker, _ content: ContentFolder, adding metadata: [String: MetadataValue?] = [:]
    ) throws -> (model: ManagedObjectModel, names: Set<UUID>) {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.createsIfMissing = false
        let store = try SQLitePersistentStore.open(description, files: content.externalValues)
        do {
            var changes = ChangeSet(), marker = marker
            // A version of work that was only autosaved is as invalid as it was.
            let restored = DocumentMarker(try store.metadata())
            marker.isUnchecked = restored?.isUnchecked ?? false
            marker.pending = restored?.pending
            marker.denied = restored?.denied
            changes.metadata = marker.metadata.merging(metadata) { $1 }
            _ = try store.apply(changes)
            let result = (store.identity.model, try Set(store.externalValueNames().compactMap { UUID(uuidString: $0) }))
            try store.closeAsOneFile()
            try Disk.synchronizeFile(path)
            return result
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Makes sure that the package carries the model of what is restored.
    private func addModel(_ model: ManagedObjectModel, to package: String) throws {
        let reader = try PackageReader(package)
        guard try reader.model(fitting: model.versionHashesByEntityName) == nil else { return }
        _ = try ModelFolder.write(model, named: PackageBuilder.name(for: model), to: package, besides: reader.modelNames())
    }

    /// Ends the session without a trace of what was autosaved since the last save: that is set aside, or, where the last save has not reached the main file, gone.
    /// The lock stays with the caller.
    package func closeDiscardingAutosavedWork() throws {
        try DocumentError.stage(.closing, path) {
            if let lastSave = marker?.lastSave { return try closeReturning(to: lastSave) }
            guard let package, let marker, !marker.isSaved else { return try closeStore() }
            if let workingSet {
                // What is in it is the work and nothing else.
                try closeStore()
                return try workingSet.remove()
            }
            if isCheckpointPending {
                // An outside reader may still have the files open: they stay as they are, and the state that the versions lead up to takes their place.
                return try replaceStore { try writeSavedState(to: $0) }
            }
            if try closeStore(alone: { try Self.setAutosavedWorkAside(in: package, savedGeneration: marker.generation) }) { return }
            // Whoever reads goes on by the WAL and its index: these go with the folder that they are in, and the reader with them.
            try replaceStore { try writeSavedState(to: $0) } keeping: { old in
                try Disk.makeDirectories(FilePath.parent(FilePath.join(package, PackageLayout.discarded)), isDurable: true)
                try Disk.rename(FilePath.join(old, FilePath.name(PackageLayout.store) + "-wal"), to: FilePath.join(package, PackageLayout.discarded))
            }
        }
    }

    /// Ends the session with the last save as the newest generation, where the main file has taken up what was autosaved since. That is kept as a version.
    private func closeReturning(to lastSave: DocumentMarker.LastSave) throws {
        func kept() throws -> DocumentVersion? { try versions?.list().last { $0.generation == lastSave.generation } }
        if marker?.isSaved == false {
            versionReason = .autosave
            _ = try commit(ChangeSet(), .unfinishedWork)
        }
        // A fault may have kept the last save from becoming a version: the main file has it still.
        if try kept() == nil { try keepVersion() }
        guard let version = try kept() else {
            throw DocumentError(.malformed, "the last save is not among the versions any more", path: path, hint: "save what there is")
        }
        try closeRestoring(version.number)
    }

    /// Closes the store and puts the one that `build` makes in its place, in a folder of its own: a new store never lies beside an old WAL.
    /// - Parameter keep: Takes out of the folder that was replaced what is worth keeping.
    private func replaceStore(_ build: (_ path: String) throws -> Void, keeping keep: (_ folder: String) throws -> Void = { _ in }) throws {
        guard let package else { preconditionFailure("A store by itself is not replaced") }
        let folder = FilePath.join(package, PackageLayout.storeFolder)
        let before = try Disk.identity(of: folder)
        let replacement = Replacement(of: folder)
        defer { try? Disk.removeTree(replacement.temporary) }
        try Disk.makeDirectory(replacement.temporary)
        try build(FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store)))
        if let mode = try Disk.status(of: FilePath.join(package, PackageLayout.store))?.mode {
            let made = try File(FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store)))
            try made.setMode(mode)
            try made.synchronize()
        }
        try Disk.synchronizeDirectory(replacement.temporary)
        guard try Disk.identity(of: path)?.isSameFile(as: identity) ?? false else {
            throw DocumentError(.changed, "the document was moved or replaced by another program", path: path)
        }
        try closeStore()
        try replacement.commit(expecting: before)
        // The state that was asked for is there: what can't be kept is gone, and told of.
        UnfinishedWork.noting { try keep(replacement.temporary) }
        // Its WAL was on the store that is gone; what stays of it is known by that.
        if place.workingSet != nil { try? workingSet?.remove() }
    }
}

extension FileIdentity {
    fileprivate func isSameFile(as other: FileIdentity?) -> Bool { other.map { isSameFile(as: $0) } ?? false }
}

// MARK: Versions of another model

extension DocumentSession {
    /// Throws where a version can't be shown with this session's model.
    package func checkModel(ofVersion number: Int) throws {
        try withVersion(number) { path in
            let hashes = try SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: path)).versionHashes
            guard !model.isCompatible(withVersionHashes: hashes) else { return }
            let own = model.versionHashesByEntityName
            throw DocumentError(
                .modelMismatch, "the version is of another version of the model", path: path, stage: .restoring,
                entities: Set(hashes.keys).union(own.keys).filter { hashes[$0] != own[$0] }.sorted(), hint: "close the document and restore it then, or copy it")
        }
    }

    /// Runs `body` with the path of a version's store, which is gone afterwards.
    package func withVersion<Result>(_ number: Int, _ body: (String) throws -> Result) throws -> Result {
        guard let versions else { throw DocumentError(.unsupported, "it keeps no versions", path: path, stage: .restoring) }
        return try DocumentError.stage(.restoring, path) {
            let folder = try StateFolder.makeTemporary()
            defer { StateFolder.removeTemporary(folder) }
            let target = FilePath.join(folder, FilePath.name(PackageLayout.store))
            try restoreVersion(number, of: versions, to: target)
            return try body(target)
        }
    }

    /// Makes a version of a document that is closed its saved state again.
    package static func restore(_ path: String, to generation: Int) throws {
        let session = try edit(path, model: { _ in nil }, recovery: .refuse)
        let lock = session.lock
        do {
            guard let versions = session.versions else { throw DocumentError(.unsupported, "it keeps no versions", path: session.path, stage: .restoring) }
            guard session.marker?.generation != generation else { return try session.close() }
            let list = try DocumentError.stage(.restoring, session.path) { try versions.list() }
            guard let version = list.last(where: { $0.generation == generation }) else {
                throw DocumentError(.notFound, "there is no version \(generation)", path: session.path, stage: .restoring)
            }
            try session.closeRestoring(version.number)
        } catch {
            if session.isStoreOpen { try? session.close() } else { lock?.release() }
            throw error
        }
        UnfinishedWork.noting { try reopen(session.path, lock: lock) { _ in nil }.close() }
    }
}
