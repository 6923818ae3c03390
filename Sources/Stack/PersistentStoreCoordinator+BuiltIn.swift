import AtomicStores
public import ObjectGraph
public import Schema
package import Storage

extension PersistentStoreCoordinator {
    /// Creates a coordinator that can open all built-in types of stores.
    ///
    /// ```swift
    /// let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    /// try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
    /// let context = ManagedObjectContext(coordinator)
    /// ```
    /// - Parameter classes: The classes of objects by the names that the model uses in
    ///   ``EntityDefinition/managedObjectClassName``; ``ManagedObject`` for all others.
    public convenience init(managedObjectModel model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:]) {
        self.init(managedObjectModel: model, classes: classes, factories: Self.builtInFactories)
    }

    /// The factories of all built-in store types.
    package static let builtInFactories =
        [StoreFactory.migratingSQLite]
        + AtomicPersistentStore.builtInFactories.map { $0.type == .inMemory ? $0 : $0.migrating(by: .files) }
}
