internal import FileSystem
internal import Schema
internal import Storage

/// How much an open document holds, as its manifest records it: kept up by what is committed, and
/// found anew where it is not known.
struct Footprint {
    /// Objects by entity; nil where they have to be counted.
    private(set) var counts: EntityCounts?
    /// What they were before the pieces that are not committed; nil where there are none.
    private var countsBeforePieces: EntityCounts?
    /// Number and size of the large values; nil where they have to be counted.
    private var attachments: DocumentManifest.Attachments?
    /// What the manifest records of the application's files and previews, as they are; nil where
    /// they have to be read.
    private var files: FileSums.Recorded?

    /// Takes what a manifest says, as far as it knows of everything that the store's last commit
    /// made.
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

    /// Changes were written that the next commit commits.
    mutating func didWritePiece(_ changes: ChangeSet, _ receipt: SaveReceipt) {
        countsBeforePieces = countsBeforePieces ?? counts
        counts?.apply(changes, receipt)
    }

    mutating func didAbandonPieces() {
        counts = countsBeforePieces ?? counts
        countsBeforePieces = nil
    }

    /// Large values came or went unseen.
    mutating func forgetAttachments() { attachments = nil }

    mutating func attachments(in content: ContentFolder) throws -> DocumentManifest.Attachments {
        if content.takeHasNewFiles() { attachments = nil }
        let found = try attachments ?? content.attachments()
        attachments = found
        return found
    }

    /// What a manifest is to record of a package's files, which have their names; nil where they
    /// are too many or can't be read.
    mutating func fileSums(inPackage package: String?) -> FileSums.Recorded? {
        if files == nil, let package { files = try? FileSums.recorded(inPackage: package) }
        return files
    }

    /// Runs `body`, which gives staged files their names: until all have theirs it is not known
    /// which are there.
    mutating func place(_ staged: StagedParts, _ body: () throws -> Void) throws {
        var sums = files
        files = nil
        try body()
        for file in staged.files { sums?[FilePath.join(file.folder, file.name)] = file.sum }
        files = sums
    }
}
