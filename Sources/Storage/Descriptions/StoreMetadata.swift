package import Coding
package import Foundation
package import Schema
internal import Synchronization

/// The keys of store metadata that have a meaning for stores, by Core Data's names.
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
    /// The differences between the object numbers in an XML file and the primary keys, by the name
    /// of the root entity of the hierarchy.
    package static let numberOffsets = "FolioObjectNumberOffsets"
    /// The keys that describe the file itself. Applications can't set them.
    package static let reserved: Set<String> = [
        type, uuid, hashes, hashesVersion, identifiers, digest, checksum, frameworkVersion, autoVacuum, numberOffsets,
    ]
    /// The newest framework version whose files are known to look like Folio's. Core Data uses the
    /// value only to work around bugs in files of its own earlier versions.
    package static let knownFrameworkVersion: PropertyListValue = 1344
}

/// The metadata of a store. Keys that are not changed keep the value that was read, even if Folio
/// does not know it.
package struct StoreMetadata: Sendable {
    package typealias Key = StoreMetadataKey

    /// Caches decoded metadata. Documents are opened repeatedly with the same metadata, and
    /// decoding takes a considerable part of the time of opening.
    private static let recent = Mutex(RecentlyUsed<[UInt8], Content> { $0.count <= 32 << 10 })

    /// A decoded property list, and the values that every opening needs from it.
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
    /// The metadata without the UUID.
    package private(set) var values: [String: PropertyListValue] {
        didSet { content = nil }
    }
    /// The cached content; nil after the values have changed.
    private var content: Content?

    package init(uuid: String, values: [String: PropertyListValue]) {
        self.uuid = uuid.uppercased()
        self.values = values
        self.values[Key.uuid] = nil
    }

    /// Decodes metadata from a property list.
    /// - Throws: `StorageError.damaged`; `CodingError`.
    package init(uuid: String, propertyList bytes: [UInt8]) throws {
        // The UUID becomes part of the URIs of objects.
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

    /// The entries of the metadata that describe the model of the store.
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

    /// Whether the metadata say with which version of the model the store was written. Core Data's
    /// first version did not record it.
    package var hasVersionHashes: Bool { values[Key.hashes] != nil }

    package var versionIdentifiers: [String] { (values[Key.identifiers]?.array ?? []).compactMap(\.string) }

    /// All metadata including the store's UUID, for applications.
    package var publicValues: [String: MetadataValue] {
        var result = content?.publicValues ?? values.mapValues { MetadataValue($0) }
        result[Key.numberOffsets] = nil
        result[Key.uuid] = .string(uuid)
        return result
    }

    package var encoded: Data { PropertyList.encodeBinary(.dictionary(values)) }

    /// The encoded metadata, for changes in place.
    package var editable: EditablePropertyList { EditablePropertyList(values) }

    // MARK: Changing

    /// The metadata of the same store after a migration to a model.
    package func describing(_ model: ManagedObjectModel, configuration: String?) -> StoreMetadata {
        exchanging(Self.describing(model, configuration))
    }

    /// The metadata with the given values replaced.
    package func exchanging(_ values: [String: PropertyListValue]) -> StoreMetadata {
        var result = self
        result.values.merge(values) { $1 }
        return result
    }

    /// The metadata with keys set, or removed if the value is nil.
    /// - Throws: `StorageError.unsupported` for a change of a key that describes the file itself.
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

    /// The sorted names of the entities that differ between `model` and the store; empty if the
    /// metadata don't say, in which case tables and columns tell whether the model fits.
    /// - Throws: `StorageError.incompatibleModel` if the model has no such configuration.
    package func differences(from model: ManagedObjectModel, configuration: String?) throws(StorageError) -> [String] {
        guard let members = model.entities(inConfiguration: configuration) else {
            throw StorageError(.incompatibleModel, "The model has no configuration \(configuration ?? "")")
        }
        guard hasVersionHashes else { return [] }
        let hashes = model.versionHashesByEntityName, stored = versionHashes
        var different = Set(stored.keys).subtracting(members.map(\.name))
        for member in members where hashes[member.name] != stored[member.name] { different.insert(member.name) }
        return different.sorted()
    }

    /// - Throws: `StorageError.incompatibleModel` if the store was written with another version of
    ///   the model, unless the description ignores that.
    package func check(_ model: ManagedObjectModel, _ description: PersistentStoreDescription) throws(StorageError) {
        let different = try differences(from: model, configuration: description.configuration)
        if !description.ignoresVersioning { try Self.check(differences: different) }
    }

    /// - Throws: `StorageError.incompatibleModel` if there are differences.
    package static func check(differences: [String]) throws(StorageError) {
        guard !differences.isEmpty else { return }
        throw StorageError(
            .incompatibleModel,
            "The store was written with another version of the model; different: \(differences.joined(separator: ", "))",
            entities: differences)
    }
}
