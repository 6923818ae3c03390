package import DocumentFiles
internal import FileSystem
package import Foundation
package import Migration
internal import ModelFiles
internal import SQLiteStore
package import Schema
package import Storage

/// Migrates a document to another version of its model.
///
/// The commit point is the commit of the store's transaction or, if a new store is written, the
/// replacement of the old one. For an archive it is always the replacement of the archive. A
/// failure or crash before that leaves the document unchanged.
package struct DocumentMigrator: Sendable {
    package private(set) var path: String
    package let model: ManagedObjectModel
    /// The name for the new version; nil for its first version identifier.
    package var modelName: String?
    /// Possible intermediate versions between the old one and the new one.
    package var versions: [ManagedObjectModel] = []
    /// Whether a document with a version that is not among `versions` is treated as one of a newer
    /// program.
    package var refusesUnknownVersions = false
    /// The mapping models of which each step takes the one that is for its versions; without one it
    /// is inferred.
    package var mappings: [MappingModel] = []
    /// The policies that mappings name, by name.
    package var policies: [String: EntityMigrationPolicy.Type] = [:]
    /// The versions and the stages between them, instead of `mapping` and inference. Stored as a
    /// type, because the migration manager that it creates is not `Sendable`.
    package var plan: (any SchemaMigrationPlan.Type)?
    /// Whether a migration may drop entities that have objects and are not named by a mapping, or
    /// all entities.
    package var allowsLoss = true
    /// Whether a copy of the document is migrated, so that the document need not be writable.
    package var migratesCopy = false
    /// Returns the name of the old version from its version hashes, for the backup of a store or an
    /// archive. Nil keeps no backup. A package keeps its old state as a version instead.
    package var backupLabel: (@Sendable ([String: Data]) -> String?)?
    package var progress: MigrationProgress?
    /// The model of a store that contains none.
    package var sourceModel = ModelChoice.own
    /// The treatment of autosaved work of a former editor.
    package var recovery = DocumentRecovery.refuse
    /// Returns the free space of the file system that contains a path.
    package var availableBytes: @Sendable (String) throws -> Int64 = { try Disk.availableBytes(at: $0) }

    package init(path: String, model: ManagedObjectModel) {
        self.path = path
        self.model = model
    }

    /// A copy of this migrator for another document.
    package func with(path: String) -> DocumentMigrator {
        var other = self
        other.path = path
        return other
    }

    /// A preview of `migrate`. Nothing is written, and no rows are checked.
    package func preview(of state: DocumentState = .newest) throws -> DocumentMigration {
        let session = try DocumentSession.read(path, state, model: sourceModel)
        defer { try? session.close() }
        return try DocumentError.stage(.opening, path) { try plan(session).preview }
    }

    /// Migrates the document in place.
    /// - Throws: `MigrationError` if no migration leads to the new version; `DocumentError`:
    ///   `newer` if the document was migrated from the new version before, `inputOutput` if the
    ///   disk space is not sufficient; `StorageError` or `ValidationError` for objects that the new
    ///   version does not allow.
    package func migrate() throws -> DocumentMigration {
        try refuseLocked()
        let session = try openSession()
        var isOpen = true
        defer { if isOpen { try? session.close() } }
        return try DocumentError.stage(.writing, path) {
            try session.checkPages()
            let plan = try plan(session)
            var result = plan.preview
            guard result.isNeeded else { return result }
            try refuseLoss(result)
            try checkSpace(in: FilePath.parent(session.path), result)
            try progress?.check()
            let generation = session.kind == .package ? session.marker?.generation : nil
            var isBackupNew = false
            if let generation, backupLabel != nil {
                result.backup = "\(session.path)@\(generation)"
            } else if let backupLabel {
                let hashes = session.model.versionHashesByEntityName
                let backup = try DocumentBackup(session).make(
                    label: result.from ?? backupLabel(hashes) ?? session.model.backupLabel)
                (result.backup, isBackupNew) = (backup.path, backup.isNew)
            }
            isOpen = false
            do {
                switch plan.way {
                case .inPlace(let plans) where session.sqliteStore != nil:
                    result.steps =
                        session.package == nil ? try migrateStore(session, plans) : try migratePackage(session, plans)
                case let way:
                    try rewrite(
                        session, MigratedStoreBuilder(session, model, way, policies: policies, progress: progress))
                }
            } catch {
                // Nothing was changed, so the backup is not needed.
                if let backup = result.backup, isBackupNew { try? DocumentBackup.remove(backup) }
                throw error
            }
            return result
        }
    }

    /// Opens the document for editing. If an earlier migration was interrupted between its commit
    /// and its save, the autosaved result is discarded and the migration is done again.
    private func openSession() throws -> DocumentSession {
        let session = try openUnsettled()
        do {
            // The migration commits to the store without the session.
            try session.settleWorkingSet()
            return session
        } catch {
            try? session.close()
            throw error
        }
    }

    private func openUnsettled() throws -> DocumentSession {
        do {
            return try DocumentSession.edit(path, model: sourceModel, recovery: recovery)
        } catch let error as DocumentError where error.code == .recoverable && recovery == .refuse {
            guard (try? isMigrationUnfinished()) == true else { throw error }
            return try DocumentSession.edit(path, model: sourceModel, recovery: .discard)
        }
    }

    /// Whether the autosaved state has another version than the saved state. Only an interrupted
    /// migration causes this, never an editor.
    func isMigrationUnfinished() throws -> Bool {
        let newest = try DocumentSession.read(path, model: sourceModel)
        let hashes = newest.model.versionHashesByEntityName
        try newest.close()
        let saved = try DocumentSession.read(path, .saved, model: sourceModel)
        defer { try? saved.close() }
        return saved.model.versionHashesByEntityName != hashes
    }

    // MARK: Planning

    typealias Plan = (way: MigratedStoreBuilder.Way, preview: DocumentMigration)

    func plan(_ session: DocumentSession) throws -> Plan {
        try refuseNewer(session)
        let (way, mappingCount) = try way(from: session.model)
        var preview = DocumentMigration(from: session.manifest?.model.name, stages: 0, steps: [])
        let size = try session.place.storeBytes() + (Disk.status(of: session.storePath + "-wal")?.size ?? 0)
        switch way {
        case .staged(let stages):
            preview.losses = try MigrationLosses(of: session.store, by: stages.steps.map(\.plan)).found()
            preview.stages = stages.steps.count
            preview.isInPlace = false
            preview.steps = stages.titles
            preview.rows = Int64(clamping: try EntityCounts(counting: session.store).total) * Int64(stages.steps.count)
            // The copy and its WAL.
            preview.bytes = 3 * size
        case .inPlace(let plans):
            preview.stages = plans.count
            guard !plans.isEmpty else { break }
            preview.losses = try MigrationLosses(of: session.store, by: plans).found()
            let isEverything = plans.reduce(Set(session.model.entities.indices)) { indices, plan in
                Set(indices.compactMap { plan.destinationIndices[$0] })
            }.isEmpty
            let mapping = mappingCount > 0 ? mappings.first { $0.fits(from: session.model, to: model) } : nil
            preview.losesObjects =
                plan == nil && (isEverything || !unreported(preview.losses, session.store, mapping).isEmpty)
            if session.sqliteStore == nil {
                preview.steps = [
                    "write the objects anew, migrated, as a store of type \(session.store.description.type.rawValue)"
                ]
                preview.rows = Int64(clamping: try EntityCounts(counting: session.store).total)
                preview.bytes = 3 * size
                break
            }
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: session.storePath))
            description.isReadOnly = true
            let report = try SQLitePersistentStore.migrationPreview(
                description, plans, in: session.place.database, files: session.content?.externalValues)
            (preview.steps, preview.rows, preview.bytes) = (report.steps, report.rows, report.bytes)
        case .mapped(let steps):
            let losses = MappedLosses(of: session.store, by: steps)
            preview.stages = steps.count
            preview.isInPlace = false
            (preview.losses, preview.losesObjects) = (try losses.found(), try losses.losesObjects())
            preview.steps = steps.flatMap(Self.titles)
            preview.rows =
                Int64(clamping: try EntityCounts(counting: session.store).total) * Int64(clamping: steps.count)
            preview.bytes = 3 * size
        case .byObjects(let mapping):
            preview.stages = 1
            preview.isInPlace = false
            preview.losses = try MappingLosses(of: session.store, by: mapping).found()
            let isEverything = !mapping.entityMappings.contains {
                $0.sourceEntityName != nil && $0.destinationEntityName != nil && $0.kind != .remove
            }
            preview.losesObjects = isEverything || !unreported(preview.losses, session.store, mapping).isEmpty
            preview.steps = mapping.entityMappings.compactMap { Self.title(of: $0) }
            preview.rows = Int64(clamping: try EntityCounts(counting: session.store).total)
            preview.bytes = 2 * size
        }
        preview.mappingCount = mappingCount
        preview.isInferredBesideMappings = mappingCount == 0 && !mappings.isEmpty && preview.isNeeded
        if preview.isNeeded {
            var plans: [MigrationPlan] = []
            if case .inPlace(let chain) = way { plans = chain }
            preview.difference = ModelDifference.following(plans, from: session.model, to: model)
        }
        // A package keeps the pages that change as a version; other forms keep a copy of the whole
        // document.
        if backupLabel != nil || session.kind == .archive {
            preview.bytes += session.kind == .package ? min(preview.bytes, size) : size
        }
        return (way, preview)
    }

    /// - Returns: The way, and how many mapping models it goes by.
    /// - Throws: `MigrationError` if no migration leads to the new version.
    private func way(from old: ManagedObjectModel) throws -> (MigratedStoreBuilder.Way, mappingCount: Int) {
        if model.isCompatible(withVersionHashes: old.versionHashesByEntityName) { return (.inPlace([]), 0) }
        if let plan {
            let manager = try plan.migrationManager()
            let steps = try manager.steps(fromVersionHashes: old.versionHashesByEntityName)
            return StagedSteps.areInferred(steps)
                ? (.inPlace(steps.map(\.plan)), 0)
                : (.staged(StagedSteps(steps: steps, classes: manager.versionClasses)), 0)
        }
        guard !mappings.isEmpty else {
            return (.inPlace(try MigrationChain.plans(from: old, to: model, through: versions)), 0)
        }
        let steps = try MigrationWay.steps(from: old, to: model, through: versions, by: mappings)
        let mapped = steps.filter { $0.mapping != nil }
        if mapped.isEmpty { return (.inPlace(steps.compactMap(\.plan)), 0) }
        for step in mapped where step.plan == nil { try step.mapping?.requirePolicies(among: policies) }
        guard steps.count == 1, let mapping = mapped[0].mapping else { return (.mapped(steps), mapped.count) }
        return (mapped[0].plan.map { .inPlace([$0]) } ?? .byObjects(mapping), 1)
    }

    private static func titles(of step: VersionStep) -> [String] {
        guard step.plan == nil, let mapping = step.mapping else {
            return ["bring the objects to the next version"]
        }
        return mapping.entityMappings.compactMap { title(of: $0) }
    }

    private static func title(of mapping: EntityMapping) -> String? {
        switch (mapping.sourceEntityName, mapping.destinationEntityName) {
        case (let old?, let new?) where mapping.kind != .add && mapping.kind != .remove:
            "make objects of \(new) from \(old) (\(mapping.name))"
        case (let old?, _): "leave out the objects of \(old)"
        default: nil
        }
    }

    /// Entities with objects that would be lost unintentionally. A mapping model drops the entities
    /// that it names intentionally.
    private func unreported(
        _ losses: [DocumentMigration.Loss], _ store: any StoreBackend, _ mapping: MappingModel?
    ) -> [DocumentMigration.Loss] {
        guard let mapping else { return losses.filter { $0.property == nil && $0.count > 0 } }
        return MappingLosses(of: store, by: mapping).unnamed(among: losses)
    }

    // MARK: Checking

    func refuseLoss(_ migration: DocumentMigration) throws(MigrationError) {
        guard allowsLoss || !migration.losesObjects else { throw Self.refusal(of: migration) }
    }

    private static func refusal(of migration: DocumentMigration) -> MigrationError {
        let objects = migration.losses.filter { $0.property == nil }
        let shown =
            objects.prefix(10).map(\.description).joined(separator: ", ")
            + (objects.count > 10 ? " and \(objects.count - 10) more" : "")
        var error = MigrationError(
            .lossy,
            "The new version has no place for \(shown.isEmpty ? "any entity of the document" : shown)"
                + (migration.isInferredBesideMappings ? ", and no mapping model is for the way to it" : ""))
        error.losses = objects.map(\.entity)
        return error
    }

    /// Checks the disk space before anything is written.
    func checkSpace(in folder: String, _ migration: DocumentMigration) throws {
        let available = try availableBytes(folder)
        guard available < migration.bytes else { return }
        func text(_ bytes: Int64) -> String { "\((bytes + (1 << 20) - 1) >> 20) MiB" }
        throw DocumentError(
            .inputOutput,
            "there is not enough room to migrate it: up to \(text(migration.bytes)) are needed, \(text(available)) are free",
            path: path, stage: .writing,
            hint: "make room, or migrate it into a copy elsewhere")
    }

    // MARK: Migration in place

    private func migrateStore(_ session: DocumentSession, _ plans: [MigrationPlan]) throws -> [String] {
        defer { session.unlock() }
        try session.store.close()
        // Checkpoint commits of other programs into the main file first. This also fails early if
        // another process has the store open.
        if try StoreWAL(ofStoreAt: session.storePath).hasContent() {
            try SQLiteStoreFile(session.storePath).checkpointWAL()
        }
        var description = session.store.description
        description.createsIfMissing = false
        return try SQLitePersistentStore.migrate(description, plans, progress: progress).steps
    }

    /// The migrated state is committed as autosaved work first, in the WAL only. A regular save
    /// then makes it the saved state.
    private func migratePackage(_ session: DocumentSession, _ plans: [MigrationPlan]) throws -> [String] {
        guard let package = session.package, let marker = session.marker, let content = session.content else {
            preconditionFailure("A document in a package has a marker and a folder for its values")
        }
        let lock = session.lock
        session.lock = nil
        var released = false
        defer { if !released { lock?.release() } }
        let trail = trail(of: session), newModel = try writeModel(in: package, session)
        do {
            try session.store.close()
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: session.storePath))
            description.createsIfMissing = false
            description.journal = .heldByDocument
            let report = try SQLitePersistentStore.migrate(
                description, plans, in: session.place.database, files: content.externalValues,
                metadata: marker.nextAutosave(isUnchecked: false).metadata.merging(trail) { $1 }, progress: progress)
            released = true
            try DocumentSession.reopen(session.path, lock: lock, model: .model(model)).saveMigrationAndClose(
                modelName: newModel.name, replacing: newModel.others, keepsOld: backupLabel != nil)
            return report.steps
        } catch {
            if try session.place.storedModelInfo().versionHashes == session.model.versionHashesByEntityName {
                newModel.takeBack()
            }
            if !released {
                // Reopening and closing removes what the transaction left in the WAL.
                released = true
                try? DocumentSession.reopen(session.path, lock: lock, model: .model(session.model)).close()
            }
            throw error
        }
    }
}

