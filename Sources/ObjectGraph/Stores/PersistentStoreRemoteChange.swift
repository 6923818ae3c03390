public import Foundation
public import Storage

/// A commit to a store, of a save or a batch request, by this process or another.
public struct PersistentStoreRemoteChange: Sendable, Hashable {
    /// The UUID of the store.
    public let storeUUID: String
    /// The location of the store.
    public let storeURL: URL
    /// The position after the last transaction of the store's history at that time; nil if the
    /// store has no history.
    public let historyToken: PersistentHistoryToken?
}
