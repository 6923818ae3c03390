public import Foundation
import ObjectGraph
import Query
public import Schema
import Storage

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
    /// A condition on transactions or changes, their order, and the part of them to return; its
    /// entity says of which. Its stores count where the request names none.
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

    private var historyStores: Set<String>? { storeUUIDs ?? fetchRequest?.storeUUIDs }

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let folio = context.required
        switch range {
        case .deleteBefore(let token?): return deleted(try folio.deleteHistory(before: token.folio))
        case .deleteBefore(nil):
            return deleted(try folio.deleteHistory(before: .distantFuture, affectedStores: historyStores))
        case .deleteBeforeDate(let date):
            return deleted(try folio.deleteHistory(before: date, affectedStores: historyStores))
        case .after(let token): return try found(PersistentHistoryRequest(after: token?.folio), folio)
        case .afterDate(let date): return try found(PersistentHistoryRequest(after: date), folio)
        }
    }

    private func deleted(_ count: Int) -> NSPersistentHistoryResult {
        NSPersistentHistoryResult(resultType, resultType == .count ? NSNumber(value: count) : NSNumber(value: true))
    }

    private func found(_ request: PersistentHistoryRequest, _ context: ManagedObjectContext) throws
        -> NSPersistentHistoryResult
    {
        var request = request
        request.affectedStores = historyStores
        let all = try context.fetchHistory(request).map { NSPersistentHistoryTransaction($0) }
        guard let fetchRequest else { return result(all, all.flatMap { $0.changes ?? [] }) }
        let selection = HistorySelection(fetchRequest)
        guard fetchRequest.entityName == NSPersistentHistoryChange.entityName else {
            let transactions = try selection.select(all)
            return result(transactions, transactions.flatMap { $0.changes ?? [] })
        }
        let changes = try selection.select(all.flatMap { $0.changes ?? [] })
        let byTransaction = Dictionary(grouping: changes) { $0.transaction?.transactionNumber }
        return result(all.compactMap { $0.keeping(byTransaction[$0.transactionNumber] ?? []) }, changes)
    }

    private func result(_ transactions: [NSPersistentHistoryTransaction], _ changes: [NSPersistentHistoryChange])
        -> NSPersistentHistoryResult
    {
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
    open var resultType: NSPersistentHistoryResultType { ownResultType }
    private let ownResultType: NSPersistentHistoryResultType
    /// The transactions, the changes, the IDs, the number or a truth value.
    open var result: Any? { ownResult }
    private let ownResult: Any?

    init(_ type: NSPersistentHistoryResultType, _ result: Any) {
        ownResultType = type
        ownResult = result
    }
}

