public import Foundation
import ObjectGraph
import Query
public import Schema
import Storage

/// A position in the history of a store.
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    let folio: PersistentHistoryToken

    init(_ token: PersistentHistoryToken) { folio = token }

    /// Reads an archived token; nil for data that are none.
    public init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "token") as Data?,
            let token = try? JSONDecoder().decode(PersistentHistoryToken.self, from: data)
        else { return nil }
        folio = token
    }

    public static var supportsSecureCoding: Bool { true }

    /// Archives the token.
    public func encode(with coder: NSCoder) {
        if let data = try? JSONEncoder().encode(folio) { coder.encode(data as NSData, forKey: "token") }
    }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSPersistentHistoryToken)?.folio == folio }
    public override var hash: Int { folio.hashValue }
    /// The token itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What a request for history returns. The raw values are Apple's.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// The IDs of the changed objects.
    case objectIDs
    /// The number of changes.
    case count
    /// The transactions without changes.
    case transactionsOnly
    /// The changes.
    case changesOnly
    /// The transactions with their changes.
    case transactionsAndChanges
}

/// A request for, or to delete, transactions of a store's history.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    private enum Range {
        case after(NSPersistentHistoryToken?)
        case afterDate(Date)
        case deleteBefore(NSPersistentHistoryToken?)
        case deleteBeforeDate(Date)
    }

    private let range: Range
    /// What it returns.
    open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges
    /// A condition on transactions or changes; its entity says on which.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    private init(_ range: Range) { self.range = range }

    /// The position of a request for what came after one.
    open var token: NSPersistentHistoryToken? {
        switch range {
        case .after(let token), .deleteBefore(let token): token
        default: nil
        }
    }

    /// A request for the transactions after a position; for all with nil.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.after(token))
    }

    /// A request for the transactions after a time.
    open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.afterDate(date))
    }

    /// A request for the transactions after one; for all with nil.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> NSPersistentHistoryChangeRequest
    {
        NSPersistentHistoryChangeRequest(.after(transaction?.token))
    }

    /// A request for the transactions or changes that a fetch request matches.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>)
        -> NSPersistentHistoryChangeRequest
    {
        let request = NSPersistentHistoryChangeRequest(.after(nil))
        request.fetchRequest = fetchRequest
        return request
    }

    /// A request to delete the transactions before a position; all with nil.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.deleteBefore(token))
    }

    /// A request to delete the transactions before a time.
    open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.deleteBeforeDate(date))
    }

    /// A request to delete the transactions before one; all with nil.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?)
        -> NSPersistentHistoryChangeRequest
    {
        NSPersistentHistoryChangeRequest(.deleteBefore(transaction?.token))
    }

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let folio = context.required
        switch range {
        case .deleteBefore(let token):
            let count =
                try token.map { try folio.deleteHistory(before: $0.folio) }
                ?? folio.deleteHistory(before: .distantFuture)
            return NSPersistentHistoryResult(
                resultType, resultType == .count ? NSNumber(value: count) : NSNumber(value: true))
        case .deleteBeforeDate(let date):
            let count = try folio.deleteHistory(before: date)
            return NSPersistentHistoryResult(
                resultType, resultType == .count ? NSNumber(value: count) : NSNumber(value: true))
        case .after(let token):
            return result(try matching(try folio.fetchHistory(PersistentHistoryRequest(after: token?.folio))))
        case .afterDate(let date):
            return result(try matching(try folio.fetchHistory(PersistentHistoryRequest(after: date))))
        }
    }

    private func matching(_ all: [PersistentHistoryTransaction]) throws -> [NSPersistentHistoryTransaction] {
        var transactions = all.map { NSPersistentHistoryTransaction($0) }
        guard let fetchRequest else { return transactions }
        if let predicate = try fetchRequest.predicate?.fetchPredicate() {
            let isOfChanges = fetchRequest.entityName == NSPersistentHistoryChange.entityName
            transactions = try transactions.compactMap { transaction in
                guard isOfChanges else {
                    return try transaction.folio.satisfies(predicate) ? transaction : nil
                }
                let changes = try transaction.folio.changes.filter { try $0.satisfies(predicate) }
                return changes.isEmpty ? nil : transaction.keeping(changes)
            }
        }
        if fetchRequest.fetchLimit > 0 { transactions = Array(transactions.prefix(fetchRequest.fetchLimit)) }
        return transactions
    }

    private func result(_ transactions: [NSPersistentHistoryTransaction]) -> NSPersistentHistoryResult {
        let changes = transactions.flatMap { $0.changes ?? [] }
        let result: Any =
            switch resultType {
            case .statusOnly: NSNumber(value: true)
            case .objectIDs: changes.map(\.changedObjectID)
            case .count: NSNumber(value: changes.count)
            case .transactionsOnly: transactions.map { $0.withoutChanges }
            case .changesOnly: changes
            case .transactionsAndChanges: transactions
            }
        return NSPersistentHistoryResult(resultType, result)
    }
}

/// The result of a request for history.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// What ``result`` is.
    public let resultType: NSPersistentHistoryResultType
    /// The transactions, the changes, the IDs, the number or a truth value.
    public let result: Any?

    init(_ type: NSPersistentHistoryResultType, _ result: Any) {
        resultType = type
        self.result = result
    }
}

