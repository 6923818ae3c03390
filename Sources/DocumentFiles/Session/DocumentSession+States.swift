internal import FileSystem
internal import Foundation
internal import SQLiteStore
package import Schema
internal import Storage

/// Reading an earlier state of a document. Its store is restored to a temporary folder; its large
/// values are read in place.
extension DocumentSession {
    /// Opens a state of a document for reading. Nothing is written to the document or beside it.
    /// - Throws: `DocumentError` with code `notFound` if there is no such state.
    package static func read(
        _ path: String, _ state: DocumentState, model: ModelChoice
    ) throws -> DocumentSession {
        let session = try read(path, model: model)
        if state == .newest { return session }
        do {
            return try DocumentError.stage(.reading, session.path) {
                guard let marker = session.marker else {
                    throw DocumentError(.unsupported, "a store by itself has one state, the newest", path: session.path)
                }
                switch state {
                case .newest: return session
                case .autosaved:
                    guard session.hasAutosavedWork else {
                        throw DocumentError(.notFound, "there is no autosaved work", path: session.path)
                    }
                    return session
                case .saved: return try session.replacedBySavedState(model)
                case .version(let generation) where generation == marker.generation:
                    return try marker.isSaved ? session : session.replacedByMainFile(model)
                case .version(let generation): return try session.replacedByVersion(generation, model)
                }
            }
        } catch {
            try? session.close()
            throw error
        }
    }

    private func replacedBySavedState(_ model: ModelChoice) throws -> DocumentSession {
        guard hasAutosavedWork else { return self }
        if let lastSave = marker?.lastSave { return try replacedByVersion(lastSave.generation, model) }
        return try replacedByMainFile(model)
    }

    private func replacedByMainFile(_ model: ModelChoice) throws -> DocumentSession {
        try replaced(model) { target, _ in try writeSavedState(to: target) }
    }

    private func replacedByVersion(_ generation: Int, _ model: ModelChoice) throws -> DocumentSession {
        try replaced(model) { target, folder in
            guard let versions = try versions ?? archivedVersions(in: folder),
                let version = try versions.list().last(where: { $0.generation == generation })
            else {
                throw DocumentError(.notFound, "there is no version \(generation)", path: path)
            }
            try restoreVersion(version.number, of: versions, to: target, isDurable: false)
        }
    }

    /// Closes this session and opens one with a store of another model version, which `build`
    /// writes. Large values that `build` writes are beside that store.
    package func replaced(
        byMigrated model: ManagedObjectModel, hasOwnValues: Bool, _ build: (_ path: String) throws -> Void
    ) throws -> DocumentSession {
        let values = content?.externalValues ?? .besideStore(at: storePath)
        return try replaced(.model(model), files: { hasOwnValues ? .besideStore(at: $0) : values }) { path, _ in
            try build(path)
        }
    }

    /// Closes this session and opens one with the store that `build` writes.
    private func replaced(
        _ model: ModelChoice, files: ((String) -> ExternalValues)? = nil,
        _ build: (_ path: String, _ folder: String) throws -> Void
    ) throws -> DocumentSession {
        let folder = try StateFolder.makeTemporary()
        do {
            let place = StoreLocation(copyIn: folder, of: self.place)
            try Disk.makeDirectories(FilePath.parent(place.storePath), mode: 0o700)
            try build(place.storePath, folder)
            let session = try Self.open(copyOf: self, place, model, files: files?(place.storePath))
            try close()
            return session
        } catch {
            StateFolder.removeTemporary(folder)
            throw error
        }
    }

    private static func open(
        copyOf original: DocumentSession, _ place: StoreLocation, _ model: ModelChoice, files: ExternalValues?
    ) throws -> DocumentSession {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: place.storePath))
        description.createsIfMissing = false
        description.isReadOnly = true
        let content = place.content()
        let store =
            try files.map { files in
                try SQLitePersistentStore.open(description, files: files) { signature in
                    try signature.flatMap { try model.model(fitting: $0.versionHashes) }
                }
            } ?? place.open(description, content, model: model)
        do {
            let session = DocumentSession(
                kind: original.kind, path: original.path, isEditing: false, place: place, store: store, content: content
            )
            // A bare store has no marker and only one state.
            guard original.marker != nil else { return session }
            guard let marker = DocumentMarker(try store.metadata()) else {
                throw DocumentError(
                    .malformed, "the version is not that of a document: its metadata lack the marker",
                    path: original.path)
            }
            session.marker = marker
            try session.footprint.count(store)
            session.manifest = original.manifest
            session.manifest = try session.nextManifest(marker)
            return session
        } catch {
            try? store.close()
            throw error
        }
    }
}
