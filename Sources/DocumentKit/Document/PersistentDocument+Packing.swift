public import DocumentFiles
public import Foundation

extension PersistentDocument {
    /// Makes an archive of a package that is not open, file by file: the same document, UUID and
    /// all, in one zip file. The store is copied unopened.
    ///
    /// The same package gives the same bytes, whenever and wherever it is packed. A save that has
    /// not reached the store's main file is folded in.
    ///
    ///     try await PersistentDocument.pack(package, to: archive) { done, total in print(done * 100 / max(1, total), "%") }
    ///
    /// - Parameters:
    ///   - withVersions: Whether earlier versions go along; they show text that was deleted since.
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    ///   - progress: Told the bytes done and the bytes in all, on the packing thread.
    /// - Throws: `DocumentError`: `usage` for what is no package, `locked` while somebody edits it,
    ///   `recoverable` where autosaved work was never saved, `cannotCreate`, `malformed`…;
    ///   `CancellationError` when the task is cancelled. Nothing is left then, and what was at
    ///   `archive` is still there.
    ///
    /// Costs reading and writing every byte once.
    @concurrent @discardableResult
    public static func pack(
        _ package: URL, to archive: URL, withVersions: Bool = false, replacing: Bool = false,
        progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws -> PackingReport {
        try DocumentPacking.pack(
            package, to: archive, withVersions: withVersions, replacing: replacing, isDryRun: false, progress: progress)
    }

    /// Makes a package of an archive that is not open, file by file: the same document, UUID and
    /// all, as a folder. The store is copied unopened.
    ///
    ///     try await PersistentDocument.unpack(archive, to: package)
    ///
    /// - Parameters:
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    ///   - progress: Told the bytes done and the bytes in all, on the unpacking thread.
    /// - Throws: As `pack`; `malformed` where anything in the archive is not as it should be.
    ///
    /// Costs reading and writing every byte once.
    @concurrent @discardableResult
    public static func unpack(
        _ archive: URL, to package: URL, replacing: Bool = false, progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws -> PackingReport {
        try DocumentPacking.unpack(archive, to: package, replacing: replacing, isDryRun: false, progress: progress)
    }
}
