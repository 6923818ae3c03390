public import Foundation
public import Schema

/// A place in a store's history: what comes after it has not been seen yet. It can be kept in a
/// file.
public struct PersistentHistoryToken: Sendable, Hashable, Codable {
    public let storeUUID: String
    /// The number of the last transaction that was seen.
    package let number: Int64

    package init(storeUUID: String, number: Int64) {
        self.storeUUID = storeUUID
        self.number = number
    }
}

/// One save or batch request, as a store's history tells it.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// Rises with every transaction of the store.
    public let transactionNumber: Int64
    public let storeID: String
    public let timestamp: Date
    /// The `transactionAuthor` of the context.
    public let author: String?
    public let contextName: String?
    public let bundleID: String?
    public let processID: String?
    public let changes: [PersistentHistoryChange]

    /// Fetching after it brings what followed this transaction.
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

/// What a transaction did to one object.
public struct PersistentHistoryChange: Sendable, Hashable {
    public enum Kind: Int, Sendable, Hashable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    public let kind: Kind
    public let changedObjectID: ManagedObjectID
    /// The properties that an update changed; nil for other kinds, and where another framework
    /// wrote the history, whose encoding is not known.
    public let updatedProperties: Set<String>?
    /// What the model's attributes to be preserved after deletion had last; nil for other kinds.
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

/// Which transactions of a store's history are wanted. All conditions have to hold.
///
/// ```swift
/// var request = PersistentHistoryRequest(after: lastToken)
/// request.excludedAuthors = ["importer"]
/// for transaction in try context.fetchHistory(request) { … }
/// ```
public struct PersistentHistoryRequest: Sendable, Hashable {
    /// Only what followed this place; nil for all there is.
    public var token: PersistentHistoryToken?
    /// Only what was saved later.
    public var date: Date?
    public var author: String?
    public var excludedAuthors: Set<String> = []
    public var contextName: String?
    /// Only changes to objects of these entities, sub-entities not counted, and only transactions
    /// that have some.
    public var entityNames: Set<String>?
    /// Only changes to this object, and only transactions that have some.
    public var objectID: ManagedObjectID?
    /// 0 for all of them.
    public var fetchLimit = 0

    public init(after token: PersistentHistoryToken? = nil) {
        self.token = token
    }

    public init(after date: Date) {
        self.date = date
    }
}

/// Who makes a change, for the history.
package struct ChangeOrigin: Sendable, Hashable {
    package var author: String?
    package var contextName: String?

    package init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }
}

/// A store that can keep a history of its transactions.
package protocol HistoryStore: PersistentStore {
    /// Oldest first; none where the store keeps no history.
    /// - Throws: `StorageError` with code `historyExpired` where what followed the token was purged
    ///   in part.
    func history(_ request: PersistentHistoryRequest) throws -> [PersistentHistoryTransaction]
    /// The place after the last transaction; nil where there is no history.
    func currentHistoryToken() throws -> PersistentHistoryToken?
    /// Forgets the transactions before that of the token, or those before a date. Returns how many.
    func deleteHistory(before token: PersistentHistoryToken) throws -> Int
    func deleteHistory(before date: Date) throws -> Int
}