/// A transaction of the history: one save or one batch request.
// Sendable because its stored properties are constants of Sendable types. A subclass that adds some
// keeps them safe itself, as on Apple's platforms.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
    let folio: PersistentHistoryTransaction
    /// The places of the changes among all of the transaction; nil without changes.
    private let places: [Int]?

    init(_ transaction: PersistentHistoryTransaction) {
        folio = transaction
        places = Array(transaction.changes.indices)
    }

    /// Creates a transaction without changes, of no store.
    public override init() {
        folio = PersistentHistoryTransaction(
            transactionNumber: 0, storeID: "", timestamp: .distantPast, author: nil, contextName: nil, bundleID: nil,
            processID: nil, changes: [])
        places = []
        super.init()
    }

    private init(_ transaction: PersistentHistoryTransaction, _ places: [Int]?) {
        folio = transaction
        self.places = places
    }

    /// The transaction with some of its changes; nil for none.
    func keeping(_ changes: [NSPersistentHistoryChange]) -> NSPersistentHistoryTransaction? {
        guard !changes.isEmpty else { return nil }
        let kept = changes.sorted { $0.changeID < $1.changeID }
        return NSPersistentHistoryTransaction(folio.keeping(kept.map(\.folio)), kept.map { Int($0.changeID) })
    }

    var withoutChanges: NSPersistentHistoryTransaction { NSPersistentHistoryTransaction(folio, nil) }

    /// The name of what ``fetchRequest`` fetches.
    static let entityName = "TRANSACTION"

    /// The description of a transaction, for requests by predicate: it has the keys `author`,
    /// `contextName`, `bundleID`, `processID`, `storeID`, `timestamp`, `transactionNumber` and
    /// `token`.
    open class var entityDescription: NSEntityDescription? { entityDescription(with: nil) }

    /// The description of a transaction.
    open class func entityDescription(with context: NSManagedObjectContext?) -> NSEntityDescription? {
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
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { NSFetchRequest(entityName: entityName) }

    /// The time of the transaction.
    open var timestamp: Date { folio.timestamp }
    /// The changes; nil where only transactions were asked for.
    open var changes: [NSPersistentHistoryChange]? {
        places.map { places in zip(folio.changes, places).map { NSPersistentHistoryChange($0, $1, self) } }
    }
    /// The number of the transaction.
    open var transactionNumber: Int64 { folio.transactionNumber }
    /// The UUID of the store.
    open var storeID: String { folio.storeID }
    /// The identifier of the application that made the changes.
    open var bundleID: String { folio.bundleID ?? "" }
    /// The process that made the changes.
    open var processID: String { folio.processID ?? "" }
    /// The name of the context that made the changes.
    open var contextName: String? { folio.contextName }
    /// The author of the changes.
    open var author: String? { folio.author }
    /// The position after the transaction.
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken(folio.token) }

    /// What a context merges to see the changes.
    open func objectIDNotification() -> Notification {
        let changes = SavedChanges([folio])
        return Notification(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: nil,
            userInfo: [
                NSInsertedObjectIDsKey: changes.inserted, NSUpdatedObjectIDsKey: changes.updated,
                NSDeletedObjectIDsKey: changes.deleted,
            ])
    }

    /// The transaction itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }
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
// Sendable because its stored properties are constants of Sendable types. A subclass that adds some
// keeps them safe itself, as on Apple's platforms.
open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
    let folio: PersistentHistoryChange
    private let number: Int
    /// The transaction of the change.
    open var transaction: NSPersistentHistoryTransaction? { ownTransaction }
    private let ownTransaction: NSPersistentHistoryTransaction?

    /// Creates a change of no object.
    public override init() {
        folio = PersistentHistoryChange(
            kind: .update, changedObjectID: NSManagedObjectID(), updatedProperties: nil, tombstone: nil)
        (number, ownTransaction) = (0, nil)
        super.init()
    }

    init(_ change: PersistentHistoryChange, _ number: Int, _ transaction: NSPersistentHistoryTransaction) {
        folio = change
        self.number = number
        ownTransaction = transaction
    }

    /// The name of what ``fetchRequest`` fetches.
    static let entityName = "CHANGE"

    /// The description of a change, for requests by predicate: it has the keys `changeID`,
    /// `changeType` and `changedObjectID`.
    open class var entityDescription: NSEntityDescription? { entityDescription(with: nil) }

    /// The description of a change.
    open class func entityDescription(with context: NSManagedObjectContext?) -> NSEntityDescription? {
        HistoryEntities.description(
            entityName,
            [
                ("changeID", .integer64AttributeType), ("changeType", .integer64AttributeType),
                ("changedObjectID", .objectIDAttributeType),
            ])
    }

    /// A request for changes, for ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { NSFetchRequest(entityName: entityName) }

    /// The number of the change among all of its transaction, from 0 on.
    open var changeID: Int64 { Int64(number) }
    /// The ID of the object.
    open var changedObjectID: NSManagedObjectID { folio.changedObjectID }
    /// What happened to the object.
    open var changeType: NSPersistentHistoryChangeType {
        NSPersistentHistoryChangeType(rawValue: folio.kind.rawValue) ?? .update
    }
    /// The values that the history keeps of a deleted object.
    open var tombstone: [AnyHashable: Any]? { folio.tombstone.map(NSMergeConflict.plain) }
    /// The properties that an update changed.
    open var updatedProperties: Set<NSPropertyDescription>? {
        let entity: NSEntityDescription = folio.changedObjectID.entity
        return folio.updatedProperties.map { names in Set(names.compactMap { entity.propertiesByName[$0] }) }
    }

    /// The change itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
