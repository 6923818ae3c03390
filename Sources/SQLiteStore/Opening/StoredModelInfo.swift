package import Foundation
import ModelFiles
package import Schema
import SQLiteKit
package import Storage

/// The values by which the model of a store is found.
package struct StoreSignature: Sendable, Hashable {
    package let uuid: String
    package let versionHashes: [String: Data]
}

/// The metadata of a store and the model that it was written with.
package struct StoredModelInfo: Sendable {
    private let stored: StoreMetadata
    package let metadata: [String: MetadataValue]
    /// The compressed archive of the store's own model; nil in stores of old Core Data versions.
    private let modelCache: Data?

    init(metadata: StoreMetadata, modelCache: Data?) {
        stored = metadata
        self.metadata = metadata.publicValues
        self.modelCache = modelCache
    }

    package var uuid: String { stored.uuid }
    package var versionHashes: [String: Data] { stored.versionHashes }
    package var versionIdentifiers: [String] { stored.versionIdentifiers }
    package var hasEmbeddedModel: Bool { modelCache != nil }

    /// The model embedded in the store; nil if there is none.
    /// - Throws: `ModelError` if it can't be read.
    package func embeddedModel() throws(ModelError) -> ManagedObjectModel? {
        guard let modelCache else { return nil }
        return try ModelCache.decode(modelCache)
    }

    /// The model with which to read the store: the given one, which must match unless the
    /// description ignores versions, or else the embedded one.
    /// - Throws: `StorageError.noModel`; `incompatibleModel` with the entities that differ;
    ///   `damaged` if the store's own model is needed and can't be read.
    func model(given: ManagedObjectModel?, _ description: PersistentStoreDescription) throws -> ManagedObjectModel {
        guard let given else {
            guard let own = try embeddedModel() else {
                throw StorageError(.noModel, "The store carries no model: give the one that it was made with")
            }
            return own
        }
        let different = try differences(from: given, configuration: description.configuration)
        if !description.ignoresVersioning { try StoreMetadata.check(differences: different) }
        return given
    }

    /// The names of entities that differ between `model` and the store, in order.
    package func differences(from model: ManagedObjectModel, configuration: String? = nil) throws -> [String] {
        let different = try stored.differences(from: model, configuration: configuration)
        // Core Data's hash of derived attributes is not known. For entities with these, the hash
        // that Folio computes for the embedded model is compared instead.
        let known = versionHashes
        guard different.contains(where: { known[$0] != nil }), let own = try? embeddedModel() else { return different }
        let hashes = model.versionHashesByEntityName, ownHashes = own.versionHashesByEntityName
        return different.filter {
            ownHashes[$0] == nil || ownHashes[$0] != hashes[$0] || !own.hasDerivedAttributes($0)
        }
    }
}

extension ManagedObjectModel {
    fileprivate func hasDerivedAttributes(_ entityName: String) -> Bool {
        entity(named: entityName)?.attributes.contains(where: \.isDerived) ?? false
    }
}
