import Foundation
import Migration
import ModelFiles
import Schema
import SQLiteStore
import Storage

extension StoreFactory {
    /// Opens SQLite stores, and migrates them first if their description requests it and a mapping
    /// can be inferred.
    static let migratingSQLite: StoreFactory = {
        var factory = SQLitePersistentStore.factory
        let open = factory.open
        factory.open = { description, model in
            do {
                return try open(description, model)
            } catch let error as StorageError
                where error.code == .incompatibleModel && description.migratesAutomatically
                && !description.ignoresVersioning
                && description.infersMappingModel && description.sharedMemoryName == nil
            {
                guard let model, !description.isReadOnly,
                    let old = try SQLiteStoreFile(description.url).modelInfo().embeddedModel()
                else { throw error }
                let plan: MigrationPlan
                do {
                    plan = try MigrationPlan.inferred(from: old, to: model)
                } catch {
                    throw StorageError(
                        .unmigratable,
                        "The store is of another version of the model, from which this one can't be inferred: \(error)",
                        path: description.url.path,
                        underlying: error)
                }
                try SQLitePersistentStore.migrate(description, [plan])
                return try open(description, model)
            }
        }
        return factory
    }()
}
