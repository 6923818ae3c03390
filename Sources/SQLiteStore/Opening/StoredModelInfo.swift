package import Foundation
import ModelFiles
package import Schema
import SQLiteKit
package import Storage

/// By what the model of a store is found.
package struct StoreSignature: Sendable, Hashable {
    package let uuid: String
    package let versionHashes: [String: Data]
}

/// What a store says of itself and of the model that it was written with.
package struct StoredModelInfo: Sendable {
    private let stored: StoreMetadata
    package let metadata: [String: MetadataValue]
    /// The archive of the store's own model, compressed; nil in stores of old frameworks.
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

    /// The model that the store carries, nil if it carries none.
    /// - Throws: `ModelError` if it can't be read.
    package func embeddedModel() throws(ModelError) -> ManagedObjectModel? {
        guard let modelCache else { return nil }
        return try ModelCache.decode(modelCache)
    }

    /// Settles with which model the store is to be read: the one given, which must fit, or else its
    /// own.
    /// - Throws: `StorageError.noModel`; `incompatibleModel` with the entities that differ;
    ///   `damaged` if the store's own model is needed and can't be read.
    func model(given: ManagedObjectModel?, configuration: String?) throws -> ManagedObjectModel {
        guard let given else {
            guard let own = try embeddedModel() else {
                throw StorageError(.noModel, "The store carries no model: give the one that it was made with")
            }
            return own
        }
        try StoreMetadata.check(differences: differences(from: given, configuration: configuration))
        return given
    }

    /// The names of entities that are not the same in `model` and in the store, in order.
    package func differences(from model: ManagedObjectModel, configuration: String? = nil) throws -> [String] {
        let different = try stored.differences(from: model, configuration: configuration)
        // How Core Data hashes derived attributes is not known: there its own model, hashed as we
        // do, stands for the store.
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
