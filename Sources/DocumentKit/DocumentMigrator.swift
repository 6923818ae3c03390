internal import FileSystem
package import Foundation
internal import Migration
internal import ModelFiles
internal import SQLiteStore
package import Schema
package import Storage

/// What a document's migration did, or would do.
package struct DocumentMigration: Sendable, Hashable {
    /// The name of the version that the document was of, where it is known.
    package var from: String?
    /// How many inferred migrations follow one another.
    package var stages: Int
    /// One line for each step.
    package var steps: [String]
    /// Where the old state is kept, if it is.
    package var backup: String?

    package var isNeeded: Bool { stages > 0 }
}

/// Brings a document to another version of its model.
///
/// The commit point is the commit of the store's transaction (of an archive: its replacement); whatever fails or crashes before leaves the document as it was.
package struct DocumentMigrator: Sendable {
    package let path: String
    package let model: ManagedObjectModel
    /// The name for the new version; nil for its first version identifier.
    package var modelName: String?
    /// Versions that may stand between the old one and the new one.
    package var versions: [ManagedObjectModel] = []
    /// The name of the old version in what keeps the old state of a store or an archive; nil keeps none. A package keeps it as a version.
    package var backupLabel: (@Sendable ([String: Data]) -> String?)?
    package var progress: MigrationProgress?
    /// The model of a store that carries none.
    package var sourceModel: @Sendable ([String: Data]) throws -> ManagedObjectModel? = { _ in nil }

    package init(path: String, model: ManagedObjectModel) {
        self.path = path
        self.model = model
    }

    /// What `migrate` would do. Nothing is written.
    package func preview() throws -> DocumentMigration {
        let session = try DocumentSession.read(path, model: sourceModel)
        defer { try? session.close() }
        return try DocumentError.stage(.opening, path) {
            let plans = try MigrationChain.plans(from: session.model, to: model, through: versions)
            if !plans.isEmpty { try checkKind(session) }
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: session.storePath))
            description.isReadOnly = true
            let steps = try plans.first.map { try SQLitePersistentStore.migrationPreview(description, $0, in: session.place.database).steps } ?? []
            return DocumentMigration(from: session.manifest?.model.name, stages: plans.count, steps: steps, backup: nil)
        }
    }

    /// Migrates the document where it is.
    /// - Throws: `MigrationError` where no way leads to the new version; `DocumentError`; `StorageError` for objects that the new version does not allow.
    package func migrate() throws -> DocumentMigration {
        let session = try DocumentSession.edit(path, model: sourceModel, recovery: .refuse)
        var isOpen = true
        defer { if isOpen { try? session.close() } }
        return try DocumentError.stage(.writing, path) {
            let plans = try MigrationChain.plans(from: session.model, to: model, through: versions)
            var result = DocumentMigration(from: session.manifest?.model.name, stages: plans.count, steps: [], backup: nil)
            guard !plans.isEmpty else { return result }
            try checkKind(session)
            let generation = session.kind == .package ? session.marker?.generation : nil
            if let generation, backupLabel != nil {
                result.backup = "\(session.path)@\(generation)"
            } else if let backupLabel {
                let hashes = session.model.versionHashesByEntityName
                result.backup = try DocumentBackup(session).make(label: result.from ?? backupLabel(hashes) ?? session.model.backupLabel)
            }
            isOpen = false
            do {
                result.steps = session.package == nil ? try migrateStore(session, plans) : try migratePackage(session, plans)
            } catch {
                // Nothing has changed, so nothing has to be kept.
                if let backup = result.backup, generation == nil { try? DocumentBackup.remove(backup) }
                throw error
            }
            return result
        }
    }

    private func checkKind(_ session: DocumentSession) throws {
        guard session.sqliteStore == nil else { return }
        throw DocumentError(
            .unsupported, "a store of type \(session.store.description.type.rawValue) by itself is not migrated", path: path,
            hint: "save it as a package, and migrate that")
    }

    private func migrateStore(_ session: DocumentSession, _ plans: [MigrationPlan]) throws -> [String] {
        defer { session.unlock() }
        try session.store.close()
        var description = session.store.description
        description.createsIfMissing = false
        return try SQLitePersistentStore.migrate(description, plans, progress: progress).steps
    }

    /// The migrated state is autosaved work at first, in the WAL alone, and becomes the saved state by a save like any other.
    private func migratePackage(_ session: DocumentSession, _ plans: [MigrationPlan]) throws -> [String] {
        guard let package = session.package, let marker = session.marker, let content = session.content else {
            preconditionFailure("A document in a package has a marker and a folder for its values")
        }
        let lock = session.lock
        session.lock = nil
        var released = false
        defer { if !released { lock?.release() } }
        let old = try session.place.modelNames()
        let wanted = modelName.flatMap { PackageLayout.isModelName($0) ? $0 : nil } ?? PackageBuilder.name(for: model)
        let name = try Self.writeModel(model, named: wanted, to: package, besides: old)
        do {
            try session.store.close()
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: session.storePath))
            description.createsIfMissing = false
            description.journal = .heldByDocument
            let report = try SQLitePersistentStore.migrate(
                description, plans, in: session.place.database, files: content.externalValues, metadata: marker.nextAutosave(isUnchecked: false).metadata, progress: progress)
            released = true
            let migrated = try DocumentSession.reopen(session.path, lock: lock) { [model] _ in model }
            do {
                try migrated.saveMigration(modelName: name, replacing: old, keepsOld: backupLabel != nil)
                try migrated.close()
            } catch {
                // What could not become the saved state is given up as a whole.
                try? migrated.closeDiscardingAutosavedWork()
                try? migrated.workingSet?.remove()
                migrated.unlock()
                throw error
            }
            return report.steps
        } catch {
            if try session.place.storedModelInfo().versionHashes == session.model.versionHashesByEntityName {
                try? Disk.removeTree(Self.folder(name, in: package))
            }
            throw error
        }
    }

    /// Writes a model durably beside those that are there, under a name that is free.
    static func writeModel(_ model: ManagedObjectModel, named wanted: String, to package: String, besides old: [String]) throws -> String {
        var name = wanted, number = 2
        while old.contains(name) {
            name = "\(wanted) \(number)"
            number += 1
        }
        let folder = folder(name, in: package)
        // The working set of an archive has no models of its own yet.
        try Disk.makeDirectories(folder)
        try Disk.replaceFile(folder + "/contents", with: Array(ModelContents.encode(model)))
        try Disk.synchronizeTree(folder)
        try Disk.synchronizeDirectory(FilePath.parent(folder))
        return name
    }

    static func folder(_ name: String, in package: String) -> String { "\(package)/\(PackageLayout.models)/\(name).xcdatamodel" }
}

extension DocumentSession {
    /// Makes the migrated state the saved one; then the models that it is not of can go.
    fileprivate func saveMigration(modelName: String, replacing old: [String], keepsOld: Bool) throws {
        guard let package else { return }
        manifest?.model.name = modelName
        if workingSet != nil { return try replaceArchive(dropping: old) }
        versionReason = .migration
        let previous = marker?.generation
        _ = try commit(ChangeSet(), .save)
        try finishSave()
        if !keepsOld, let versions, let old = try versions.list().last(where: { $0.generation == previous }) { try versions.remove([old.number]) }
        guard !isCheckpointPending else { return }
        for name in old { try Disk.removeTree(DocumentMigrator.folder(name, in: package)) }
    }
}

extension ManagedObjectModel {
    /// What tells the version apart where it has no name.
    fileprivate var backupLabel: String {
        let identifier = description.versionIdentifiers.first { PackageLayout.isModelName($0) }
        return identifier ?? String(versionChecksum.filter(\.isLetter).prefix(8))
    }
}
