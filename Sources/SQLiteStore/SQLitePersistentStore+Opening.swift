package import Schema
package import SQLiteKit
package import Storage

extension SQLitePersistentStore {
    /// The entry in the coordinator's registry of store types.
    package static let factory = StoreFactory(
        type: .sqlite, open: { description, model in try SQLitePersistentStore.open(description, model: model) },
        metadata: { try SQLiteStoreFile($0).modelInfo().metadata },
        destroy: { try SQLiteStoreFile($0).destroy() },
        replace: { try SQLiteStoreFile($1).replace(by: SQLiteStoreFile($0)) })

    /// Opens the store, or creates it if it is missing and the description asks for that.
    /// - Parameters:
    ///   - model: The model to read the store with, which must match the one it was written with;
    ///     nil uses the store's own.
    ///   - files: The storage of large values; nil uses the folder beside the store.
    /// - Throws: `StorageError`, which tells whether the file is not a store, is damaged, has
    ///   another model…
    package static func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel? = nil, files: ExternalValues? = nil
    ) throws -> SQLitePersistentStore {
        try StoreOpening(description, files: files).store(model: model)
    }

    /// Opens the store with a model that `resolve` selects by the store's signature; nil uses the
    /// store's own.
    ///
    /// Cheaper than calling ``SQLiteStoreFile/modelInfo(ignoresWAL:)`` first, which opens the file
    /// an additional time. For a store that will be created, `resolve` is passed nil. An error of
    /// `resolve` is rethrown unchanged.
    package static func open(
        _ description: PersistentStoreDescription, files: ExternalValues? = nil,
        resolvingModel resolve: (StoreSignature?) throws -> ManagedObjectModel?
    ) throws -> SQLitePersistentStore {
        try StoreOpening(description, files: files).store(resolvingModel: resolve)
    }

    /// Opens a store that is stored uncompressed in an archive, without extracting it.
    ///
    /// `description.url` is the path that the store would have as a separate file. Its WAL is
    /// there, and the archive is never written: ``checkpoint()`` throws. The caller must have the
    /// document's lock. With a read-only description nothing is written at all, and an existing WAL
    /// is read.
    package static func open(
        _ description: PersistentStoreDescription, in archive: ArchivedDatabase, files: ExternalValues,
        resolvingModel resolve: (StoreSignature?) throws -> ManagedObjectModel?
    ) throws -> SQLitePersistentStore {
        try StoreOpening(description, in: archive, files: files).store(resolvingModel: resolve)
    }

    /// Creates a new store with its model embedded. Afterwards either the store is complete and
    /// durable, or there is no file.
    /// - Parameter uuid: The store's identity; nil for a new one.
    /// - Throws: `StorageError.cannotCreate` if the file exists already.
    package static func create(
        _ description: PersistentStoreDescription, model: ManagedObjectModel, uuid: String? = nil,
        files: ExternalValues? = nil
    ) throws -> SQLitePersistentStore {
        try StoreCreation(description, model: model, uuid: uuid, files: files).store()
    }

    /// The SQL that creates the tables, indexes and triggers of a new store for a model, for
    /// display.
    package static func creationStatements(for model: ManagedObjectModel) throws -> [String] {
        try StoreSchema(StoreLayout.creating(model, configuration: nil)).statements
    }
}
