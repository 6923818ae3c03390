internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Storage

/// The pages of a package's store, held against what the manifest records of them. Archives have
/// checksums of their own.
extension DocumentSession {
    /// Makes sure that the saved state and its model are what was written, before it is copied or
    /// printed as a whole. Does nothing where nothing is recorded, and where another program has
    /// changed the store through SQLite since. Reads the main file.
    /// - Throws: `DocumentError`: `malformed` where a page was altered, `changed` where another
    ///   program has saved meanwhile.
    package func checkPages() throws {
        if try pageVerdict() == .damaged { throw Self.altered(storePath) }
        // A document that was deleted is copied from what is open of it.
        guard kind == .package, let manifest, manifest.model.checksum != nil, try Disk.kind(of: path) == .directory,
            let contents = try place.modelBytes(manifest.model.name), !manifest.model.fits(contents),
            try place.manifest() == manifest
        else { return }
        throw DocumentError(
            .malformed, "the model is not what was written: its checksum differs",
            path: "\(path)/\(PackageLayout.models)/\(manifest.model.name).xcdatamodel")
    }

    static func altered(_ store: String) -> DocumentError {
        DocumentError(
            .malformed, alteredMessage, path: store, hint: "repair it: that makes a sound document of what it holds")
    }

    static let alteredMessage =
        "its pages are not what the last save wrote: the file is damaged, or was altered past Folio"

    /// How the main file compares with what the manifest records; nil where that says nothing of
    /// it.
    func pageVerdict() throws -> SavedPages.Verdict? {
        guard kind == .package, place.temporaryFolder == nil, workingSet == nil || place.database != nil,
            let sqliteStore, let marker, let manifest,
            marker.generation == manifest.generation, let recorded = manifest.store.pages
        else { return nil }
        let verdict = try sqliteStore.withFiles { try recorded.verdict(onMainFileOf: $0) }
        guard verdict != .same else { return verdict }
        // A checkpoint changes the main file, and the manifest follows.
        guard try place.marker() == marker, try place.manifest() == manifest else {
            throw DocumentError(.changed, "the document was saved by another program while it was read", path: path)
        }
        return verdict
    }

    /// What the manifest is to record of the main file, which has everything that is committed.
    func pagesToRecord(_ marker: DocumentMarker) throws -> SavedPages {
        if let found = keeping.pages(ofGeneration: marker.generation) { return found }
        if let manifest, manifest.generation == marker.generation, let known = manifest.store.pages { return known }
        return try packageStore.withFiles { try SavedPages(of: $0.current) }
    }
}
