public import Foundation

/// The location of a store and the options to open it with.
///
/// ```swift
/// var description = PersistentStoreDescription(url: url)
/// description.isReadOnly = true
/// try coordinator.addPersistentStore(description)
/// ```
public struct PersistentStoreDescription: Sendable, Hashable {
    /// The location of the store's file. A SQLite store at `/dev/null` is in memory; those at
    /// `/dev/null/NAME` with the same name are one store in memory, as long as somebody has it
    /// open.
    public var url: URL
    /// The type of the store.
    public var type: StoreType
    /// The model configuration whose entities the store contains; nil for all entities.
    public var configuration: String?
    /// Whether the store is opened read-only. Nothing is written to it or beside it.
    public var isReadOnly: Bool
    /// Whether the store is created if it does not exist.
    public var createsIfMissing: Bool
    /// Whether a SQLite store records a persistent history, in Core Data's tables. A store that has
    /// a history keeps recording regardless of this option. Stores of other types refuse to open
    /// with it.
    public var tracksHistory: Bool
    /// Whether the coordinator reports every commit to a SQLite store, by this or another process;
    /// see ``PersistentStoreCoordinator/remoteChanges()``. Stores of other types refuse to open
    /// with it.
    public var postsRemoteChanges: Bool
    /// Whether a coordinator migrates a store of another model version when it opens it: by a
    /// mapping model in the bundles of the program, or as inferred. The old version of an XML
    /// store, and of one of an application's own type, must be known to the program: from a model
    /// file in a bundle, or because it has opened a store of that version. Stores of types that are
    /// read and written object by object are not migrated.
    public var migratesAutomatically: Bool
    /// Whether automatic migration may infer the mapping from the two model versions. If false, a
    /// store of another version is opened only if there is a mapping model for it.
    public var infersMappingModel: Bool
    /// Whether a store of another version of the model is opened as it is, without a migration. The
    /// version hashes are not compared, and saves keep those of the store. The store must have what
    /// the model names. A SQLite store may have more, and keeps it; stores of other types may not.
    public var ignoresVersioning = false
    /// The journal mode of a SQLite store. Nil keeps the mode of an existing store and creates new
    /// ones in WAL mode.
    public var journalMode: StoreJournalMode?
    /// The `synchronous` setting of a SQLite store. Nil for the setting that its journal mode needs
    /// so that commits survive a power failure.
    public var synchronous: StoreSynchronous?
    /// The maximum size of the page cache of a SQLite store, in KiB; nil for 32 MiB.
    public var cacheKilobytes: Int?
    /// The permissions of the files of a new store, such as `0o600`, reduced by the umask of the
    /// process; nil for those that the umask allows.
    public var fileMode: UInt32?
    /// An observer of the time that the store waits for another process; see ``timeout``.
    public var waitObserver: StoreWaitObserver?
    /// The checkpoint policy of a SQLite store.
    package var journal: WALPolicy
    /// Whether a SQLite store is read from its main file alone, because the WAL file beside it does
    /// not belong to it.
    package var ignoresWAL = false
    /// The time in seconds that an operation waits for a lock of another process before it fails
    /// with ``StorageError`` `busy`. The default is 2.
    public var timeout: Double

    /// Creates a description with default options.
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

/// The policy for checkpoints of a store's WAL.
package enum WALPolicy: Sendable, Hashable {
    /// The store is independent of a document: it keeps its journal mode, and every commit is
    /// complete by itself.
    case asFound
    /// The store is part of a document: commits stay in the WAL until the document runs a
    /// checkpoint.
    case heldByDocument
}
