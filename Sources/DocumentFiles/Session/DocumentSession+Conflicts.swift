internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
package import Storage

/// What stands at the document's place is not what is open here: both are looked at, and nothing of
/// the other one is changed but its versions.
extension DocumentSession {
    /// Whether the document that stands at the place now keeps versions.
    package func canKeepAside() throws -> Bool { try kind == .package && DetectedDocument(path).kind == .package }

    /// Makes what was open here, written as a package aside, one of the versions of the document
    /// that stands at the place now.
    package func keepAside(_ package: String) throws -> DocumentVersion? {
        try DocumentError.stage(.versioning, path) {
            let theirs = try Self.read(path, model: .own)
            defer { try? theirs.close() }
            guard let versions = theirs.versions, let content = theirs.content, let previous = theirs.keeping.head,
                var marker = theirs.marker
            else { return nil }
            let store = FilePath.join(package, PackageLayout.store)
            try ContentFolder(inPackage: package).copyValues(to: ContentFolder(inPackage: path))
            try SQLitePersistentStore.setUUID(theirs.uuid, ofStoreAt: store)
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

    /// The last save here, which the edits began with.
    package func savedStore(in folder: String) throws -> any StoreBackend {
        guard let marker else { return store }
        let copy = FilePath.join(folder, "saved.sqlite")
        func lost() -> DocumentError {
            DocumentError(
                .unsupported, "the last save here can't be had any more to merge by", path: path,
                hint: "keep the edits as a copy")
        }
        // Where so much was autosaved that the store took it up, the save is a version, and those
        // at the place are the other document's.
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
                SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: copy)).metadata), written.isSaved,
            written.generation == marker.generation
        else { throw lost() }
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: copy))
        description.createsIfMissing = false
        description.isReadOnly = true
        return try SQLitePersistentStore.open(description, model: model, files: content?.externalValues)
    }
}
