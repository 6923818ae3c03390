import AtomicStores
public import ObjectGraph
public import Schema
package import Storage

extension PersistentStoreCoordinator {
    /// Makes a coordinator that can open every kind of store that Folio has.
    ///
    /// ```swift
    /// let coordinator = PersistentStoreCoordinator(model: model)
    /// try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
    /// let context = ManagedObjectContext(coordinator)
    /// ```
    /// - Parameter classes: the classes of entities' objects, by the names that the model gives in
    ///   `managedObjectClassName`; ``ManagedObject`` for all others.
    public convenience init(model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:]) {
        self.init(model: model, classes: classes, factories: Self.builtInFactories)
    }

    /// Every kind of store that Folio has.
    package static let builtInFactories = [StoreFactory.migratingSQLite] + AtomicPersistentStore.builtInFactories
}
