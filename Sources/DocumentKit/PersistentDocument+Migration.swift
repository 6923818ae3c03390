public import Foundation
public import Schema
internal import Storage

extension PersistentDocument {
    /// Brings a document that nobody has open to another version of its model. The old state is kept: a package as a version, everything else as a copy beside it.
    ///
    /// ```swift
    /// try await PersistentDocument.migrate(url, to: newModel)
    /// ```
    /// - Parameters:
    ///   - name: The name of the version; nil for its first version identifier.
    ///   - versions: Versions that may stand between the document's and the new one.
    ///   - progress: Told how far it has come; cancelling it leaves the document as it was.
    /// - Throws: `MigrationError` where no way leads to the new version; `DocumentError`, `recoverable` where there is work that was never saved; `StorageError` for objects
    ///   that the new version does not allow, and with code `cancelled`.
    @concurrent
    public static func migrate(
        _ url: URL, to model: ManagedObjectModel, named name: String? = nil, through versions: [ManagedObjectModel] = [], progress: Progress? = nil
    ) async throws {
        let report = MigrationProgress { state in
            progress?.totalUnitCount = max(1, state.total)
            progress?.completedUnitCount = state.completed
        }
        progress?.cancellationHandler = { report.cancel() }
        if progress?.isCancelled == true { report.cancel() }
        defer { progress?.cancellationHandler = nil }
        var migrator = DocumentMigrator(path: LinkResolution.resolve(url.path), model: model)
        migrator.modelName = name
        migrator.versions = versions
        migrator.backupLabel = { _ in nil }
        migrator.progress = report
        try await withTaskCancellationHandler {
            _ = try migrator.migrate()
        } onCancel: {
            report.cancel()
        }
    }
}
