public import Foundation
import Schema
public import Storage

/// A store that has been added to a coordinator. Its objects are accessed through contexts.
public struct AttachedStore: Sendable, Hashable {
    /// The UUID of the store.
    public let identifier: String
    /// The description with which the store was opened.
    public let description: PersistentStoreDescription

    /// The location of the store.
    public var url: URL { description.url }
    /// The type of the store.
    public var type: StoreType { description.type }
    /// The model configuration whose entities the store contains; nil for all entities.
    public var configurationName: String? { description.configuration }
    /// Whether the store was opened read-only.
    public var isReadOnly: Bool { description.isReadOnly }

    package init(_ store: any PersistentStore) {
        identifier = store.identity.uuid
        description = store.description
    }
}
