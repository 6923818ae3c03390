public import Foundation
public import Schema

/// A position in the persistent history of a store, after the last transaction that a client has
/// processed. Encode it to keep it across launches.
///
/// ```swift
/// let data = try JSONEncoder().encode(try coordinator.currentPersistentHistoryToken())
/// let token = try JSONDecoder().decode(PersistentHistoryToken.self, from: data)
/// let transactions = try context.fetchHistory(PersistentHistoryRequest(after: token))
/// ```
public struct PersistentHistoryToken: Sendable, Hashable, Codable {
    /// The UUID of the store.
    public let storeUUID: String
    /// The number of the last transaction that the client has processed.
    package let number: Int64

    package init(storeUUID: String, number: Int64) {
        self.storeUUID = storeUUID
        self.number = number
    }
}

/// A transaction of the persistent history: one save or one batch request.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The number of the transaction, which increases with every transaction of the store.
    public let transactionNumber: Int64
    /// The UUID of the store.
    public let storeID: String
    /// The time of the transaction.
    public let timestamp: Date
    /// The ``ManagedObjectContext/transactionAuthor`` of the context that made the changes.
    public let author: String?
    /// The name of the context that made the changes.
    public let contextName: String?
    /// The identifier of the framework or application that made the changes; `folio` for Folio.
    public let bundleID: String?
    /// The process that made the changes; Folio writes the name of the process.
    public let processID: String?
    /// The changes of the transaction, one for each object.
    public let changes: [PersistentHistoryChange]

    /// The position after this transaction.
    public var token: PersistentHistoryToken { PersistentHistoryToken(storeUUID: storeID, number: transactionNumber) }

    package init(
        transactionNumber: Int64, storeID: String, timestamp: Date, author: String?, contextName: String?,
        bundleID: String?, processID: String?,
        changes: [PersistentHistoryChange]
    ) {
        self.transactionNumber = transactionNumber
        self.storeID = storeID
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.bundleID = bundleID
        self.processID = processID
        self.changes = changes
    }
}

/// The change of one object in a transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// The kind of a change. The raw values are those of Core Data.
    public enum Kind: Int, Sendable, Hashable {
        /// The object was inserted.
        case insert = 0
        /// The object was updated.
        case update = 1
        /// The object was deleted.
        case delete = 2
    }

    /// The kind of the change.
    public let kind: Kind
    /// The ID of the object.
    public let changedObjectID: ManagedObjectID
    /// The names of the properties that an update changed; nil for other kinds, and for history
    /// that was not written by Folio, whose encoding is not known.
    public let updatedProperties: Set<String>?
    /// For a deletion, the last values of the attributes with
    /// ``AttributeDescription/preservesValueInHistoryOnDeletion``; nil for other kinds.
    public let tombstone: [String: PropertyValue]?

    package init(
        kind: Kind, changedObjectID: ManagedObjectID, updatedProperties: Set<String>?,
        tombstone: [String: PropertyValue]?
    ) {
        self.kind = kind
        self.changedObjectID = changedObjectID
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }
}

/// A request for transactions of a store's history. All conditions must hold.
///
/// ```swift
/// var request = PersistentHistoryRequest(after: lastToken)
/// request.excludedAuthors = ["importer"]
/// for transaction in try context.fetchHistory(request) { … }
/// ```
public struct PersistentHistoryRequest: Sendable, Hashable {
    /// Only transactions after this position; nil for all.
    public var token: PersistentHistoryToken?
    /// Only transactions after this time; nil for all.
    public var date: Date?
    /// Only transactions of this author; nil for all authors.
    public var author: String?
    /// No transactions of these authors.
    public var excludedAuthors: Set<String> = []
    /// Only transactions of contexts with this name; nil for all.
    public var contextName: String?
    /// Only changes of objects of these entities, without sub-entities; transactions without such
    /// changes are left out. Nil for all entities.
    public var entityNames: Set<String>?
    /// Only changes of this object; transactions without such changes are left out. Nil for all
    /// objects.
    public var objectID: ManagedObjectID?
    /// The maximum number of transactions; 0 for all.
    public var fetchLimit = 0
    /// The UUIDs of the stores whose history is read. Nil for the store of ``token``, or without
    /// one for the first store of the coordinator that can have a history.
    public var affectedStores: Set<String>?

    /// Creates a request for the transactions after a position; nil for all.
    public init(after token: PersistentHistoryToken? = nil) {
        self.token = token
    }

    /// Creates a request for the transactions after a time.
    public init(after date: Date) {
        self.date = date
    }
}

/// The author of a change, for the history.
package struct ChangeOrigin: Sendable, Hashable {
    package var author: String?
    package var contextName: String?

    package init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }
}

/// A store that can record a history of its transactions.
package protocol HistoryStore: StoreBackend {
    /// The transactions, oldest first; empty if the store records no history.
    /// - Throws: `StorageError` with code `historyExpired` if transactions after the token have
    ///   been purged.
    func history(_ request: PersistentHistoryRequest) throws -> [PersistentHistoryTransaction]
    /// The position after the last transaction; nil if there is no history.
    func currentHistoryToken() throws -> PersistentHistoryToken?
    /// Deletes the transactions before the one of the token, or before a date. Returns their
    /// number.
    func deleteHistory(before token: PersistentHistoryToken) throws -> Int
    func deleteHistory(before date: Date) throws -> Int
}
