import Foundation
import Migration
import SQLiteStore
import Schema
import Storage

extension NSPersistentStoreCoordinator {
    /// Opens a store of a class of the application's own or of Folio's, as its type says, in the
    /// version of the model.
    func openStore(
        _ storeType: String, _ configuration: String?, _ storeURL: URL?, _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        if let kind = CustomStores.kind(of: storeType) {
            return try CustomStores.open(kind, self, storeType, configuration, storeURL, options)
        }
        var description = try StoreOptions.description(storeType, configuration, storeURL, options)
        if description.type == .sqlite, !description.isReadOnly { try removeEmptyFiles(description.url) }
        try StoreMigration.prepare(&description, options, managedObjectModel, folio)
        try StoreMigration.vacuum(description, options)
        return NSPersistentStore(try folio.addPersistentStore(description), of: self, options)
    }

    /// Removes files without content, as ``destroyPersistentStore(at:ofType:options:)`` leaves
    /// them: a store is made in their place.
    private func removeEmptyFiles(_ url: URL) throws {
        func size(_ path: String) -> Int? {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
            return (attributes?[.size] as? NSNumber)?.intValue
        }
        // With a journal, it is not known to be empty.
        guard size(url.path) == 0, size(url.path + "-wal") ?? 0 == 0 else { return }
        for path in ["", "-shm", "-wal"].map({ url.path + $0 }) where size(path) == 0 {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// The model that a store carries.
    ///
    /// - Throws: `StorageError` with code `unsupported` for a store that carries none.
    static func model(ofStoreAt url: URL, _ type: StoreType) throws -> ManagedObjectModel {
        guard type == .sqlite, let model = try SQLiteStoreFile(url).modelInfo().embeddedModel() else {
            throw StorageError(
                .unsupported, "The store carries no model: open it with a coordinator to set its metadata",
                path: url.path)
        }
        return model
    }
}
