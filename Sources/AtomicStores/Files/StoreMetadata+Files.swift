import Coding
import Schema
import Storage

/// The metadata of stores that are written as a whole. Their files store the type separately.
extension StoreMetadata {
    init(uuid: String, type: StoreType, values: [String: PropertyListValue]) {
        var values = values
        values[Key.type] = .string(type.rawValue)
        self.init(uuid: uuid, values: values)
    }

    var valuesInFile: [String: PropertyListValue] {
        var values = values
        values[Key.type] = nil
        return values
    }

    /// The metadata of an incremental store.
    init(_ values: [String: MetadataValue], _ type: StoreType) throws {
        guard case .string(let uuid)? = values[Key.uuid], StoreIdentity.isLegal(uuid) else {
            throw StorageError(.damaged, "The store's metadata have no UUID")
        }
        self.init(uuid: uuid, type: type, values: values.mapValues { .init($0) })
    }
}
