package import Foundation
package import Schema

/// The functions that open stores of one type and work on their files, for the coordinator's
/// registry.
package struct StoreFactory: Sendable {
    package var type: StoreType
    /// Opens or creates a store. If the model is nil, the store's own model is used.
    package var open: @Sendable (PersistentStoreDescription, ManagedObjectModel?) throws -> any StoreBackend

    /// Reads the metadata of a store without opening it; nil if stores of this type have no file.
    package var metadata: (@Sendable (URL) throws -> [String: MetadataValue])?
    /// Removes a store and all its files, unless it is open.
    package var destroy: (@Sendable (URL) throws -> Void)?
    /// Replaces the second store with a copy of the first.
    package var replace: (@Sendable (_ source: URL, _ target: URL) throws -> Void)?

    package init(
        type: StoreType,
        open: @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel?) throws -> any StoreBackend,
        metadata: (@Sendable (URL) throws -> [String: MetadataValue])? = nil,
        destroy: (@Sendable (URL) throws -> Void)? = nil,
        replace: (@Sendable (_ source: URL, _ target: URL) throws -> Void)? = nil
    ) {
        self.type = type
        self.open = open
        self.metadata = metadata
        self.destroy = destroy
        self.replace = replace
    }
}
