internal import FileSystem
package import Foundation
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

    /// The package of a store, by git's name of the file; nil for a file that is not the store of a
    /// package. An empty path is the top of the repository.
    package static func package(ofStore name: String) -> String? {
        if name == PackageLayout.store { return "" }
        guard name.hasSuffix("/" + PackageLayout.store) else { return nil }
        return String(name.dropLast(PackageLayout.store.utf8.count + 1))
    }

    /// Whether a file that git hands over is the store of a package, which notes what is to be
    /// decided.
    package static func keepsConflicts(_ path: String, named name: String) -> Bool {
        guard package(ofStore: name) != nil, let metadata = try? SQLiteStoreFile(path).modelInfo().metadata else {
            return false
        }
        return DocumentMarker(metadata) != nil
    }

    /// The conflicts that the package of a store had to decide before the merge, if its store does
    /// not say them. Git merges in the top folder of the work tree.
    package static func conflictList(ofStore path: String, named name: String) -> Data? {
        guard let package = package(ofStore: name), let metadata = try? SQLiteStoreFile(path).modelInfo().metadata,
            metadata[DocumentSession.conflictListKey] == nil
        else { return nil }
        let path = FilePath.join(package.isEmpty ? "." : package, "\(PackageLayout.extra)/\(PackageLayout.conflicts)")
        return (try? Disk.read(path, limit: JSONCoding.maximumSize)).map { Data($0) }
    }

    /// Notes in the store of a package, which was merged as a store by itself, that it is a saved
    /// state of its document. Does nothing to a store that is none of a package.
    /// - Parameter conflicts: The list of conflicts to decide; nil for none.
    package static func noteMerge(_ ours: String, _ theirs: String, _ notes: [MergeNote], conflicts: Data?) throws {
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
            if let conflicts { changes.metadata[DocumentSession.conflictListKey] = .data(conflicts) }
            _ = try store.apply(changes)
            try store.closeAsOneFile()
        } catch {
            try? store.close()
            throw error
        }
    }
}
