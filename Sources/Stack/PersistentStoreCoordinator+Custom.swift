import AtomicStores
public import ObjectGraph
public import Storage

extension PersistentStoreCoordinator {
    /// Registers a custom type of store that is read and written as a whole. It replaces the one
    /// that was registered for its ``AtomicStore/storeType``.
    public func register(_ kind: any AtomicStore.Type) {
        register(AtomicPersistentStore.customFactory(kind))
    }

    /// Registers a custom type of store that is read and written object by object. It replaces the
    /// one that was registered for its ``IncrementalStore/storeType``.
    public func register(_ kind: any IncrementalStore.Type) {
        register(IncrementalPersistentStore.factory(kind))
    }
}
