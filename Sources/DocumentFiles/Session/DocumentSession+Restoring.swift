internal import FileSystem
internal import Foundation
internal import ModelFiles
internal import SQLiteStore
internal import Schema
package import Storage

extension DocumentSession {
    /// Closes the session and makes an earlier version the saved state, as the next generation. The
    /// current saved state is kept as a version first. The caller keeps the lock.
    ///
    /// The commit point is the replacement of the store's folder. A failure or crash before that
    /// leaves the document unchanged. There must be no unsaved autosaved work.
    package func closeRestoring(_ number: Int) throws {
        guard let versions, let package, let content else {
            throw DocumentError(.unsupported, "it keeps no versions", path: path, stage: .restoring)
        }
        try DocumentError.stage(.restoring, path) {
            try StoreExchange(session: self).makeNextGeneration(for: .restore) { target, marker in
                try restoreVersion(number, of: versions, to: target)
                let restored = try StoreExchange.mark(target, marker, content)
                try addModel(restored.model, to: package)
                return restored.names
            }
        }
    }

    /// Closes the session and replaces the store by one with another version of the model, which
    /// `build` writes to a path, as the next generation. The old store is kept as a version. The
    /// caller keeps the lock, and writes the model.
    package func closeReplacing(noting metadata: [String: MetadataValue?], _ build: (_ path: String) throws -> Void)
        throws
    {
        guard let content else { preconditionFailure("Packages keep versions") }
        try DocumentError.stage(.writing, path) {
            try StoreExchange(session: self).makeNextGeneration(for: .migration) { target, marker in
                try build(target)
                return try StoreExchange.mark(target, marker, content, adding: metadata).names
            }
        }
    }

    /// Makes sure that the package contains the model of a restored version.
    private func addModel(_ model: ManagedObjectModel, to package: String) throws {
        let reader = try PackageReader(package)
        guard try reader.model(fitting: model.versionHashesByEntityName) == nil else { return }
        _ = try ModelFolder.write(
            model, named: manifest?.name(of: model) ?? PackageBuilder.name(for: model), to: package,
            besides: reader.modelNames())
    }

    /// Closes the session and discards the work that was autosaved since the last save. The work is
    /// set aside, or lost if the last save is not in the main file yet. The caller keeps the lock.
    package func closeDiscardingAutosavedWork() throws {
        try DocumentError.stage(.closing, path) {
            if let lastSave = marker?.lastSave { return try closeReturning(to: lastSave) }
            guard package != nil, let marker, !marker.isSaved else { return try closeStore() }
            try form.closeDiscarding(self, marker)
        }
    }

    /// Closes the session and makes the last save the newest generation again, if autosaved work
    /// was checkpointed into the main file. That work is kept as a version.
    private func closeReturning(to lastSave: DocumentMarker.LastSave) throws {
        func kept() throws -> DocumentVersion? { try versions?.list().last { $0.generation == lastSave.generation } }
        if marker?.isSaved == false {
            _ = try commit(ChangeSet(), .unfinishedWork)
        }
        // If keeping the last save as a version failed before, the main file still contains it.
        if try kept() == nil { try keepVersion() }
        guard let version = try kept() else {
            throw DocumentError(
                .malformed, "the last save is not among the versions any more", path: path, hint: "save what there is")
        }
        try closeRestoring(version.number)
    }
}

// MARK: Versions of another model

extension DocumentSession {
    /// Throws if a version has another model version than this session.
    package func checkModel(ofVersion number: Int) throws {
        try withVersion(number) { path in
            let hashes = try SQLiteStoreFile(path).modelInfo().versionHashes
            guard !model.isCompatible(withVersionHashes: hashes) else { return }
            let own = model.versionHashesByEntityName
            throw DocumentError(
                .modelMismatch, "the version is of another version of the model", path: path, stage: .restoring,
                entities: Set(hashes.keys).union(own.keys).filter { hashes[$0] != own[$0] }.sorted(),
                hint: "close the document and restore it then, or copy it")
        }
    }

    /// Runs `body` with the path of a version's store. The store is deleted afterwards.
    package func withVersion<Result>(_ number: Int, _ body: (String) throws -> Result) throws -> Result {
        guard let versions else {
            throw DocumentError(.unsupported, "it keeps no versions", path: path, stage: .restoring)
        }
        return try DocumentError.stage(.restoring, path) {
            let folder = try StateFolder.makeTemporary()
            defer { StateFolder.removeTemporary(folder) }
            let target = FilePath.join(folder, FilePath.name(PackageLayout.store))
            try restoreVersion(number, of: versions, to: target)
            return try body(target)
        }
    }

    /// Makes a version the saved state of a document that is not open.
    /// - Returns: False if it is the saved state already.
    package static func restore(_ path: String, to generation: Int) throws -> Bool {
        let session = try edit(path, model: .own, recovery: .refuse)
        let lock = session.lock
        do {
            guard let versions = session.versions else {
                throw DocumentError(.unsupported, "it keeps no versions", path: session.path, stage: .restoring)
            }
            guard session.marker?.generation != generation else {
                try session.close()
                return false
            }
            let list = try DocumentError.stage(.restoring, session.path) { try versions.list() }
            guard let version = list.last(where: { $0.generation == generation }) else {
                throw DocumentError(
                    .notFound, "there is no version \(generation)", path: session.path, stage: .restoring)
            }
            try session.closeRestoring(version.number)
        } catch {
            if session.isStoreOpen { try? session.close() } else { lock?.release() }
            throw error
        }
        UnfinishedWork.noting { try reopen(session.path, lock: lock, model: .own).close() }
        return true
    }
}
