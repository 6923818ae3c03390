import Coding
import Foundation
import Schema
import Storage

/// What `Z_METADATA` says of a store. Keys that are not changed keep their value as it was read,
/// whatever it is.
struct StoreMetadata: Sendable {
    typealias Key = StoreMetadataKey

    private static let recent = RecentReadings<Content>()

    /// What a property list says, and what is asked of that at every opening.
    private struct Content {
        let values: [String: PropertyListValue]
        let versionHashes: [String: Data]
        let publicValues: [String: MetadataValue]

        init(_ values: [String: PropertyListValue]) {
            self.values = values
            versionHashes = values.versionHashes
            publicValues = values.mapValues { MetadataValue($0) }
        }
    }

    let uuid: String
    private(set) var values: [String: PropertyListValue] {
        didSet { content = nil }
    }
    /// As long as the values are those that were read.
    private var content: Content?

    init(uuid: String, plist: [UInt8]) throws {
        // It stands in the URIs of objects.
        guard StoreIdentity.isLegal(uuid) else {
            throw StorageError(.damaged, "The store's identity is no UUID: \(uuid.prefix(40))")
        }
        self.uuid = uuid.uppercased()
        let content = try Self.recent.value(of: plist) {
            guard let values = try PropertyList.decode(Data(plist)).dictionary else {
                throw StorageError(.damaged, "The store's metadata are no dictionary")
            }
            return Content(values)
        }
        values = content.values
        self.content = content
    }

    /// The same store's metadata after its migration to a model.
    func describing(_ model: ManagedObjectModel, configuration: String?) -> StoreMetadata {
        var result = self
        result.values.merge(.describing(model, configuration: configuration)) { _, new in new }
        return result
    }

    /// The metadata of a new store.
    init(uuid: String, model: ManagedObjectModel, configuration: String?) {
        self.uuid = uuid.uppercased()
        values = [
            Key.type: .string("SQLite"),
            Key.frameworkVersion: Key.knownFrameworkVersion,
            Key.autoVacuum: "2",
        ]
        values.merge(.describing(model, configuration: configuration)) { _, new in new }
    }

    var encoded: Data { PropertyList.encodeBinary(.dictionary(values)) }

    /// What is encoded, to be changed in place.
    var editable: EditablePropertyList { EditablePropertyList(values) }

    func value(_ key: String) -> PropertyListValue? { values[key] }

    var versionHashes: [String: Data] { content?.versionHashes ?? values.versionHashes }
    var versionIdentifiers: [String] { values.versionIdentifiers }

    /// All of it with the store's UUID, for applications.
    var publicValues: [String: MetadataValue] {
        var result = content?.publicValues ?? values.mapValues { MetadataValue($0) }
        result[Key.uuid] = .string(uuid)
        return result
    }

    /// The metadata with some keys set and some, with nil, removed.
    /// - Throws: `StorageError.unsupported` for a change to what describes the file itself.
    func applying(_ changes: [String: MetadataValue?]) throws(StorageError) -> StoreMetadata {
        var result = self
        result.values = try values.applying(changes, current: publicValues)
        return result
    }

    /// The metadata with other values for some keys that are there, none of which describes the
    /// file itself.
    func exchanging(_ values: [String: PropertyListValue]) -> StoreMetadata {
        var result = self
        result.values.merge(values) { $1 }
        return result
    }
}
