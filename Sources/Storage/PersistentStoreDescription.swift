public import Foundation

/// Where a store is and how it is to be opened.
public struct PersistentStoreDescription: Sendable, Hashable {
    public var url: URL
    public var type: StoreType
    /// The configuration of the model whose entities the store holds; nil for all.
    public var configuration: String?
    /// Nothing is written, neither to the store nor beside it.
    public var isReadOnly: Bool
    /// Whether a store that does not exist is made.
    public var createsIfMissing: Bool
    /// Whether a SQLite store notes who changed what, transaction by transaction, in Core Data's tables. A store that has done so goes on doing so, whatever this says. Other
    /// types of stores can't, and refuse to open.
    public var tracksHistory: Bool
    /// How the store's own journal is kept.
    package var journal: JournalPolicy
    /// How long another process may hold the store before the operation fails as busy, in seconds.
    public var timeout: Double

    public init(url: URL, type: StoreType = .sqlite) {
        self.url = url
        self.type = type
        configuration = nil
        isReadOnly = false
        createsIfMissing = true
        tracksHistory = false
        journal = .asFound
        timeout = 2
    }
}

/// Who decides what becomes of a store's journal.
package enum JournalPolicy: Sendable, Hashable {
    /// The store is its own document: its journal mode stays as found, every commit is complete by itself.
    case asFound
    /// The store is part of a document: commits stay in the write-ahead log until the document checkpoints (DOCUMENTS §2).
    case heldByDocument
}
