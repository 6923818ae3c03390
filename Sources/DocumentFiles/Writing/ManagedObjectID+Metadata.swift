package import Schema
package import Storage

extension ManagedObjectID {
    /// The object that an entry in a store's metadata names; nil where the model has no such
    /// entity.
    package init?(noted entry: [String: MetadataValue], _ store: StoreIdentity) {
        guard case .string(let name)? = entry["entity"], case .integer(let key)? = entry["key"], key > 0,
            let entity = store.model.entity(named: name)
        else { return nil }
        self.init(store: store, entityIndex: entity.index, key: key)
    }

    /// The entry by which a store's metadata names the object.
    package var noted: [String: MetadataValue] { ["entity": .string(entity.name), "key": .integer(key)] }
}
