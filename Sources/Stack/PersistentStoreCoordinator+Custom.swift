import AtomicStores
public import ObjectGraph
public import Storage

extension PersistentStoreCoordinator {
    /// Makes the coordinator open stores of a kind of your own, in the place of what opened stores
    /// of its type before.
    public func register(_ kind: any AtomicStore.Type) {
        register(AtomicPersistentStore.customFactory(kind))
    }

    /// Makes the coordinator open stores of a kind of your own that is read and written object by
    /// object.
    public func register(_ kind: any IncrementalStore.Type) {
        register(IncrementalPersistentStore.factory(kind))
    }
}
