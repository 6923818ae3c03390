package import Coding
package import Foundation
package import Schema
internal import Synchronization

/// The keys of a store's metadata that stores give a meaning, by Core Data's names.
package enum StoreMetadataKey {
    package static let type = "NSStoreType"
    package static let uuid = "NSStoreUUID"
    package static let hashes = "NSStoreModelVersionHashes"
    package static let hashesVersion = "NSStoreModelVersionHashesVersion"
    package static let identifiers = "NSStoreModelVersionIdentifiers"
    package static let digest = "NSStoreModelVersionHashesDigest"
    package static let checksum = "NSStoreModelVersionChecksumKey"
    package static let frameworkVersion = "NSPersistenceFrameworkVersion"
    package static let autoVacuum = "_NSAutoVacuumLevel"
    /// By how much the numbers in an XML file are greater than those of the objects, by the name of
    /// the hierarchy's root.
    package static let numberOffsets = "FolioObjectNumberOffsets"
    /// What describes the file itself and is no business of applications.
    package static let reserved: Set<String> = [
        type, uuid, hashes, hashesVersion, identifiers, digest, checksum, frameworkVersion, autoVacuum, numberOffsets,
    ]
    /// Core Data compares this only to know which bugs of its own to mind: the newest build whose
    /// files are known to look like ours.
    package static let knownFrameworkVersion: PropertyListValue = 1344
}

/// The metadata of a store as it keeps them. Keys that are not changed keep their value as it was
/// read, whatever it is.
package struct StoreMetadata: Sendable {
    package typealias Key = StoreMetadataKey

    /// Documents are opened again and again with the same metadata, and decoding them is a good
    /// part of what opening takes.
    private static let recent = Mutex(RecentlyUsed<[UInt8], Content> { $0.count <= 32 << 10 })

    /// What a property list says, and what is asked of that at every opening.
    private struct Content {
        let values: [String: PropertyListValue]
        let versionHashes: [String: Data]
        let publicValues: [String: MetadataValue]

        init(_ values: [String: PropertyListValue]) {
            self.values = values
            versionHashes = StoreMetadata.versionHashes(values)
            publicValues = values.mapValues { MetadataValue($0) }
        }
    }

    package let uuid: String
    /// Without the UUID.
    package private(set) var values: [String: PropertyListValue] {
        didSet { content = nil }
    }
    /// As long as the values are those that were read.
    private var content: Content?

    package init(uuid: String, values: [String: PropertyListValue]) {
        self.uuid = uuid.uppercased()
        self.values = values
        self.values[Key.uuid] = nil
    }

    /// The metadata that a property list holds.
    /// - Throws: `StorageError.damaged`; `CodingError`.
    package init(uuid: String, propertyList bytes: [UInt8]) throws {
        // It stands in the URIs of objects.
        guard StoreIdentity.isLegal(uuid) else {
            throw StorageError(.damaged, "The store's identity is no UUID: \(uuid.prefix(40))")
        }
        self.uuid = uuid.uppercased()
        let content = try Self.recent.value(for: bytes) {
            guard let values = try PropertyList.decode(Data(bytes)).dictionary else {
                throw StorageError(.damaged, "The store's metadata are no dictionary")
            }
            return Content(values)
        }
        values = content.values
        self.content = content
    }

    /// The metadata of a new store.
    package init(uuid: String, type: StoreType, model: ManagedObjectModel, configuration: String?) {
        var values = Self.describing(model, configuration)
        values[Key.type] = .string(type.rawValue)
        values[Key.frameworkVersion] = Key.knownFrameworkVersion
        self.init(uuid: uuid, values: values)
    }

    /// What metadata say of the model that a store was written with.
    private static func describing(_ model: ManagedObjectModel, _ configuration: String?) -> [String: PropertyListValue]
    {
        let all = model.versionHashesByEntityName
        let members = model.entities(inConfiguration: configuration) ?? []
        let hashes = Dictionary(
            uniqueKeysWithValues: members.compactMap { entity in
                all[entity.name].map { (entity.name, PropertyListValue.data($0)) }
            })
        return [
            Key.hashes: .dictionary(hashes),
            Key.hashesVersion: 3,
            Key.identifiers: .array(model.definition.versionIdentifiers.map { .string($0) }),
            Key.digest: .string(model.versionHashesDigest),
            Key.checksum: .string(model.versionChecksum),
        ]
    }

    private static func versionHashes(_ values: [String: PropertyListValue]) -> [String: Data] {
        (values[Key.hashes]?.dictionary ?? [:]).compactMapValues(\.data)
    }

    // MARK: Reading

    package func value(_ key: String) -> PropertyListValue? { values[key] }

    package var versionHashes: [String: Data] { content?.versionHashes ?? Self.versionHashes(values) }

    package var versionIdentifiers: [String] { (values[Key.identifiers]?.array ?? []).compactMap(\.string) }

    /// All of it with the store's UUID, for applications.
    package var publicValues: [String: MetadataValue] {
        var result = content?.publicValues ?? values.mapValues { MetadataValue($0) }
        result[Key.numberOffsets] = nil
        result[Key.uuid] = .string(uuid)
        return result
    }

    package var encoded: Data { PropertyList.encodeBinary(.dictionary(values)) }

    /// What is encoded, to be changed in place.
    package var editable: EditablePropertyList { EditablePropertyList(values) }

    // MARK: Changing

    /// The same store's metadata after its migration to a model.
    package func describing(_ model: ManagedObjectModel, configuration: String?) -> StoreMetadata {
        exchanging(Self.describing(model, configuration))
    }

    /// The metadata with other values for some keys.
    package func exchanging(_ values: [String: PropertyListValue]) -> StoreMetadata {
        var result = self
        result.values.merge(values) { $1 }
        return result
    }

    /// The metadata with some keys set and some, with nil, removed.
    /// - Throws: `StorageError.unsupported` for a change to what describes the file itself.
    package func applying(_ changes: [String: MetadataValue?]) throws(StorageError) -> StoreMetadata {
        var values = values
        for (key, value) in changes {
            if Key.reserved.contains(key) {
                guard value == publicValues[key] else {
                    throw StorageError(
                        .unsupported, "The metadata key \(key) describes the file itself and can't be set")
                }
                continue
            }
            values[key] = value.map { PropertyListValue($0) }
        }
        var result = self
        result.values = values
        return result
    }

    // MARK: The model

    /// The names of entities that are not the same in `model` and in the store, in order.
    /// - Throws: `StorageError.incompatibleModel` where the model has no such configuration.
    package func differences(from model: ManagedObjectModel, configuration: String?) throws(StorageError) -> [String] {
        guard let members = model.entities(inConfiguration: configuration) else {
            throw StorageError(.incompatibleModel, "The model has no configuration \(configuration ?? "")")
        }
        let hashes = model.versionHashesByEntityName, stored = versionHashes
        var different = Set(stored.keys).subtracting(members.map(\.name))
        for member in members where hashes[member.name] != stored[member.name] { different.insert(member.name) }
        return different.sorted()
    }

    /// - Throws: `StorageError.incompatibleModel` where the store was written with another version
    ///   of the model.
    package func check(_ model: ManagedObjectModel, configuration: String?) throws(StorageError) {
        try Self.check(differences: differences(from: model, configuration: configuration))
    }

    /// - Throws: `StorageError.incompatibleModel` where there are differences.
    package static func check(differences: [String]) throws(StorageError) {
        guard !differences.isEmpty else { return }
        throw StorageError(
            .incompatibleModel,
            "The store was written with another version of the model; different: \(differences.joined(separator: ", "))",
            entities: differences)
    }
}
