package import Coding
package import Foundation
package import Schema

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

/// The metadata of a store as it keeps them: what is not changed keeps its value as it was read,
/// whatever it is.
extension [String: PropertyListValue] {
    /// What they say of the model that a store was written with.
    package static func describing(_ model: ManagedObjectModel, configuration: String?) -> [String: PropertyListValue] {
        let all = model.versionHashesByEntityName
        let members = model.entities(inConfiguration: configuration) ?? []
        let hashes = Dictionary(
            uniqueKeysWithValues: members.compactMap { entity in
                all[entity.name].map { (entity.name, PropertyListValue.data($0)) }
            })
        return [
            StoreMetadataKey.hashes: .dictionary(hashes),
            StoreMetadataKey.hashesVersion: 3,
            StoreMetadataKey.identifiers: .array(model.description.versionIdentifiers.map { .string($0) }),
            StoreMetadataKey.digest: .string(model.versionHashesDigest),
            StoreMetadataKey.checksum: .string(model.versionChecksum),
        ]
    }

    package var versionHashes: [String: Data] {
        (self[StoreMetadataKey.hashes]?.dictionary ?? [:]).compactMapValues(\.data)
    }

    package var versionIdentifiers: [String] {
        (self[StoreMetadataKey.identifiers]?.array ?? []).compactMap(\.string)
    }

    /// The metadata with some keys set and some, with nil, removed.
    /// - Parameter current: what applications are shown of them.
    /// - Throws: `StorageError.unsupported` for a change to what describes the file itself.
    package func applying(_ changes: [String: MetadataValue?], current: @autoclosure () -> [String: MetadataValue])
        throws(StorageError) -> [String: PropertyListValue]
    {
        var result = self
        for (key, value) in changes {
            if StoreMetadataKey.reserved.contains(key) {
                guard value == current()[key] else {
                    throw StorageError(
                        .unsupported, "The metadata key \(key) describes the file itself and can't be set")
                }
                continue
            }
            result[key] = value.map { PropertyListValue($0) }
        }
        return result
    }
}
