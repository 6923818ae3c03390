import Coding
import Foundation
import Schema
import Storage

/// What a store says of itself. Keys that are not changed keep their value as it was read, whatever
/// it is.
struct StoreMetadata: Sendable {
    typealias Key = StoreMetadataKey

    let uuid: String
    let type: StoreType
    /// Without the UUID and the type, which files keep in places of their own.
    var values: [String: PropertyListValue]

    init(uuid: String, type: StoreType, values: [String: PropertyListValue]) {
        self.uuid = uuid.uppercased()
        self.type = type
        self.values = values
        self.values[Key.type] = nil
        self.values[Key.uuid] = nil
    }

    /// The metadata of a new store.
    init(uuid: String, type: StoreType, model: ManagedObjectModel, configuration: String?) {
        var values: [String: PropertyListValue] = .describing(model, configuration: configuration)
        values[Key.frameworkVersion] = Key.knownFrameworkVersion
        self.init(uuid: uuid, type: type, values: values)
    }

    var versionHashes: [String: Data] { values.versionHashes }
    var versionIdentifiers: [String] { values.versionIdentifiers }

    /// All of it with the store's UUID and type, for applications.
    var publicValues: [String: MetadataValue] {
        var result = values.mapValues { MetadataValue($0) }
        result[Key.numberOffsets] = nil
        result[Key.uuid] = .string(uuid)
        result[Key.type] = .string(type.rawValue)
        return result
    }

    /// The metadata with some keys set and some, with nil, removed.
    /// - Throws: `StorageError.unsupported` for a change to what describes the file itself.
    func applying(_ changes: [String: MetadataValue?]) throws(StorageError) -> StoreMetadata {
        var result = self
        result.values = try values.applying(changes, current: publicValues)
        return result
    }

    /// - Throws: `StorageError.incompatibleModel` where the store was written with another version
    ///   of the model.
    func check(_ model: ManagedObjectModel, configuration: String?) throws(StorageError) {
        let different = try differences(from: model, configuration: configuration)
        guard different.isEmpty else {
            throw StorageError(
                .incompatibleModel,
                "The store was written with another version of the model; different: \(different.joined(separator: ", "))",
                entities: different)
        }
    }

    /// The names of entities that are not the same in `model` and in the store, in order.
    private func differences(from model: ManagedObjectModel, configuration: String?) throws(StorageError) -> [String] {
        guard let members = model.entities(inConfiguration: configuration) else {
            throw StorageError(.incompatibleModel, "The model has no configuration \(configuration ?? "")")
        }
        let hashes = model.versionHashesByEntityName, stored = versionHashes
        var different = Set(stored.keys).subtracting(members.map(\.name))
        for member in members where hashes[member.name] != stored[member.name] { different.insert(member.name) }
        return different.sorted()
    }
}
