import Foundation
public import Migration
public import ObjectGraph
import Schema
import SQLiteStore
public import Storage

extension StagedMigrationManager {
    /// Migrates a store to the newest version, from whichever version it has. Does nothing for a
    /// store of the newest version.
    ///
    /// In a SQLite store every step is one transaction, and the handlers of custom stages save on
    /// their own. If a step fails or is cancelled, the store is consistent and has the version of
    /// the last completed step; the next call continues from there. A `didMigrate` handler that did
    /// not complete is run again, so it must tolerate that. An XML or a binary store is replaced
    /// after the last stage, or stays as it was.
    ///
    /// - Parameter classes: The classes of the objects that handlers receive, if the versions are
    ///   not declared by a ``VersionedSchema``.
    /// - Returns: The names of the executed stages.
    /// - Throws: ``MigrationError`` with code `missingModel` for a store of an unknown version;
    ///   `StorageError`, with code `invalidObjects` where objects break a rule that is new, even
    ///   after the handler; errors of handlers.
    @discardableResult
    public func migrateStore(
        at description: PersistentStoreDescription, classes: [String: ManagedObject.Type] = [:],
        progress: MigrationProgress? = nil
    ) throws -> [String] {
        guard description.type == .sqlite else { return try rewriteStore(description, classes, progress) }
        let info = try SQLiteStoreFile(description.url).modelInfo()
        var names: [String] = []
        if case .string(let pending)? = info.metadata[Self.pendingStageKey] {
            names.append(pending)
            try finish(pending, info.versionHashes, description, classes)
        }
        for step in try steps(fromVersionHashes: info.versionHashes) {
            let name = step.stage.name
            if names.last != name { names.append(name) }
            if case .custom(_, let old, _, let work?, _) = step.stage { try run(work, old, description, classes) }
            var metadata: [String: MetadataValue?] = [:]
            if case .custom(_, _, _, _, .some) = step.stage { metadata[Self.pendingStageKey] = .string(name) }
            // A handler may still give the objects what the new version demands.
            try SQLitePersistentStore.migrate(
                description, [step.plan], checksRules: metadata.isEmpty, metadata: metadata, progress: progress)
            if !metadata.isEmpty {
                try finish(name, step.plan.destination.versionHashesByEntityName, description, classes)
            }
        }
        return names
    }

    /// Runs the stages on a copy of a store that is written as a whole, which replaces it.
    private func rewriteStore(
        _ description: PersistentStoreDescription, _ classes: [String: ManagedObject.Type],
        _ progress: MigrationProgress?
    ) throws -> [String] {
        guard let newest = newestVersion else { return [] }
        guard description.type == .xml || description.type == .binary else {
            throw StorageError(
                .unsupported,
                "Stages run on SQLite, XML and binary stores; migrate a \(description.type.rawValue) store by a mapping model",
                path: description.url.path)
        }
        let hashes = try StoreRewriting.files.writtenVersion(description, newest).hashes
        guard let old = try steps(fromVersionHashes: hashes).first?.plan.source else { return [] }
        var names: [String] = []
        let store = try StoreRewriting.files.migrate(description, from: old, to: newest) {
            names = try migrateStore(at: $0, classes: classes, progress: progress)
        }
        try store.close()
        return names
    }

    /// The metadata key that marks a `didMigrate` handler as not yet completed. It is written in
    /// the transaction of the step.
    private static let pendingStageKey = "FolioPendingMigrationStage"

    private func finish(
        _ name: String, _ hashes: [String: Data], _ description: PersistentStoreDescription,
        _ classes: [String: ManagedObject.Type]
    ) throws {
        for case .custom(name, let old, let new, _, let work?) in stages
        where new.isCompatible(withVersionHashes: hashes) {
            try run(work, new, description, classes)
            if let plan = try steps(fromVersionHashes: old.versionHashesByEntityName).first?.plan {
                try SQLitePersistentStore.checkRules(description, after: plan)
            }
        }
        let store = try SQLitePersistentStore.open(description)
        var changes = ChangeSet()
        changes.metadata[Self.pendingStageKey] = .some(nil)
        let result = Result { try store.apply(changes) }
        try store.close()
        _ = try result.get()
    }

    private func run(
        _ work: (ManagedObjectContext) throws -> Void, _ model: ManagedObjectModel,
        _ description: PersistentStoreDescription, _ classes: [String: ManagedObject.Type]
    ) throws {
        let declared = versionClasses.first {
            $0.version.isCompatible(withVersionHashes: model.versionHashesByEntityName)
        }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: declared?.version ?? model, classes: declared?.classes ?? classes)
        var description = description
        description.createsIfMissing = false
        try coordinator.addPersistentStore(description)
        let result = Result { try work(ManagedObjectContext(coordinator)) }
        try coordinator.removePersistentStores()
        try result.get()
    }
}
