import Foundation
import Migration
import ObjectGraph
import SQLiteStore
import Schema
import Stack
import Storage

/// What happens to a store of another version before a coordinator opens it.
enum StoreMigration {
    /// Brings a store to a model, as the options say. What Folio does itself as it opens the store
    /// is left to that.
    static func prepare(
        _ description: inout PersistentStoreDescription, _ options: [AnyHashable: Any]?, _ model: NSManagedObjectModel,
        _ coordinator: PersistentStoreCoordinator
    ) throws {
        guard description.type == .sqlite, !description.isInMemory, !description.ignoresVersioning,
            FileManager.default.fileExists(atPath: description.url.path)
        else { return }
        let compiled = model.compiled()
        let info = try SQLiteStoreFile(description.url).modelInfo()
        if compiled.isCompatible(withVersionHashes: info.versionHashes, configuration: description.configuration) {
            return
        }
        if let staged = options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager {
            try staged.folio(compiled).migrateStore(at: description)
            return
        }
        guard description.migratesAutomatically, let old = try info.embeddedModel() else { return }
        let source = try NSManagedObjectModel(old)
        if let mapping = NSMappingModel(
            from: [Bundle.main] + Bundle.allBundles, forSourceModel: source, destinationModel: model)
        {
            try migrate(description, source, model, mapping, options)
        } else if !description.infersMappingModel {
            throw CocoaErrors.made(
                NSMigrationMissingMappingModelError, "The store is of another version, and there is no mapping model")
        }
    }

    /// Rebuilds the file of a store if the options ask for it.
    static func vacuum(_ description: PersistentStoreDescription, _ options: [AnyHashable: Any]?) throws {
        guard (options?[NSSQLiteManualVacuumOption] as? NSNumber)?.boolValue == true, description.type == .sqlite,
            !description.isReadOnly, FileManager.default.fileExists(atPath: description.url.path)
        else { return }
        do {
            try SQLiteStoreFile(description.url).vacuum()
        } catch let error as StorageError where error.code == .busy {
            // Others have the store open, which is no reason not to open it as well.
        }
    }

    private static func migrate(
        _ description: PersistentStoreDescription, _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel,
        _ mapping: NSMappingModel, _ options: [AnyHashable: Any]?
    ) throws {
        let folder = description.url.deletingLastPathComponent().appendingPathComponent(
            ".migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let new = folder.appendingPathComponent(description.url.lastPathComponent)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        try manager.migrateStore(
            from: description.url, sourceType: description.type.rawValue, options: nil, with: mapping,
            toDestinationURL: new, destinationType: description.type.rawValue, destinationOptions: options)
        try PersistentStoreCoordinator(managedObjectModel: destination.compiled()).replacePersistentStore(
            at: description.url, withPersistentStoreFrom: new, type: description.type)
    }
}
