package import FileSystem
internal import Storage

/// Saving a document that has a working set.
extension DocumentSession {
    var workingSetForm: WorkingSetForm? { form as? WorkingSetForm }
    /// The store as a file of its own, which is to take the place of the one in the archive:
    /// `onOwnStore()` goes on.
    package var ownStore: Replacement? { workingSetForm?.ownStore }
    /// Whether the document was replaced by a save, so that nothing more may be committed here:
    /// `successor()` goes on.
    package var isReplaced: Bool { workingSetForm?.isReplaced ?? false }

    /// Writes the archive anew, with what is committed in the working set (`WorkingSetSave`).
    /// Afterwards nothing more may be committed here: `successor()` goes on.
    /// - Parameter models: The names of models that the new archive does not carry any more.
    package func replaceArchive(dropping models: [String] = []) throws {
        try WorkingSetSave(self).replaceArchive(dropping: models)
    }

    /// Puts a store with what is committed in the working set in the place of the package's
    /// (`WorkingSetSave`). Afterwards nothing more may be committed here: `successor()` goes on.
    /// - Parameter parts: The application's own files, which take their names after the commit.
    package func replaceSharedStore(
        _ parts: CapturedParts = CapturedParts(), dropping models: [String] = [], reason: DocumentVersion.Reason = .save
    ) throws {
        try WorkingSetSave(self).replaceSharedStore(parts, dropping: models, reason: reason)
    }

    /// The session that goes on after `replaceArchive`, on the new archive and with the same lock;
    /// this one is closed.
    /// - Throws: what opening throws; this one can still be read then, and asked again.
    package func successor() throws -> DocumentSession {
        precondition(isReplaced, "Only a save of an archive makes a successor necessary")
        let next = try DocumentError.stage(.opening, path) { [model] in
            try SessionOpener(model: .model(model), recovery: .refuse, following: self).openWithWorkingSet(
                DetectedDocument(path))
        }
        next.lock = lock
        lock = nil
        // Done with; what stays goes with the next opening.
        try? closeStore()
        try? workingSet?.remove()
        return next
    }

    /// The session that goes on with the store that `checkpointAutosavedWork()` wrote as a file,
    /// under the same lock; this one is closed.
    package func onOwnStore() throws -> DocumentSession {
        try workingSetForm?.exchangeOwnStore(self)
        let next = try reopened()
        next.lock = lock
        lock = nil
        return next
    }

    /// Nothing else can go on with the document: what hinders for a moment only must not end it.
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

    /// What follows the exchange of the store: the manifest says what there is now.
    func describeSharedStore() throws {
        guard let package, let marker, kind == .package, marker.isSaved, manifest?.generation != marker.generation
        else { return }
        try DocumentError.stage(.describing, path) {
            try Disk.removeFileIfPresent(FilePath.join(package, PackageLayout.discarded))
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
