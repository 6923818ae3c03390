public import Foundation
public import Storage

/// Something was committed to a store: by this process or another one, a save or a batch request.
public struct PersistentStoreRemoteChange: Sendable, Hashable {
    /// The store's UUID, as its metadata has it.
    public let storeUUID: String
    /// Where the store is.
    public let storeURL: URL
    /// The place after the last transaction of the store's history then; nil where it keeps none.
    public let historyToken: PersistentHistoryToken?
}
