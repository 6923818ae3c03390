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
    /// Whether a SQLite store notes who changed what, transaction by transaction, in Core Data's
    /// tables. A store that has done so goes on doing so, whatever this says. Other types of stores
    /// can't, and refuse to open.
    public var tracksHistory: Bool
    /// Whether the coordinator tells after each commit to a SQLite store, by whomever, that there
    /// was one; see `PersistentStoreCoordinator.remoteChanges()`. Other types of stores can't, and
    /// refuse to open.
    public var postsRemoteChanges: Bool
    /// Whether a SQLite store of another version of the model is brought to this one when it is
    /// opened by a coordinator.
    public var migratesAutomatically: Bool
    /// Whether that may follow the rules by which one version is inferred from another; without,
    /// nothing says how, and the store does not open.
    public var infersMappingModel: Bool
    /// How a SQLite store keeps its journal; nil leaves a store as it is found, and makes a new one
    /// with a write-ahead log.
    public var journalMode: StoreJournalMode?
    /// How hard a commit of a SQLite store makes sure that it is on the disk; nil for as hard as
    /// its journal needs to outlive a power cut.
    public var synchronous: StoreSynchronous?
    /// How much of a SQLite store's file is kept in memory at most, in KiB; nil for 32 MiB.
    public var cacheKilobytes: Int?
    /// The permissions of the files of a new store, such as `0o600`, from which the process's mask
    /// is taken away; nil for what the mask leaves.
    public var fileMode: UInt32?
    /// Is told while the store waits for another process; see ``timeout``.
    public var waitObserver: StoreWaitObserver?
    /// How the store's own journal is kept.
    package var journal: JournalPolicy
    /// Whether a SQLite store that is read is its main file alone, since the write-ahead log beside
    /// it is not its own.
    package var ignoresWAL = false
    /// How long another process may hold the store before the operation fails as busy, in seconds.
    public var timeout: Double

    public init(url: URL, type: StoreType = .sqlite) {
        self.url = url
        self.type = type
        configuration = nil
        isReadOnly = false
        createsIfMissing = true
        tracksHistory = false
        postsRemoteChanges = false
        journal = .asFound
        timeout = 2
        migratesAutomatically = true
        infersMappingModel = true
        journalMode = nil
        synchronous = nil
        cacheKilobytes = nil
        fileMode = nil
        waitObserver = nil
    }
}

/// Who decides what becomes of a store's journal.
package enum JournalPolicy: Sendable, Hashable {
    /// The store is its own document: its journal mode stays as found, every commit is complete by
    /// itself.
    case asFound
    /// The store is part of a document: commits stay in the write-ahead log until the document
    /// checkpoints (DOCUMENTS §2).
    case heldByDocument
}