extension DocumentSession {
    /// Makes the migrated state the saved one, and closes the session. A migrated state that can't
    /// be saved is discarded.
    func saveMigrationAndClose(modelName: String, replacing old: [String], keepsOld: Bool) throws {
        do {
            try saveMigration(modelName: modelName, replacing: old, keepsOld: keepsOld)
        } catch {
            try? closeDiscardingAutosavedWork()
            try? workingSet?.remove()
            unlock()
            throw error
        }
        UnfinishedWork.noting { try close() }
    }

    /// Makes the migrated state the saved one, and removes the models of the old state.
    private func saveMigration(modelName: String, replacing old: [String], keepsOld: Bool) throws {
        guard let package else { return }
        manifest?.noteFormerModel()
        manifest?.model.name = modelName
        manifest?.model.checksum = nil
        if workingSet != nil {
            if kind == .package { return try replaceSharedStore(dropping: old, reason: .migration) }
            return try replaceArchive(dropping: old)
        }
        willSave(for: .migration)
        let previous = marker?.generation
        _ = try commit(ChangeSet(), .save)
        UnfinishedWork.noting {
            try finishSave()
            try clearUpAfterMigration(package, from: previous, models: old, keepsOld: keepsOld)
        }
    }

    /// Removes the files that only the old state needed.
    func clearUpAfterMigration(_ package: String, from previous: Int?, models old: [String], keepsOld: Bool) throws {
        if !keepsOld, let versions, let old = try versions.list().last(where: { $0.generation == previous }) {
            try versions.remove([old.number])
        }
        guard !isCheckpointPending else { return }
        for name in old { ModelFolder(name, in: package).remove() }
    }
}

extension ManagedObjectModel {
    /// A label for a version without a name: a version identifier, or part of its checksum.
    fileprivate var backupLabel: String {
        let identifier = definition.versionIdentifiers.first { PackageLayout.isModelName($0) }
        return identifier ?? String(versionChecksum.filter(\.isLetter).prefix(8))
    }
}
