internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Migration
internal import SQLiteStore
internal import Storage

/// A dry run: everything that the run checks, and nothing that it writes.
extension DocumentMigrator {
    /// A preview of `migrate` that fails where the migration would fail.
    ///
    /// The rows are checked where they are, or in a temporary copy that is really migrated: for a
    /// chain of versions, a mapping model without policies, and stores other than SQLite. Policies
    /// and handlers of an application are not run.
    ///
    /// - Throws: The errors of ``migrate()``.
    package func rehearse() throws -> DocumentMigration {
        if !migratesCopy {
            try refuseLocked()
            try DocumentLock.check(LinkResolution.resolve(path))
        }
        do {
            if !migratesCopy { try EditingCheck.check(path, recovery: recovery, fitting: sourceModel) }
        } catch let error as DocumentError where error.code == .recoverable {
            guard (try? isMigrationUnfinished()) == true else { throw error }
        }
        let session = try DocumentSession.read(path, model: sourceModel)
        defer { try? session.close() }
        return try DocumentError.stage(.writing, path) {
            try session.checkPages()
            let plan = try plan(session)
            guard plan.preview.isNeeded else { return plan.preview }
            try refuseLoss(plan.preview)
            try checkSpace(in: FilePath.parent(session.path), plan.preview)
            try rehearse(plan.way, session)
            return plan.preview
        }
    }

    func refuseLocked() throws {
        guard DocumentPermissions.isLocked(LinkResolution.resolve(path)) else { return }
        throw DocumentError(
            .permission, "the document is locked against editing", path: path, stage: .opening,
            hint: "unlock it, or migrate it into a copy")
    }

    /// - Throws: The error with which the migration would refuse the rows.
    func rehearse(_ way: MigratedStoreBuilder.Way, _ session: DocumentSession) throws {
        switch way {
        case .inPlace(let plans):
            if session.sqliteStore != nil {
                var description = PersistentStoreDescription(url: URL(fileURLWithPath: session.storePath))
                description.isReadOnly = true
                let isChecked = try SQLitePersistentStore.checkMigration(
                    description, plans, in: session.place.database, files: session.content?.externalValues)
                if isChecked { return }
            }
        case .byObjects(let mapping):
            guard mapping.entityMappings.allSatisfy({ $0.migrationPolicyName == nil }) else { return }
        case .mapped(let steps):
            let mappings = steps.compactMap(\.mapping).flatMap(\.entityMappings)
            guard mappings.allSatisfy({ $0.migrationPolicyName == nil }) else { return }
        case .staged: return
        }
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        let builder = MigratedStoreBuilder(session, model, way, policies: policies, progress: progress)
        let target = FilePath.join(folder, FilePath.name(PackageLayout.store))
        try builder.makeStore(at: target, files: builder.writesValues ? .besideStore(at: target) : builder.files)
    }
}
