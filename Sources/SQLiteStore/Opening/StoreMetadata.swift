import Coding
import Foundation
import Schema
import Storage

/// What `Z_METADATA` says of a store. Keys that are not changed keep their value as it was read, whatever it is.
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
        static let autoVacuum = "_NSAutoVacuumLevel"
        /// What describes the file itself and is no business of applications.
        static let reserved: Set<String> = [type, uuid, hashes, hashesVersion, identifiers, digest, checksum, frameworkVersion, autoVacuum]
    }

    let uuid: String
    private(set) var values: [String: PropertyListValue]

    init(uuid: String, plist: Data) throws {
        // It stands in the URIs of objects.
        guard StoreIdentity.isLegal(uuid) else { throw StorageError(.damaged, "The store's identity is no UUID: \(uuid.prefix(40))") }
        self.uuid = uuid.uppercased()
        guard let values = try PropertyList.decode(plist).dictionary else {
            throw StorageError(.damaged, "The store's metadata are no dictionary")
        }
        self.values = values
    }

    /// What metadata say of a model.
    private static func values(of model: ManagedObjectModel, configuration: String?) -> [String: PropertyListValue] {
        let all = model.versionHashesByEntityName
        let members = model.entities(inConfiguration: configuration) ?? []
        let hashes = Dictionary(uniqueKeysWithValues: members.compactMap { entity in all[entity.name].map { (entity.name, PropertyListValue.data($0)) } })
        return [
            Key.hashes: .dictionary(hashes),
            Key.hashesVersion: 3,
            Key.identifiers: .array(model.description.versionIdentifiers.map { .string($0) }),
            Key.digest: .string(model.versionHashesDigest),
            Key.checksum: .string(model.versionChecksum),
        ]
    }

    /// The same store's metadata after its migration to a model.
    func describing(_ model: ManagedObjectModel, configuration: String?) -> StoreMetadata {
        var result = self
        result.values.merge(Self.values(of: model, configuration: configuration)) { _, new in new }
        return result
    }

    /// The metadata of a new store.
    init(uuid: String, model: ManagedObjectModel, configuration: String?) {
        self.uuid = uuid.uppercased()
        values = [
            Key.type: .string("SQLite"),
            // Core Data compares this only to know which bugs of its own to mind: the newest build whose files are known to look like ours.
            Key.frameworkVersion: 1344,
            Key.autoVacuum: "2",
        ]
        values.merge(Self.values(of: model, configuration: configuration)) { _, new in new }
    }

    var encoded: Data { PropertyList.encodeBinary(.dictionary(values)) }

    /// What is encoded, to be changed in place.
    var editable: EditablePropertyList { EditablePropertyList(values) }

    func value(_ key: String) -> PropertyListValue? { values[key] }

    var versionHashes: [String: Data] {
        (values[Key.hashes]?.dictionary ?? [:]).compactMapValues(\.data)
    }

    var versionIdentifiers: [String] {
        (values[Key.identifiers]?.array ?? []).compactMap(\.string)
    }

    /// All of it with the store's UUID, for applications.
    var publicValues: [String: MetadataValue] {
        var result = values.mapValues { MetadataValue($0) }
        result[Key.uuid] = .string(uuid)
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
