internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// Parts of a package that git merges one by one, as files of their own.
package enum GitParts {
    /// Makes the manifest at `ours` that of a merged package: it says nothing of what it can't
    /// know, which the next save notes again.
    ///
    /// It has the older generation of the two. So it belongs to the merged store, whose generation
    /// comes after both, and also to the store of either side, which stays where the store has a
    /// conflict: a manifest may be older than its store, but not newer.
    package static func mergeManifests(_ ours: String, _ theirs: String) throws {
        func manifest(_ path: String) throws -> DocumentManifest {
            try DocumentManifest.decode(Disk.read(path, limit: JSONCoding.maximumSize), path: path)
        }
        var merged = try manifest(ours)
        merged.generation = try min(merged.generation, manifest(theirs).generation)
        merged.forgetSums()
        merged.forgetCounts()
        try Disk.replaceFile(ours, with: merged.encoded)
    }

    /// Notes in the store of a package, which was merged as a store by itself, that it is a saved
    /// state of its document. Does nothing to a store that is none of a package.
    package static func noteMerge(_ ours: String, _ theirs: String, _ notes: [MergeNote]) throws {
        func marker(_ path: String) throws -> DocumentMarker? {
            try DocumentMarker(SQLiteStoreFile(path).modelInfo().metadata)
        }
        let found = try DetectedDocument(ours)
        guard found.kind == .store, found.storeType == .sqlite, let own = try marker(ours),
            let other = try marker(theirs)
        else { return }
        var next = own.nextSave(after: other.generation)
        next.journal = nil
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: ours))
        description.createsIfMissing = false
        let store = try SQLitePersistentStore.open(description, model: nil)
        do {
            var changes = ChangeSet()
            changes.metadata = next.metadata
            let known = MergeNote.notes(in: try store.metadata())
            changes.metadata[MergeNote.metadataKey] = MergeNote.value(known + notes.filter { !known.contains($0) })
            _ = try store.apply(changes)
            try store.closeAsOneFile()
        } catch {
            try? store.close()
            throw error
        }
    }
}
