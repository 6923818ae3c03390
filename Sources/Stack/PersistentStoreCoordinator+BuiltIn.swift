import AtomicStores
public import ObjectGraph
public import Schema
package import Storage

extension PersistentStoreCoordinator {
    /// Creates a coordinator that can open all built-in types of stores.
    ///
    /// ```swift
    /// let coordinator = PersistentStoreCoordinator(model: model)
    /// try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
    /// let context = ManagedObjectContext(coordinator)
    /// ```
    /// - Parameter classes: The classes of objects by the names that the model uses in
    ///   ``EntityDescription/managedObjectClassName``; ``ManagedObject`` for all others.
    public convenience init(model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:]) {
        self.init(model: model, classes: classes, factories: Self.builtInFactories)
    }

    /// Every kind of store that Folio has.
    package static let builtInFactories = [StoreFactory.migratingSQLite] + AtomicPersistentStore.builtInFactories
}
