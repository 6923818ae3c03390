internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
package import Storage

/// Operations for a conflict, when the document at the path is not the one that is open here. Both
/// are read; of the other document, only the versions are changed.
extension DocumentSession {
    /// Whether the document that is now at the path keeps versions.
    package func canKeepAside() throws -> Bool { try kind == .package && DetectedDocument(path).kind == .package }

    /// Adds the state that was open here, which was written to a temporary package, as a version to
    /// the document that is now at the path.
    package func keepAside(_ package: String) throws -> DocumentVersion? {
        try DocumentError.stage(.versioning, path) {
            let theirs = try Self.read(path, model: .own)
            defer { try? theirs.close() }
            guard let versions = theirs.versions, let content = theirs.content, let previous = theirs.keeping.head,
                var marker = theirs.marker
            else { return nil }
            let store = FilePath.join(package, PackageLayout.store)
            try ContentFolder(inPackage: package).copyValues(to: ContentFolder(inPackage: path))
            try SQLiteStoreFile(store).setUUID(theirs.uuid)
            marker.generation = max(marker.generation, try versions.lastGeneration())
            marker.lastSave = nil
            var own = marker.nextSave()
            own.journal = nil
            let names = try StoreExchange.mark(store, own, content).names
            let used = try theirs.packageStore.contentNames()
            return try theirs.packageStore.withFiles { files in
                try versions.keepAside(
                    store, files, state: own.savedState, previous: previous, reason: .conflict,
                    references: ContentReferences(from: names, to: used))
            }
        }
    }

    /// The last save of this session's document, on which the edits are based.
    package func savedStore(in folder: String) throws -> any StoreBackend {
        guard let marker else { return store }
        let copy = FilePath.join(folder, "saved.sqlite")
        func lost() -> DocumentError {
            DocumentError(
                .unsupported, "the last save here can't be had any more to merge by", path: path,
                hint: "keep the edits as a copy")
        }
        // If autosaved work was checkpointed into the store, the save is only a version, and the
        // versions at the path belong to the other document.
        guard marker.lastSave == nil, !isCheckpointPending || place.archive != nil else { throw lost() }
        if let archive = place.archive {
            try archive.takeOutStore(to: copy)
        } else {
            try packageStore.withFiles { files in
                let file = try File(copy, .create())
                defer { file.close() }
                _ = try files.state(at: nil).write(to: file)
            }
        }
        guard
            let written = try DocumentMarker(
                SQLiteStoreFile(copy).modelInfo().metadata), written.isSaved,
            written.generation == marker.generation
        else { throw lost() }
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: copy))
        description.createsIfMissing = false
        description.isReadOnly = true
        return try SQLitePersistentStore.open(description, model: model, files: content?.externalValues)
    }
}
