public import Folio
public import Foundation

extension PersistentDocument {
    /// Writes the objects of the document to a file, which is there whole or not at all.
    ///
    /// Unsaved changes are committed first, as autosaved work. Rows are read in batches, so the
    /// memory that it takes does not grow with the document.
    ///
    /// ```swift
    /// try await document.export(to: url, as: .csv, entity: "Book")
    /// ```
    /// - Parameters:
    ///   - url: The file. One that is there is replaced.
    ///   - format: The format. CSV needs an entity.
    ///   - entity: The entity whose objects are written, without those of its sub-entities; nil for
    ///     all entities.
    ///   - progress: Called after some thousand objects each. What it throws ends the export.
    /// - Throws: `InterchangeError` for an unknown entity, for CSV of several entities, for a
    ///   document with unsaved changes that can't be autosaved, and for a file that can't be
    ///   written; `StorageError` where the store has rows that can't be read. `CancellationError`
    ///   where the task is canceled.
    public func export(
        to url: URL, as format: ExportFormat, entity: String? = nil,
        progress: ((TransferProgress) throws -> Void)? = nil
    ) async throws {
        try await export(toFile: url.path, as: format, entity: entity, progress: progress)
    }

    /// The same for a path as a command line has it.
    package func export(
        toFile path: String, as format: ExportFormat, entity: String?,
        progress: ((TransferProgress) throws -> Void)? = nil
    ) async throws {
        try await commitForExport()
        let file = try OutputFile(path: path, of: [url.path])
        let exporter = try DocumentExporter(store: store, entityName: entity, progress: progress)
        try exporter.write(format, to: file.sink)
        try exporter.checkCompleteness()
        try file.finish()
    }

    /// - Throws: a usage error where the document can't be autosaved.
    private func commitForExport() async throws {
        guard mode == .editing, hasUnsavedChanges else { return }
        do { try await autosave() } catch let error as DocumentError where error.code == .unsupported {
            throw InterchangeError(
                .usage, "unsavedChanges", "there are unsaved changes, which would not be exported", path: url.path,
                hint: "save them first")
        }
    }
}
