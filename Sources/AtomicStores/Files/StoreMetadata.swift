import Coding
import Foundation
import Schema
import Storage

/// What a store says of itself. Keys that are not changed keep their value as it was read, whatever it is.
struct StoreMetadata: Sendable {
    enum Key {
        static let type = "NSStoreType"
        static let uuid = "NSStoreUUID"
        static let hashes = "NSStoreModelVersionHashes"
        static let hashesVersion = "NSStoreModelVersionHashesVersion"
        static let identifiers = "NSStoreModelVersionIdentifiers"
        static let digest = "NSStoreModelVersionHashesDigest"
        static let checksum = "NSStoreModelVersionChecksumKey"
        static let frameworkVersion = "NSPersistenceFrameworkVersion"
        /// By how much the numbers in an XML file are greater than those of the objects, by the name of the hierarchy's root.
        static let numberOffsets = "FolioObjectNumberOffsets"
        /// What describes the file itself and is no business of applications.
        static let reserved: Set<String> = [type, uuid, hashes, hashesVersion, identifiers, digest, checksum, frameworkVersion, numberOffsets]
    }

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
        let all = model.versionHashesByEntityName
        let members = model.entities(inConfiguration: configuration) ?? []
        let hashes = Dictionary(uniqueKeysWithValues: members.compactMap { entity in all[entity.name].map { (entity.name, PropertyListValue.data($0)) } })
        self.init(
            uuid: uuid, type: type,
            values: [
                Key.hashes: .dictionary(hashes),
                Key.hashesVersion: 3,
                Key.identifiers: .array(model.description.versionIdentifiers.map { .string($0) }),
                Key.digest: .string(model.versionHashesDigest),
                Key.checksum: .string(model.versionChecksum),
                // As in SQLite stores: the newest build whose files are known to look like ours.
                Key.frameworkVersion: 1344,
            ])
    }

    var versionHashes: [String: Data] {
        (values[Key.hashes]?.dictionary ?? [:]).compactMapValues(\.data)
    }

    var versionIdentifiers: [String] {
        (values[Key.identifiers]?.array ?? []).compactMap(\.string)
    }

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
        for (key, value) in changes {
            if Key.reserved.contains(key) {
                guard value == publicValues[key] else { throw StorageError(.unsupported, "The metadata key \(key) describes the file itself and can't be set") }
                continue
            }
            result.values[key] = value.map { PropertyListValue($0) }
        }
        return result
    }

    /// The names of entities that are not the same in `model` and in the store, in order.
    func differences(from model: ManagedObjectModel, configuration: String?) throws(StorageError) -> [String] {
        guard let members = model.entities(inConfiguration: configuration) else {
            throw StorageError(.incompatibleModel, "The model has no configuration \(configuration ?? "")")
        }
        let hashes = model.versionHashesByEntityName, stored = versionHashes
        var different = Set(stored.keys).subtracting(members.map(\.name))
        for member in members where hashes[member.name] != stored[member.name] { different.insert(member.name) }
        return different.sorted()
    }
}

extension MetadataValue {
    init(_ value: PropertyListValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .unsigned(let number), .uid(let number): .integer(Int64(clamping: number))
            case .real(let number): .real(number)
            case .boolean(let flag): .boolean(flag)
            case .date(let date): .date(date)
            case .data(let data): .data(data)
            case .array(let elements): .array(elements.map { MetadataValue($0) })
            case .dictionary(let pairs): .dictionary(pairs.mapValues { MetadataValue($0) })
            }
    }
}

extension PropertyListValue {
    init(_ value: MetadataValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .boolean(let flag): .boolean(flag)
            case .date(let date): .date(date)
            case .data(let data): .data(data)
            case .array(let elements): .array(elements.map { PropertyListValue($0) })
            case .dictionary(let pairs): .dictionary(pairs.mapValues { PropertyListValue($0) })
            }
    }
}
