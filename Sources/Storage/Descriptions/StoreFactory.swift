package import Foundation
package import Schema

/// How stores of one type are opened, for the coordinator's registry.
package struct StoreFactory: Sendable {
    package var type: StoreType
    /// Opens or creates a store; with a nil model the store's own is used.
    package var open: @Sendable (PersistentStoreDescription, ManagedObjectModel?) throws -> any StoreBackend

    /// Reads the metadata of a store without opening it; nil where a store of this type has no
    /// file.
    package var metadata: (@Sendable (URL) throws -> [String: MetadataValue])?
    /// Removes a store and all that belongs to it, unless somebody has it open.
    package var destroy: (@Sendable (URL) throws -> Void)?
    /// Puts a copy of the first store in the place of the second.
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
