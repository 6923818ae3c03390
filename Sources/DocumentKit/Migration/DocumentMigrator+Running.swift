internal import DocumentFiles
internal import Foundation
internal import Schema
internal import Storage

extension DocumentMigrator {
    /// Runs `body` outside of the caller's isolation domain. Cancelling `progress` or the task
    /// cancels the migration.
    @concurrent
    func run<Result: Sendable>(_ progress: Progress?, _ body: @Sendable (DocumentMigrator) throws -> Result)
        async throws -> Result
    {
        let meter = WorkProgress.meter
        let report = MigrationProgress { state in
            meter?.show(state.completed, of: max(1, state.total))
            progress?.totalUnitCount = max(1, state.total)
            progress?.completedUnitCount = state.completed
        }
        progress?.cancellationHandler = { report.cancel() }
        if progress?.isCancelled == true { report.cancel() }
        meter?.setCancellationHandler { report.cancel() }
        defer {
            progress?.cancellationHandler = nil
            meter?.setCancellationHandler(nil)
        }
        var migrator = self
        migrator.progress = report
        let ready = migrator
        return try await withTaskCancellationHandler {
            try body(ready)
        } onCancel: {
            report.cancel()
        }
    }
}

extension PersistentDocument.MigrationRoute {
    /// - Parameter keepsOld: Whether the old state is kept, as a version or beside the new one.
    func migrator(_ url: URL, keepsOld: Bool = true) -> DocumentMigrator {
        var migrator = DocumentMigrator(path: LinkResolution.resolve(url.path), model: model)
        migrator.modelName = name
        migrator.versions = formerVersions
        migrator.mapping = mapping
        migrator.plan = plan
        migrator.policies = policies
        migrator.sourceModel = .fitting([model] + formerVersions)
        if keepsOld { migrator.backupLabel = { _ in nil } }
        return migrator
    }
}
