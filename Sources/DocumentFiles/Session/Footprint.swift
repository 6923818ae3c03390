internal import FileSystem
internal import Schema
internal import Storage

/// The amount of content in an open document, as recorded in the manifest. It is updated with each
/// commit, and determined again if it is not known.
struct Footprint {
    /// The number of objects by entity; nil if they have to be counted.
    private(set) var counts: EntityCounts?
    /// The counts before the uncommitted pieces; nil if there are none.
    private var countsBeforePieces: EntityCounts?
    /// The number and size of the large values; nil if they have to be determined.
    private var attachments: DocumentManifest.Attachments?
    /// The checksums of the application's files and previews; nil if the files have to be read.
    private var files: FileSums.Recorded?

    /// Takes the values of a manifest, as far as they describe the state of the store's last
    /// commit.
    mutating func take(_ manifest: DocumentManifest, at marker: DocumentMarker, _ model: ManagedObjectModel) {
        guard marker.generation == manifest.generation else { return }
        files = manifest.files
        guard marker.isSaved, manifest.hasCounts else { return }
        counts = EntityCounts(model, manifest: manifest.entities)
        attachments = manifest.attachments
    }

    /// Counts the objects of a store.
    mutating func count(_ store: any StoreBackend) throws { counts = try EntityCounts(counting: store) }

    mutating func didCommit(_ changes: ChangeSet, _ receipt: SaveReceipt) {
        countsBeforePieces = nil
        counts?.apply(changes, receipt)
    }

    /// Called after changes were written that the next commit includes.
    mutating func didWritePiece(_ changes: ChangeSet, _ receipt: SaveReceipt) {
        countsBeforePieces = countsBeforePieces ?? counts
        counts?.apply(changes, receipt)
    }

    mutating func didAbandonPieces() {
        counts = countsBeforePieces ?? counts
        countsBeforePieces = nil
    }

    /// Discards the number and size of the large values, after a change that was not counted.
    mutating func forgetAttachments() { attachments = nil }

    mutating func attachments(in content: ContentFolder) throws -> DocumentManifest.Attachments {
        if content.takeHasNewFiles() { attachments = nil }
        let found = try attachments ?? content.attachments()
        attachments = found
        return found
    }

    /// The checksums to record for a package's files; nil if there are too many or they can't be
    /// read.
    mutating func fileSums(inPackage package: String?) -> FileSums.Recorded? {
        if files == nil, let package { files = try? FileSums.recorded(inPackage: package) }
        return files
    }

    /// Runs `body`, which moves staged files into place. If it fails, the checksums are unknown,
    /// because some of the files may have been replaced.
    mutating func place(_ staged: StagedParts, _ body: () throws -> Void) throws {
        var sums = files
        files = nil
        try body()
        for file in staged.files { sums?[FilePath.join(file.folder, file.name)] = file.sum }
        files = sums
    }
}
