import Foundation
import Schema
import Storage

extension NSPersistentStore {
    /// Whether the store is of a class of the application's own.
    var isCustom: Bool { self is NSAtomicStore || self is NSIncrementalStore }

    /// Loads the metadata of a store of the application's own, and checks them. Those of a store
    /// that was never saved get the version hashes of the model.
    ///
    /// - Throws: `NSPersistentStoreTypeMismatchError` for a store of another type,
    ///   `NSPersistentStoreOpenError` for metadata without a UUID; `StorageError` with code
    ///   `incompatibleModel`.
    func openMetadata(_ description: PersistentStoreDescription, _ model: ManagedObjectModel) throws -> [String:
        MetadataValue]
    {
        try StoreCalls.calling { try loadMetadata() }
        var metadata: [String: Any] = self.metadata ?? [:]
        let type = description.type.rawValue
        if let own = metadata[NSStoreTypeKey] as? String, own != type {
            throw StoreCallError(
                CocoaErrors.made(
                    NSPersistentStoreTypeMismatchError, "The store's metadata are of the type \(own), not \(type)"))
        }
        guard let uuid = metadata[NSStoreUUIDKey] as? String, StoreIdentity.isLegal(uuid) else {
            throw StoreCallError(
                CocoaErrors.made(
                    NSPersistentStoreOpenError,
                    "The store's metadata need a UUID under NSStoreUUIDKey, of letters, digits and hyphens"))
        }
        let hashes = StoreMetadataValues.hashes(metadata)
        if hashes.isEmpty {
            let new = StoreMetadata(
                uuid: uuid, type: description.type, model: model, configuration: description.configuration)
            metadata.merge(StoreMetadataValues.plain(new.publicValues)) { own, _ in own }
        } else if !description.ignoresVersioning,
            !model.isCompatible(withVersionHashes: hashes, configuration: description.configuration)
        {
            throw StorageError(
                .incompatibleModel, "The store was written with another version of the model",
                path: description.url.path)
        }
        ownMetadata = metadata
        references = StoreReferenceTable(uuid: uuid.uppercased(), model: model)
        return try StoreMetadataValues.values(metadata)
    }

    /// The table of the objects' identities. Traps before the metadata are loaded.
    var knownReferences: StoreReferenceTable {
        guard let references else {
            preconditionFailure("The store has no UUID yet: a coordinator loads its metadata before its objects")
        }
        return references
    }
}