/// A transaction of the history: one save or one batch request.
public final class NSPersistentHistoryTransaction: NSObject, NSCopying, Sendable {
    let folio: PersistentHistoryTransaction
    private let hasChanges: Bool

    init(_ transaction: PersistentHistoryTransaction, hasChanges: Bool = true) {
        folio = transaction
        self.hasChanges = hasChanges
    }

    func keeping(_ changes: [PersistentHistoryChange]) -> NSPersistentHistoryTransaction {
        NSPersistentHistoryTransaction(folio.keeping(changes))
    }

    var withoutChanges: NSPersistentHistoryTransaction { NSPersistentHistoryTransaction(folio, hasChanges: false) }

    /// The name of what ``fetchRequest`` fetches.
    static let entityName = "TRANSACTION"

    /// The description of a transaction, for requests by predicate: it has the keys `author`,
    /// `contextName`, `bundleID`, `processID`, `storeID`, `timestamp`, `transactionNumber` and
    /// `token`.
    public class var entityDescription: NSEntityDescription? { entityDescription(with: nil) }

    /// The description of a transaction.
    public class func entityDescription(with context: NSManagedObjectContext?) -> NSEntityDescription? {
        HistoryEntities.description(
            entityName,
            [
                ("author", .stringAttributeType), ("contextName", .stringAttributeType),
                ("bundleID", .stringAttributeType), ("processID", .stringAttributeType),
                ("storeID", .stringAttributeType), ("timestamp", .dateAttributeType),
                ("transactionNumber", .integer64AttributeType), ("token", .integer64AttributeType),
            ])
    }

    /// A request for transactions, for
    /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { NSFetchRequest(entityName: entityName) }

    /// The time of the transaction.
    public var timestamp: Date { folio.timestamp }
    /// The changes; nil where only transactions were asked for.
    public var changes: [NSPersistentHistoryChange]? {
        hasChanges ? folio.changes.enumerated().map { NSPersistentHistoryChange($1, $0, self) } : nil
    }
    /// The number of the transaction.
    public var transactionNumber: Int64 { folio.transactionNumber }
    /// The UUID of the store.
    public var storeID: String { folio.storeID }
    /// The identifier of the application that made the changes.
    public var bundleID: String { folio.bundleID ?? "" }
    /// The process that made the changes.
    public var processID: String { folio.processID ?? "" }
    /// The name of the context that made the changes.
    public var contextName: String? { folio.contextName }
    /// The author of the changes.
    public var author: String? { folio.author }
    /// The position after the transaction.
    public var token: NSPersistentHistoryToken { NSPersistentHistoryToken(folio.token) }

    /// What a context merges to see the changes.
    public func objectIDNotification() -> Notification {
        let changes = SavedChanges([folio])
        return Notification(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: nil,
            userInfo: [
                NSInsertedObjectIDsKey: changes.inserted, NSUpdatedObjectIDsKey: changes.updated,
                NSDeletedObjectIDsKey: changes.deleted,
            ])
    }

    /// The transaction itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What a transaction did to an object. The raw values are Apple's.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// It was inserted.
    case insert = 0
    /// It was updated.
    case update
    /// It was deleted.
    case delete
}

/// The change of one object in a transaction.
public final class NSPersistentHistoryChange: NSObject, NSCopying, Sendable {
    private let folio: PersistentHistoryChange
    private let number: Int
    /// The transaction of the change.
    public let transaction: NSPersistentHistoryTransaction?

    init(_ change: PersistentHistoryChange, _ number: Int, _ transaction: NSPersistentHistoryTransaction) {
        folio = change
        self.number = number
        self.transaction = transaction
    }

    /// The name of what ``fetchRequest`` fetches.
    static let entityName = "CHANGE"

    /// The description of a change, for requests by predicate: it has the keys `changeType` and
    /// `changedObjectID`.
    public class var entityDescription: NSEntityDescription? { entityDescription(with: nil) }

    /// The description of a change.
    public class func entityDescription(with context: NSManagedObjectContext?) -> NSEntityDescription? {
        HistoryEntities.description(
            entityName,
            [("changeType", .integer64AttributeType), ("changedObjectID", .objectIDAttributeType)])
    }

    /// A request for changes, for ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { NSFetchRequest(entityName: entityName) }

    /// The number of the change in its transaction.
    public var changeID: Int64 { Int64(number) }
    /// The ID of the object.
    public var changedObjectID: NSManagedObjectID { folio.changedObjectID }
    /// What happened to the object.
    public var changeType: NSPersistentHistoryChangeType {
        NSPersistentHistoryChangeType(rawValue: folio.kind.rawValue) ?? .update
    }
    /// The values that the history keeps of a deleted object.
    public var tombstone: [AnyHashable: Any]? { folio.tombstone.map(NSMergeConflict.plain) }
    /// The properties that an update changed.
    public var updatedProperties: Set<NSPropertyDescription>? {
        let entity: NSEntityDescription = folio.changedObjectID.entity
        return folio.updatedProperties.map { names in Set(names.compactMap { entity.propertiesByName[$0] }) }
    }

    /// The change itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Descriptions of what a history has.
enum HistoryEntities {
    static func description(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType) = (name, type)
            return attribute
        }
        return entity
    }
}
