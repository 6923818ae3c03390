internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Storage

/// Comparing the pages of a package's store with the record in the manifest. Archives have their
/// own checksums.
extension DocumentSession {
    /// Checks that the saved state and its model were not altered, before the whole document is
    /// copied or printed. Does nothing if no checksum is recorded, or if another program has
    /// changed the store through SQLite since. Reads the main file.
    /// - Throws: `DocumentError`: `malformed` if a page was altered, `changed` if another program
    ///   has saved meanwhile.
    package func checkPages() throws {
        if try pageVerdict() == .damaged { throw Self.altered(storePath) }
        // A package that was deleted while it is open has no files on disk.
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

    /// The result of comparing the main file with the manifest; nil if the manifest does not
    /// describe it.
    func pageVerdict() throws -> SavedPages.Verdict? {
        guard kind == .package, place.temporaryFolder == nil, workingSet == nil || place.database != nil,
            let sqliteStore, let marker, let manifest,
            marker.generation == manifest.generation, let recorded = manifest.store.pages
        else { return nil }
        let verdict = try sqliteStore.withFiles { try recorded.verdict(onMainFileOf: $0) }
        guard verdict != .same else { return verdict }
        // The mismatch may result from a checkpoint, after which the manifest is updated.
        guard try place.marker() == marker, try place.manifest() == manifest else {
            throw DocumentError(.changed, "the document was saved by another program while it was read", path: path)
        }
        return verdict
    }

    /// The pages to record in the manifest for a main file that contains all commits.
    func pagesToRecord(_ marker: DocumentMarker) throws -> SavedPages {
        if let found = keeping.pages(ofGeneration: marker.generation) { return found }
        if let manifest, manifest.generation == marker.generation, let known = manifest.store.pages { return known }
        return try packageStore.withFiles { try SavedPages(of: $0.current) }
    }
}
