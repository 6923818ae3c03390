internal import FileMigration
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

extension DocumentMigrator {
    /// - Parameter keepsOld: Whether the old state is kept, as a version or beside the new one.
    init(_ url: URL, by route: PersistentDocument.MigrationRoute, keepsOld: Bool = true, migratesCopy: Bool = false) {
        self.init(path: LinkResolution.resolve(url.path), model: route.model)
        modelName = route.name
        versions = route.formerVersions
        mappings = route.mappings
        plan = route.plan
        self.migratesCopy = migratesCopy
        policies = route.policies
        sourceModel = .fitting([route.model] + route.formerVersions)
        if keepsOld { backupLabel = { _ in nil } }
    }

    /// Writes a copy of the document, which is not changed, and migrates the copy. After an error
    /// there is no copy.
    func migrateCopy(at target: URL, _ progress: Progress?) async throws -> DocumentMigration {
        _ = try await run(nil) { try $0.preview() }
        try await DocumentOpening.withDocument(at: URL(fileURLWithPath: path), fitting: sourceModel) {
            try await $0.write(to: target, progress: progress)
        }
        do {
            return try await with(path: LinkResolution.resolve(target.path)).run(progress) { try $0.migrate() }
        } catch {
            try? FileManager.default.removeItem(at: target)
            throw error
        }
    }
}
