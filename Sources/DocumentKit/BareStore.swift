internal import AtomicStores
internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Stack
internal import Storage

/// Stores by themselves that are not SQLite's.
enum BareStore {
    /// Opens a store, with the model that is found for its hashes or its own.
    static func open(_ description: PersistentStoreDescription, model resolve: DocumentSession.ModelResolver) throws -> AtomicPersistentStore {
        let info = try AtomicPersistentStore.storedInfo(at: description.url)
        return try make(description, try resolve(info.versionHashes))
    }

    static func create(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> AtomicPersistentStore {
        try make(description, model)
    }

    private static func make(_ description: PersistentStoreDescription, _ model: ManagedObjectModel?) throws -> AtomicPersistentStore {
        guard let factory = PersistentStoreCoordinator.builtInFactories.first(where: { $0.type == description.type }),
            let store = try factory.open(description, model) as? AtomicPersistentStore
        else { throw DocumentError(.unsupported, "a store of type \(description.type.rawValue)", path: description.url.path) }
        return store
    }
}
