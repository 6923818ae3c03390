internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// Saving a package where a WAL must not lie.
extension DocumentSession {
    /// Puts a store with what is committed in the working set in the place of the package's, as one exchange of the store's folder: that is the commit point of the save. What was
    /// committed before is autosaved work until then. Afterwards nothing more may be committed here: `successor()` goes on.
    /// - Parameter parts: The application's own files, which take their names after the commit.
    package func replaceSharedStore(_ parts: CapturedParts = CapturedParts(), dropping models: [String] = [], reason: DocumentVersion.Reason = .save) throws {
        guard let origin, let workingSet, let marker, let package, let versions, let previous = keptState else {
            preconditionFailure("Only a package that is edited by a working set gets its store replaced by a save")
        }
        var next = marker.isSaved ? marker : marker.nextSave()
        next.journal = nil
        let folder = FilePath.join(package, PackageLayout.storeFolder), main = FilePath.join(package, PackageLayout.store)
        let before = try Disk.identity(of: folder)
        let replacement = Replacement(of: folder)
        // What it replaced, once that is done.
        defer { try? Disk.removeTree(replacement.temporary) }
        let staged = try stage(parts)
        defer { staged.remove() }
        let made = FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store))
        let state = try DocumentError.stage(.writing, path) {
            // Put together where a WAL may lie.
            let staging = FilePath.join(FilePath.parent(workingSet.path), ".\(FilePath.name(workingSet.path)).tmp-\(UniqueName.make())")
            defer { try? Disk.removeTree(staging) }
            try Disk.makeDirectory(staging, mode: 0o700)
            let copy = FilePath.join(staging, FilePath.name(PackageLayout.store))
            try copyStore(to: copy, next)
            try Disk.makeDirectory(replacement.temporary)
            try Disk.copyFile(copy, to: made)
            if let mode = try Disk.status(of: main)?.mode { try Disk.setMode(mode, of: made) }
            try Disk.synchronizeFile(made)
            try Disk.synchronizeDirectory(replacement.temporary)
            return try WorkingSetOrigin.state(ofStore: made)
        }
        try DocumentError.stage(.versioning, path) {
            let names = try referencesToKeep()
            let references = names.map { ContentReferences(from: $0.before, to: $0.after) } ?? ContentReferences()
            if place.database != nil {
                try packageStore.withFiles { files in
                    _ = try versions.keepReplaced(files, saved: next.savedState, previous: previous, reason: reason, references: references)
                }
            } else {
                // The working set's own store has taken up autosaved work; nobody has the package's open.
                try versions.keepReplaced(main, saved: next.savedState, previous: previous, reason: reason, references: references)
            }
        }
        try DocumentError.stage(.replacing, path) {
            try WorkProgress.check()
            try WorkingSetOrigin(path: path, state: origin, pending: state).write(in: workingSet.path)
            guard try Disk.identity(of: main) == origin.identity, let identity, try Disk.identity(of: path)?.isSameFile(as: identity) == true else {
                throw DocumentError(.changed, "the document was changed by another program", path: path, hint: "save it as another document")
            }
            try replacement.commit(expecting: before)
        }
        self.origin = state
        // From here on the save stands; the next opening finishes the rest.
        isReplaced = true
        self.marker = next
        unfinishedSave = place(staged)
        do {
            try describeSharedStore()
            for name in models { ModelFolder(name, in: package).remove() }
            try pruneVersions()
        } catch {
            unfinishedSave = unfinishedSave ?? error
        }
    }

    /// What follows the exchange of the store: the manifest says what there is now.
    func describeSharedStore() throws {
        guard let package, let marker, workingSet != nil, kind == .package, marker.isSaved, manifest?.generation != marker.generation else { return }
        try DocumentError.stage(.describing, path) {
            try Disk.removeFileIfPresent(FilePath.join(package, PackageLayout.discarded))
            var next = try nextManifest(marker)
            let store = FilePath.join(package, PackageLayout.store)
            next.store.bytes = try Disk.status(of: store)?.size ?? 0
            next.store.pages = try SavedPages(ofFileAt: store)
            next.files = filesToRecord()
            try Disk.replaceFile(FilePath.join(package, PackageLayout.manifest), with: next.encoded)
            manifest = next
        }
    }
}
