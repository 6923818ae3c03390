public import Foundation
import Schema
public import Storage

/// A store that a coordinator has, as a name for it: the store itself is reached through contexts.
public struct AttachedStore: Sendable, Hashable {
    /// The store's UUID.
    public let identifier: String
    /// How the store was opened.
    public let description: PersistentStoreDescription

    public var url: URL { description.url }
    public var type: StoreType { description.type }
    /// The configuration whose entities it holds; nil for all.
    public var configurationName: String? { description.configuration }
    public var isReadOnly: Bool { description.isReadOnly }

    package init(_ store: any PersistentStore) {
        identifier = store.identity.uuid
        description = store.description
    }
}
