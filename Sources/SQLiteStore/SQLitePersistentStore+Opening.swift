import FileSystem
package import Foundation
import ModelFiles
import RowMemory
package import Schema
import SQLiteKit
package import Storage

extension SQLitePersistentStore {
    /// For the coordinator's registry.
    package static let factory = StoreFactory(type: .sqlite) { description, model in
        try SQLitePersistentStore.open(description, model: model)
    }

    /// Opens the store, or makes it where there is none and the description says so.
    /// - Parameters:
    ///   - model: The model to read it with, which must be the one that it was written with; nil for the store's own.
    ///   - files: Where large values are; nil for beside the store.
    /// - Throws: `StorageError`, which says whether the file is something else, damaged, of another model…
    package static func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel? = nil, files: ExternalValues? = nil
    ) throws -> SQLitePersistentStore {
        let path = description.url.path
        do {
            if try shouldCreate(at: path, description) {
                guard let model else { throw StorageError(.noModel, "A new store needs a model") }
                return try create(description, model: model, files: files)
            }
            return SQLitePersistentStore(session: try openSession(path, description, model, files ?? .besideStore(at: path)))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// What a store says of its model, read without opening it any further; nothing is written.
    /// - Throws: `StorageError`, as `open`.
    package static func storedModelInfo(at url: URL) throws -> StoredModelInfo {
        do {
            try checkKind(of: url.path)
            return try Connection.reading(url.path) { connection in
                let catalog = try StoreCatalog.read(from: connection)
                return try modelInfo(from: connection, catalog)
            }
        } catch {
            throw StorageError(error, path: url.path)
        }
    }

    private static func modelInfo(from connection: Connection, _ catalog: StoreCatalog) throws -> StoredModelInfo {
        var cache: Data?
        if catalog.table("Z_MODELCACHE") != nil {
            cache = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")?.blob.map { Data($0) }
        }
        return StoredModelInfo(metadata: try StoreMetadata.read(from: connection), modelCache: cache)
    }

    private static func openSession(
        _ path: String, _ description: PersistentStoreDescription, _ model: ManagedObjectModel?, _ files: ExternalValues
    ) throws -> sending StoreSession {
        let connection = try StoreSession.connect(path, description)
        let catalog = try StoreCatalog.read(from: connection)
        let info = try modelInfo(from: connection, catalog)
        let model = try info.model(given: model, configuration: description.configuration)
        let layout = try StoreLayout.reading(model, from: catalog)
        // Only now, when it is known to be a store: the journal of a document's store may be changed by it.
        try StoreSession.prepareJournal(of: connection, description)
        return StoreSession(
            path: path, description: description, connection: connection, layout: layout, rowLayouts: RowLayout.layouts(for: model),
            identity: StoreIdentity(uuid: info.uuid, model: model), files: files, writingRefusal: catalog.writingRefusal)
    }

    // MARK: Files

    private static func shouldCreate(at path: String, _ description: PersistentStoreDescription) throws -> Bool {
        if try Disk.exists(path) {
            try checkKind(of: path)
            return false
        }
        guard description.createsIfMissing, !description.isReadOnly else {
            throw StorageError(.notFound, "There is no store")
        }
        return true
    }

    private static func checkKind(of path: String) throws {
        // A link is followed by SQLite itself, which refuses what it leads to if that is no plain file.
        switch try Disk.status(of: path)?.kind {
        case nil: throw StorageError(.notFound, "There is no store")
        case .directory: throw StorageError(.notAStore, "This is a folder, not a store")
        default: break
        }
    }
}

extension StoreCatalog {
    /// Why a foreign program must not write to the store; nil if it may.
    fileprivate var writingRefusal: String? {
        guard tables.contains(where: { SQLName.key($0.name).hasPrefix("ANSCK") }) else { return nil }
        return "The store is mirrored to iCloud: changes made outside Core Data would be lost or undone"
    }
}
