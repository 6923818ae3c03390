public import Foundation
package import Schema
public import Storage

/// A store that has been added to a coordinator. Its objects are accessed through contexts.
public struct PersistentStore: Sendable, Hashable {
    /// The UUID of the store.
    public let identifier: String
    /// The description with which the store was opened.
    public let storeDescription: PersistentStoreDescription

    /// The location of the store.
    public var url: URL { storeDescription.url }
    /// The type of the store.
    public var type: StoreType { storeDescription.type }
    /// The model configuration whose entities the store contains; nil for all entities.
    public var configurationName: String? { storeDescription.configuration }
    /// Whether the store was opened read-only.
    public var isReadOnly: Bool { storeDescription.isReadOnly }

    /// The identity in the IDs of the store's objects: another one each time that the store is
    /// opened.
    package let identity: StoreIdentity

    package init(_ store: any StoreBackend) {
        identity = store.identity
        identifier = identity.uuid
        storeDescription = store.description
    }
}
