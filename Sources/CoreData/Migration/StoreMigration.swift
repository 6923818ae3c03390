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
        let staged = options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
        guard staged != nil || description.migratesAutomatically, !description.isInMemory,
            !description.ignoresVersioning, !description.isReadOnly,
            FileManager.default.fileExists(atPath: description.url.path)
        else { return }
        let compiled = model.compiled()
        guard let written = try written(description, compiled),
            !compiled.isCompatible(withVersionHashes: written.hashes, configuration: description.configuration)
        else { return }
        if let staged {
            try staged.folio(compiled).migrateStore(at: description)
            return
        }
        guard description.migratesAutomatically,
            let old = written.model
                ?? KnownModels.model(fitting: written.hashes, configuration: description.configuration)
        else { return }
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

    /// The version of a store of Folio's; nil for a type without files.
    private static func written(_ description: PersistentStoreDescription, _ model: ManagedObjectModel) throws
        -> WrittenVersion?
    {
        switch description.type {
        case .sqlite:
            let info = try SQLiteStoreFile(description.url).modelInfo()
            return WrittenVersion(hashes: info.versionHashes, model: try info.embeddedModel())
        case .xml, .binary: return try StoreRewriting.files.writtenVersion(description, model)
        default: return nil
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

    /// Migrates a store of the application's own to a new file, which then takes the place of the
    /// old one.
    ///
    /// - Returns: Whether the options ask for it, and the store is in a file.
    /// - Throws: `NSMigrationMissingSourceModelError` where the model of the store's version is not
    ///   known, `NSMigrationMissingMappingModelError` where there is no mapping model and none may
    ///   be inferred; errors of the store's class.
    static func migrateCustom(
        _ store: NSPersistentStore, _ type: String, at url: URL, _ options: [AnyHashable: Any]?,
        to model: NSManagedObjectModel
    ) throws -> Bool {
        func isSet(_ key: String) -> Bool { (options?[key] as? NSNumber)?.boolValue == true }
        guard isSet(NSMigratePersistentStoresAutomaticallyOption), !isSet(NSReadOnlyPersistentStoreOption),
            url.isFileURL, (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        else { return false }
        let hashes = StoreMetadataValues.hashes(store.metadata ?? [:])
        guard let old = KnownModels.model(fitting: hashes) else {
            throw CocoaErrors.made(
                NSMigrationMissingSourceModelError,
                "The store is of another version, whose model is in no bundle of the program", nil,
                [NSFilePathErrorKey: url.path])
        }
        let source = try NSManagedObjectModel(old)
        let mapping: NSMappingModel
        if let found = NSMappingModel(
            from: [Bundle.main] + Bundle.allBundles, forSourceModel: source, destinationModel: model)
        {
            mapping = found
        } else if isSet(NSInferMappingModelAutomaticallyOption) {
            mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: model)
        } else {
            throw CocoaErrors.made(
                NSMigrationMissingMappingModelError, "The store is of another version, and there is no mapping model")
        }
        // Beside the store: a name is exchanged within a file system alone.
        let folder = url.deletingLastPathComponent().appendingPathComponent(".migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let new = folder.appendingPathComponent(url.lastPathComponent)
        var own = options
        for key in [NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption] {
            own?[key] = nil
        }
        try NSMigrationManager(sourceModel: source, destinationModel: model).migrateStore(
            from: url, sourceType: type, options: own, with: mapping, toDestinationURL: new, destinationType: type,
            destinationOptions: own)
        let file = try FileHandle(forUpdating: new)
        try file.synchronize()
        try file.close()
        guard rename(new.path, url.path) == 0 else {
            throw CocoaErrors.made(
                NSMigrationError,
                "The migrated store can't take the place of the old one: \(String(cString: strerror(errno)))", nil,
                [NSFilePathErrorKey: url.path])
        }
        return true
    }

    private static func migrate(
        _ description: PersistentStoreDescription, _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel,
        _ mapping: NSMappingModel, _ options: [AnyHashable: Any]?
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "folio-migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
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
