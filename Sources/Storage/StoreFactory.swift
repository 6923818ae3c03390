package import Schema

/// How stores of one type are opened, for the coordinator's registry.
package struct StoreFactory: Sendable {
    package var type: StoreType
    /// Opens or creates a store; with a nil model the store's own is used.
    package var open: @Sendable (PersistentStoreDescription, ManagedObjectModel?) throws -> any PersistentStore

    package init(type: StoreType, open: @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel?) throws -> any PersistentStore) {
        self.type = type
        self.open = open
    }
}
