package import FileSystem
internal import Storage

/// Saving a document that has a working set.
extension DocumentSession {
    var workingSetForm: WorkingSetForm? { form as? WorkingSetForm }
    /// The copy of the store that will replace the one in the document: continue with
    /// `onOwnStore()`.
    package var ownStore: Replacement? { workingSetForm?.ownStore }
    /// Whether a save has replaced the document. Nothing may be committed to this session then:
    /// continue with `successor()`.
    package var isReplaced: Bool { workingSetForm?.isReplaced ?? false }

    /// Writes a new archive with the state of the working set (`WorkingSetSave`). Nothing may be
    /// committed to this session afterwards: continue with `successor()`.
    /// - Parameter models: The names of models that the new archive does not contain any more.
    package func replaceArchive(dropping models: [String] = []) throws {
        try WorkingSetSave(self).replaceArchive(dropping: models)
    }

    /// Replaces the package's store by one with the state of the working set (`WorkingSetSave`).
    /// Nothing may be committed to this session afterwards: continue with `successor()`.
    /// - Parameter parts: The files of the application, which are moved into place after the
    ///   commit.
    package func replaceSharedStore(
        _ parts: CapturedParts = CapturedParts(), dropping models: [String] = [], reason: DocumentVersion.Reason = .save
    ) throws {
        try WorkingSetSave(self).replaceSharedStore(parts, dropping: models, reason: reason)
    }

    /// Opens a session for the new archive after `replaceArchive`, with the same lock, and closes
    /// this one.
    /// - Throws: The errors of opening. This session can then still be read, and the call can be
    ///   repeated.
    package func successor() throws -> DocumentSession {
        precondition(isReplaced, "Only a save of an archive makes a successor necessary")
        let next = try DocumentError.stage(.opening, path) { [model] in
            try SessionOpener(model: .model(model), recovery: .refuse, following: self).openWithWorkingSet(
                DetectedDocument(path))
        }
        next.keeping.follow(keeping)
        next.lock = lock
        lock = nil
        // If this fails, the next opening cleans up.
        try? closeStore()
        try? workingSet?.remove()
        return next
    }

    /// Opens a session with the copy of the store that `checkpointAutosavedWork()` wrote, with the
    /// same lock, and closes this one.
    package func onOwnStore() throws -> DocumentSession {
        try workingSetForm?.exchangeOwnStore(self)
        let next = try reopened()
        next.keeping.follow(keeping)
        next.lock = lock
        lock = nil
        return next
    }

    /// Opens the document again, with several attempts: the old session can't be continued, so a
    /// temporary error must not end the document's session.
    private func reopened(attempts: Int = 3) throws -> DocumentSession {
        do {
            return try DocumentError.stage(.opening, path) { [model] in
                try SessionOpener(model: .model(model), recovery: .keep, following: self).openWithWorkingSet(
                    DetectedDocument(path))
            }
        } catch  where attempts > 1 {
            return try reopened(attempts: attempts - 1)
        }
    }

    /// Writes the manifest after the replacement of the store.
    func describeSharedStore() throws {
        guard let package, let marker, kind == .package, marker.isSaved, manifest?.generation != marker.generation
        else { return }
        try DocumentError.stage(.describing, path) {
            if try Disk.removeFileIfPresent(FilePath.join(package, PackageLayout.discarded)) {
                keeping.noteUnusedContent()
            }
            var next = try nextManifest(marker)
            let store = FilePath.join(package, PackageLayout.store)
            next.store.bytes = try Disk.status(of: store)?.size ?? 0
            next.store.pages = try SavedPages(ofFileAt: store)
            next.files = footprint.fileSums(inPackage: package)
            try Disk.replaceFile(FilePath.join(package, PackageLayout.manifest), with: next.encoded)
            manifest = next
        }
    }
}
