import ObjectGraph
public import Schema

extension ManagedObjectID {
    /// The entity of the object.
    public var entity: NSEntityDescription {
        NSEntityDescription.of(store.model.entities[entityIndex], in: store.model)
    }

    /// The store of the object, in the coordinator that gave the ID; nil for a temporary ID, and
    /// for a store that no coordinator has.
    public var persistentStore: NSPersistentStore? {
        if isTemporaryID { return nil }
        let stores = NSPersistentStoreCoordinator.all.compactMap { $0.store(of: self) }
        // Several coordinators may have the file open, each as a store of its own.
        return stores.first { $0.attached?.identity === store } ?? stores.first
    }

    /// Whether another ID is the same.
    public func isEqual(_ object: Any?) -> Bool { (object as? ManagedObjectID) == self }
}

extension ManagedObjectID: CVarArg {
    /// What C functions get, which can do nothing with it. Predicates take the ID itself.
    public var _cVarArgEncoding: [Int] { [Int(truncatingIfNeeded: key)] }
}
