package import Schema
package import Storage

extension ManagedObjectID {
    /// The object of an entry in a store's metadata; nil if the model does not contain its entity.
    package init?(noted entry: [String: MetadataValue], _ store: StoreIdentity) {
        guard case .string(let name)? = entry["entity"], case .integer(let key)? = entry["key"], key > 0,
            let entity = store.model.entity(named: name)
        else { return nil }
        self.init(store: store, entityIndex: entity.index, key: key)
    }

    /// The entry for the object in a store's metadata.
    package var noted: [String: MetadataValue] { ["entity": .string(entity.name), "key": .integer(key)] }
}
