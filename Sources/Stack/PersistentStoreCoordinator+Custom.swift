import AtomicStores
public import ObjectGraph
package import Schema
public import Storage

extension PersistentStoreCoordinator {
    /// Registers a custom type of store that is read and written as a whole. It replaces the one
    /// that was registered for its ``AtomicStore/storeType``.
    ///
    /// A store of an older version of the model is migrated as it is opened, where its description
    /// says so: it is loaded with the old model, and saved once with the new one.
    public func register(_ kind: any AtomicStore.Type) {
        register(AtomicPersistentStore.customFactory(kind).migrating(by: .custom(kind)))
    }

    /// Registers a custom type of store that is read and written object by object. It replaces the
    /// one that was registered for its ``IncrementalStore/storeType``.
    public func register(_ kind: any IncrementalStore.Type) {
        register(IncrementalPersistentStore.factory(kind))
    }

    /// Runs `body` while no other thread asks a store that is read and written object by object.
    package func exclusively<Result>(in store: PersistentStore, _ body: () throws -> Result) rethrows -> Result {
        for case let own as IncrementalPersistentStore in stores where own.identity.uuid == store.identifier {
            return try own.exclusively(body)
        }
        return try body()
    }
}

extension StoreFactory {
    /// The factory of a type of stores that are read and written as a whole.
    package static func atomic(
        _ type: StoreType,
        _ make: @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> any AtomicStore
    ) -> StoreFactory {
        AtomicPersistentStore.customFactory(type, make)
    }

    /// The factory of a type of stores that are read and written object by object.
    package static func incremental(
        _ type: StoreType,
        _ make: @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> any IncrementalStore
    ) -> StoreFactory {
        IncrementalPersistentStore.factory(type, make)
    }
}
