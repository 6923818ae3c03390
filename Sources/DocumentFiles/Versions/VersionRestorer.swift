internal import FileSystem
internal import Foundation
internal import ModelFiles
internal import SQLiteStore
internal import Schema
internal import Storage

/// Restores earlier versions of the document of a session.
package struct VersionRestorer {
    private let session: DocumentSession

    package init(_ session: DocumentSession) { self.session = session }

    /// Closes the session and makes an earlier version the saved state, as the next generation. The
    /// current saved state is kept as a version first. The caller keeps the lock.
    ///
    /// The commit point is the replacement of the store's folder. A failure or crash before that
    /// leaves the document unchanged. There must be no unsaved autosaved work.
    package func closeRestoring(_ number: Int) throws {
        guard let versions = session.versions, let package = session.package, let content = session.content else {
            throw DocumentError(.unsupported, "it keeps no versions", path: session.path, stage: .restoring)
        }
        try DocumentError.stage(.restoring, session.path) {
            try StoreExchange(session: session).makeNextGeneration(for: .restore) { target, marker in
                try session.restoreVersion(number, of: versions, to: target)
                let restored = try StoreExchange.mark(
                    target, marker, content, holding: GreatestKeys(of: session.packageStore))
                try addModel(restored.model, to: package)
                return restored.names
            }
        }
    }

    /// Makes sure that the package contains the model of a restored version.
    private func addModel(_ model: ManagedObjectModel, to package: String) throws {
        let reader = try PackageReader(package)
        guard try reader.model(fitting: model.versionHashesByEntityName) == nil else { return }
        _ = try ModelFolder.write(
            model, named: session.manifest?.name(of: model) ?? PackageBuilder.name(for: model), to: package,
            besides: reader.modelNames())
    }

    /// Throws if a version has another model version than this session.
    package func checkModel(of number: Int) throws {
        try withStore(of: number) { path in
            let hashes = try SQLiteStoreFile(path).modelInfo().versionHashes
            guard !session.model.isCompatible(withVersionHashes: hashes) else { return }
            let own = session.model.versionHashesByEntityName
            throw DocumentError(
                .modelMismatch, "the version is of another version of the model", path: session.path, stage: .restoring,
                entities: Set(hashes.keys).union(own.keys).filter { hashes[$0] != own[$0] }.sorted(),
                hint: "close the document and restore it then, or copy it")
        }
    }

    /// Runs `body` with the path of a version's store. The store is deleted afterwards.
    package func withStore<Result>(of number: Int, _ body: (String) throws -> Result) throws -> Result {
        guard let versions = session.versions else {
            throw DocumentError(.unsupported, "it keeps no versions", path: session.path, stage: .restoring)
        }
        return try DocumentError.stage(.restoring, session.path) {
            let folder = try StateFolder.makeTemporary()
            defer { StateFolder.removeTemporary(folder) }
            let target = FilePath.join(folder, FilePath.name(PackageLayout.store))
            try session.restoreVersion(number, of: versions, to: target)
            return try body(target)
        }
    }

    /// Throws the errors with which ``restore(_:to:)`` refuses a version, and writes nothing.
    package static func checkRestoring(_ path: String, to generation: Int) throws {
        let session = try DocumentSession.read(path, model: .own)
        defer { try? session.close() }
        guard let versions = session.versions else {
            throw DocumentError(.unsupported, "it keeps no versions", path: session.path, stage: .restoring)
        }
        guard session.marker?.generation != generation else { return }
        let list = try DocumentError.stage(.restoring, session.path) { try versions.list() }
        guard list.contains(where: { $0.generation == generation }) else {
            throw DocumentError(.notFound, "there is no version \(generation)", path: session.path, stage: .restoring)
        }
    }

    /// Makes a version the saved state of a document that is not open.
    /// - Returns: False if it is the saved state already.
    package static func restore(_ path: String, to generation: Int) throws -> Bool {
        let session = try DocumentSession.edit(path, model: .own, recovery: .refuse)
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
            try VersionRestorer(session).closeRestoring(version.number)
        } catch {
            if session.isStoreOpen { try? session.close() } else { lock?.release() }
            throw error
        }
        UnfinishedWork.noting { try DocumentSession.reopen(session.path, lock: lock, model: .own).close() }
        return true
    }
}
