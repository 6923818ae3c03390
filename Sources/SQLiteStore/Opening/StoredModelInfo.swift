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
    package let uuid: String
    package let versionHashes: [String: Data]
    package let versionIdentifiers: [String]
    package let metadata: [String: MetadataValue]
    /// The archive of the store's own model, compressed; nil in stores of old frameworks.
    private let modelCache: Data?

    init(metadata: StoreMetadata, modelCache: Data?) {
        uuid = metadata.uuid
        versionHashes = metadata.versionHashes
        versionIdentifiers = metadata.versionIdentifiers
        self.metadata = metadata.publicValues
        self.modelCache = modelCache
    }

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
        let different = try differences(from: given, configuration: configuration)
        guard different.isEmpty else {
            throw StorageError(
                .incompatibleModel,
                "The store was written with another version of the model; different: \(different.joined(separator: ", "))",
                entities: different)
        }
        return given
    }

    /// The names of entities that are not the same in `model` and in the store, in order.
    package func differences(from model: ManagedObjectModel, configuration: String? = nil) throws -> [String] {
        guard let members = model.entities(inConfiguration: configuration) else {
            throw StorageError(.incompatibleModel, "The model has no configuration \(configuration ?? "")")
        }
        let hashes = model.versionHashesByEntityName
        var different = Set(versionHashes.keys).subtracting(members.map(\.name))
        for member in members where hashes[member.name] != versionHashes[member.name] { different.insert(member.name) }
        // How Core Data hashes derived attributes is not known (§4): there its own model, hashed as
        // we do, stands for the store.
        if different.contains(where: { versionHashes[$0] != nil }), let own = try? embeddedModel() {
            let ownHashes = own.versionHashesByEntityName
            for name in different
            where ownHashes[name] != nil && ownHashes[name] == hashes[name] && own.hasDerivedAttributes(name) {
                different.remove(name)
            }
        }
        return different.sorted()
    }
}

extension ManagedObjectModel {
    fileprivate func hasDerivedAttributes(_ entityName: String) -> Bool {
        entity(named: entityName)?.attributes.contains(where: \.isDerived) ?? false
    }
}
