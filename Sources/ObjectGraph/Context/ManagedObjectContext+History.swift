public import Foundation
public import Storage

extension ManagedObjectContext {
    /// The transactions of the store's history that a request wants, oldest first; none where the store keeps no history.
    ///
    /// A store keeps one if it was opened with ``PersistentStoreDescription/tracksHistory``, or had one before. Every save and batch request is a transaction.
    /// Of several stores, that of the first that can keep one.
    /// - Throws: `StorageError` with code `historyExpired` where what followed the token was purged in part, `unsupported` for stores that can't keep a history.
    public func fetchHistory(_ request: PersistentHistoryRequest = PersistentHistoryRequest()) throws -> [PersistentHistoryTransaction] {
        try persistentStoreCoordinator.historyStore().history(request)
    }

    /// Forgets the transactions before that of a token, which stays. Returns how many were forgotten.
    @discardableResult
    public func deleteHistory(before token: PersistentHistoryToken) throws -> Int {
        try persistentStoreCoordinator.historyStore().deleteHistory(before: token)
    }

    /// Forgets the transactions before a date. Returns how many were forgotten.
    @discardableResult
    public func deleteHistory(before date: Date) throws -> Int {
        try persistentStoreCoordinator.historyStore().deleteHistory(before: date)
    }
}

extension PersistentStoreCoordinator {
    /// The place after the last transaction of the store's history; nil where there is none.
    public func currentPersistentHistoryToken() throws -> PersistentHistoryToken? {
        try historyStore().currentHistoryToken()
    }

    fileprivate func historyStore() throws -> any HistoryStore {
        guard let first = firstStore else { throw GraphError.noStore }
        guard let store = stores.lazy.compactMap({ $0 as? any HistoryStore }).first else {
            throw StorageError(.unsupported, "A store of type \(first.description.type.rawValue) keeps no history: use a SQLite store", path: first.description.url.path)
        }
        return store
    }
}

extension SavedChanges {
    /// What transactions of the history did, all together: to be merged into contexts.
    public init(_ transactions: some Sequence<PersistentHistoryTransaction>) {
        self.init()
        for transaction in transactions {
            for change in transaction.changes {
                switch change.kind {
                case .insert: inserted.insert(change.changedObjectID)
                case .update: if !inserted.contains(change.changedObjectID) { updated.insert(change.changedObjectID) }
                case .delete:
                    inserted.remove(change.changedObjectID)
                    updated.remove(change.changedObjectID)
                    deleted.insert(change.changedObjectID)
                }
            }
        }
    }
}
