import ObjectGraph
public import Schema

extension ManagedObjectID {
    /// The entity of the object.
    public var entity: NSEntityDescription {
        NSEntityDescription.of(store.model.entities[entityIndex], in: store.model)
    }

    /// The store of the object; nil for a temporary ID, and for a store that no coordinator has.
    public var persistentStore: NSPersistentStore? {
        isTemporaryID ? nil : NSPersistentStoreCoordinator.all.lazy.compactMap { $0.store(of: self) }.first
    }

    /// Whether another ID is the same.
    public func isEqual(_ object: Any?) -> Bool { (object as? ManagedObjectID) == self }
}

extension ManagedObjectID: CVarArg {
    /// What C functions get, which can do nothing with it. Predicates take the ID itself.
    public var _cVarArgEncoding: [Int] { [Int(truncatingIfNeeded: key)] }
}
