package import AtomicStores
internal import Foundation
package import Schema
package import Storage

/// Opens and creates bare stores of types other than SQLite.
package enum BareStore {
    /// Opens a store with the chosen model for its version hashes, or with its own.
    package static func open(
        _ description: PersistentStoreDescription,
        model choice: ModelChoice
    ) throws -> AtomicPersistentStore {
        let info = try AtomicPersistentStore.storedInfo(at: description.url)
        return try open(description, try choice.model(fitting: info.versionHashes))
    }

    package static func create(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws
        -> AtomicPersistentStore
    {
        try open(description, model)
    }

    /// Opens a store with a model; nil for the store's own one.
    static func open(_ description: PersistentStoreDescription, _ model: ManagedObjectModel?) throws
        -> AtomicPersistentStore
    {
        guard let factory = AtomicPersistentStore.builtInFactories.first(where: { $0.type == description.type }),
            let store = try factory.open(description, model) as? AtomicPersistentStore
        else {
            throw DocumentError(
                .unsupported, "a store of type \(description.type.rawValue)", path: description.url.path)
        }
        return store
    }
}
