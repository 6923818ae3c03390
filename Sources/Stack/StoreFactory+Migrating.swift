import AtomicStores
import Foundation
import Migration
import ModelFiles
import ObjectGraph
import SQLiteStore
import Schema
import Storage

extension StoreFactory {
    /// Opens SQLite stores, and migrates them first if their description requests it: by a mapping
    /// model of the bundles, or as inferred.
    static let migratingSQLite = SQLitePersistentStore.factory.migrating(
        writtenVersion: { description, _ in
            guard description.sharedMemoryName == nil, !description.isInMemory else { return nil }
            let info = try SQLiteStoreFile(description.url).modelInfo()
            return WrittenVersion(hashes: info.versionHashes, model: try info.embeddedModel())
        }
    ) { description, old, new, step in
        switch step {
        case .plan(let plan): try SQLitePersistentStore.migrate(description, [plan])
        case .objects(let mapping): try migrateObjects(of: description, from: old, to: new, by: mapping)
        }
        return nil
    }

    /// Opens stores of a type that is written as a whole, and migrates them first if their
    /// description requests it.
    func migrating(by rewriting: StoreRewriting) -> StoreFactory {
        migrating(writtenVersion: { try rewriting.writtenVersion($0, $1) }) { description, old, new, step in
            switch step {
            case .plan(let plan):
                try rewriting.migrate(description, from: old, to: new) { try SQLitePersistentStore.migrate($0, [plan]) }
            case .objects(let mapping): try rewriting.migrate(description, from: old, to: new, by: mapping)
            }
        }
    }

    /// How a store comes from its version to the wanted one.
    private enum Step {
        /// By tables; objects keep their primary keys.
        case plan(MigrationPlan)
        case objects(MappingModel)
    }

    /// - Parameters:
    ///   - writtenVersion: Gives the version of a store; nil for one that is not migrated.
    ///   - migrate: Migrates a store, and gives it if it is open then.
    private func migrating(
        writtenVersion:
            @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel) throws
            -> WrittenVersion?,
        _ migrate:
            @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel, ManagedObjectModel, Step) throws ->
            (any StoreBackend)?
    ) -> StoreFactory {
        var factory = self
        let open = factory.open
        factory.open = { description, model in
            do {
                let store = try open(description, model)
                KnownModels.note(store.identity.model)
                return store
            } catch let error as StorageError
                where error.code == .incompatibleModel && description.migratesAutomatically
                && !description.ignoresVersioning && !description.isReadOnly
            {
                guard let model, let written = try writtenVersion(description, model),
                    !model.isCompatible(
                        withVersionHashes: written.hashes, configuration: description.configuration)
                else { throw error }
                let old = try Self.oldModel(of: written, description, error)
                let step = try Self.step(from: old, to: model, description)
                do {
                    if let store = try migrate(description, old, model, step) { return store }
                } catch let failure as StorageError where failure.code == .busy {
                    // Another process may have migrated it meanwhile.
                    guard let store = try? open(description, model) else { throw failure }
                    return store
                }
                return try open(description, model)
            }
        }
        return factory
    }

    private static func oldModel(
        of written: WrittenVersion, _ description: PersistentStoreDescription, _ refusal: StorageError
    ) throws -> ManagedObjectModel {
        let known =
            written.model ?? KnownModels.model(fitting: written.hashes, configuration: description.configuration)
        if let known { return known }
        var error = refusal
        error.message +=
            ". It carries no model, and the one that it was written with is in no bundle of the program, so that it can't be migrated"
        error.underlying = MigrationError(.missingModel, "The model of the store's version was not found")
        throw error
    }

    private static func step(
        from old: ManagedObjectModel, to new: ManagedObjectModel, _ description: PersistentStoreDescription
    ) throws -> Step {
        if let mapping = MappingModel.found(in: KnownModels.bundleFolders, from: old, to: new) {
            return MigrationPlan.equivalent(to: mapping, from: old, to: new).map { .plan($0) } ?? .objects(mapping)
        }
        func refusal(_ message: String, _ cause: MigrationError) -> StorageError {
            StorageError(
                .unmigratable, "The store is of another version of the model, \(message)", path: description.url.path,
                underlying: cause)
        }
        guard description.infersMappingModel else {
            let cause = MigrationError(.missingMapping, "There is no mapping model for the two versions")
            throw refusal("for which the bundles have no mapping model, and it is not to be inferred", cause)
        }
        do {
            return .plan(try MigrationPlan.inferred(from: old, to: new))
        } catch {
            throw refusal("from which this one can't be inferred: \(error)", error)
        }
    }

    /// Migrates a SQLite store to a new file, which replaces the old one.
    private static func migrateObjects(
        of description: PersistentStoreDescription, from old: ManagedObjectModel, to new: ManagedObjectModel,
        by mapping: MappingModel
    ) throws {
        let folder = try TemporaryStoreFolder()
        defer { folder.remove() }
        var reading = description
        (reading.isReadOnly, reading.createsIfMissing) = (true, false)
        let source = try SQLitePersistentStore.open(reading, model: old)
        defer { try? source.close() }
        var made = PersistentStoreDescription(url: folder.store)
        made.configuration = description.configuration
        let target = try SQLitePersistentStore.create(made, model: new, uuid: source.identity.uuid)
        do {
            try StoreRewriting.migrateObjects(source, target, mapping)
            var changes = ChangeSet()
            for (key, value) in try source.metadata() where !key.hasPrefix("NS") && !key.hasPrefix("_NS") {
                changes.metadata[key] = value
            }
            if !changes.isEmpty { _ = try target.apply(changes) }
            try target.closeAsOneFile()
        } catch {
            try? target.close()
            throw error
        }
        try source.close()
        try SQLiteStoreFile(description.url).replace(by: SQLiteStoreFile(folder.store))
    }
}
