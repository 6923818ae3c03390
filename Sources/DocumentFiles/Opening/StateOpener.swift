internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

/// Opens an earlier state of a document for reading, in place of a session that has the newest one.
/// The store of that state is written to a temporary folder; its large values are read in place.
///
/// Each method that returns another session has closed the one that it replaces. After an error
/// that one is still open.
package struct StateOpener {
    private let session: DocumentSession
    private let model: ModelChoice

    /// - Parameter model: The model of the state.
    package init(_ session: DocumentSession, model: ModelChoice) {
        self.session = session
        self.model = model
    }

    /// - Throws: `DocumentError` with code `notFound` if there is no such state.
    func open(_ state: DocumentState) throws -> DocumentSession {
        if state == .newest { return session }
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
            case .saved: return try openSavedState()
            case .version(let generation) where generation == marker.generation,
                .base(let generation) where generation == marker.generation:
                return try marker.isSaved ? session : openMainFile()
            case .version(let generation): return try openVersion(generation)
            case .base(let generation): return try openVersion(generation, isBase: true)
            }
        }
    }

    private func openSavedState() throws -> DocumentSession {
        guard session.hasAutosavedWork else { return session }
        if let lastSave = session.marker?.lastSave { return try openVersion(lastSave.generation) }
        return try openMainFile()
    }

    private func openMainFile() throws -> DocumentSession {
        try openStore { target, _ in try session.writeSavedState(to: target) }
    }

    private func openVersion(_ generation: Int, isBase: Bool = false) throws -> DocumentSession {
        try openStore { target, folder in
            let kept = try session.versions ?? session.archivedVersions(in: folder)
            guard let versions = try kept ?? (isBase ? session.archivedMergeStates(in: folder) : nil),
                let version = try versions.list().last(where: { $0.generation == generation })
            else {
                throw DocumentError(.notFound, "there is no version \(generation)", path: session.path)
            }
            try session.restoreVersion(version.number, of: versions, to: target, isDurable: false)
        }
    }

    /// Opens a store of another version of the model, which `build` writes.
    /// - Parameter hasOwnValues: Whether `build` writes large values, beside that store.
    package func openMigrated(hasOwnValues: Bool, _ build: (_ path: String) throws -> Void) throws -> DocumentSession {
        let values = session.content?.externalValues ?? .besideStore(at: session.storePath)
        return try openStore(files: { hasOwnValues ? .besideStore(at: $0) : values }) { path, _ in try build(path) }
    }

    /// Opens the store that `build` writes.
    private func openStore(
        files: ((String) -> ExternalValues)? = nil, _ build: (_ path: String, _ folder: String) throws -> Void
    ) throws -> DocumentSession {
        let folder = try StateFolder.makeTemporary()
        do {
            let place = StoreLocation(copyIn: folder, of: session.place)
            try Disk.makeDirectories(FilePath.parent(place.storePath), mode: 0o700)
            try build(place.storePath, folder)
            let copy = try openCopy(place, files: files?(place.storePath))
            try session.close()
            return copy
        } catch {
            StateFolder.removeTemporary(folder)
            throw error
        }
    }

    private func openCopy(_ place: StoreLocation, files: ExternalValues?) throws -> DocumentSession {
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
            let copy = DocumentSession(
                kind: session.kind, path: session.path, isEditing: false, place: place, store: store, content: content)
            // A bare store has no marker and only one state.
            guard session.marker != nil else { return copy }
            guard let marker = DocumentMarker(try store.metadata()) else {
                throw DocumentError(
                    .malformed, "the version is not that of a document: its metadata lack the marker",
                    path: session.path)
            }
            copy.marker = marker
            try copy.footprint.count(store)
            copy.manifest = session.manifest
            copy.manifest = try copy.nextManifest(marker)
            return copy
        } catch {
            try? store.close()
            throw error
        }
    }
}
