public import DocumentFiles
public import Foundation

extension PersistentDocument {
    /// Packs a package that is not open into an archive: the same document, with the same UUID, in
    /// one zip file.
    ///
    /// The store is copied without opening it. The result is reproducible: the same package always
    /// gives the same bytes. A WAL is checkpointed into the copy of the store.
    ///
    ///     try await PersistentDocument.pack(package, to: archive) { done, total in print(done * 100 / max(1, total), "%") }
    ///
    /// - Parameters:
    ///   - withVersions: Whether earlier versions are included. They may contain content that was
    ///     deleted since.
    ///   - replacing: Whether an existing document is replaced, atomically.
    ///   - progress: Called with the number of bytes done and in total, on the thread that packs.
    /// - Throws: `DocumentError`: `usage` if the document is not a package, `locked` while it is
    ///   being edited, `recoverable` if there is autosaved work that was never saved,
    ///   `cannotCreate`, `malformed` and others; `CancellationError` if the task is cancelled. No
    ///   archive is left then, and an existing document at `archive` is unchanged.
    ///
    /// Every byte is read and written once.
    @concurrent @discardableResult
    public static func pack(
        _ package: URL, to archive: URL, withVersions: Bool = false, replacing: Bool = false,
        progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws -> PackingReport {
        try DocumentPacking.pack(
            package, to: archive, withVersions: withVersions, replacing: replacing, isDryRun: false, progress: progress)
    }

    /// Unpacks an archive that is not open into a package: the same document, with the same UUID,
    /// as a folder. The store is copied without opening it.
    ///
    ///     try await PersistentDocument.unpack(archive, to: package)
    ///
    /// - Parameters:
    ///   - replacing: Whether an existing document is replaced, atomically.
    ///   - progress: Called with the number of bytes done and in total, on the thread that unpacks.
    /// - Throws: The errors of ``pack(_:to:withVersions:replacing:progress:)``; `malformed` if
    ///   anything in the archive is invalid.
    ///
    /// Every byte is read and written once.
    @concurrent @discardableResult
    public static func unpack(
        _ archive: URL, to package: URL, replacing: Bool = false, progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws -> PackingReport {
        try DocumentPacking.unpack(archive, to: package, replacing: replacing, isDryRun: false, progress: progress)
    }
}
