public import Foundation
public import Storage

extension ManagedObjectContext {
    /// The transactions of the store's history that a request wants, oldest first; none where the
    /// store keeps no history.
    ///
    /// A store keeps one if it was opened with ``PersistentStoreDescription/tracksHistory``, or had
    /// one before. Every save and batch request is a transaction. Of several stores, that of the
    /// first that can keep one.
    /// - Throws: `StorageError` with code `historyExpired` where what followed the token was purged
    ///   in part, `unsupported` for stores that can't keep a history.
    public func fetchHistory(_ request: PersistentHistoryRequest = PersistentHistoryRequest()) throws
        -> [PersistentHistoryTransaction]
    {
        try persistentStoreCoordinator.historyStore().history(request)
    }

    /// Forgets the transactions before that of a token, which stays. Returns how many were
    /// forgotten.
    @discardableResult
    public func deleteHistory(before token: PersistentHistoryToken) throws -> Int {
        try persistentStoreCoordinator.historyStore().deleteHistory(before: token)
    }

    /// Forgets the transactions before a date. Returns how many were forgotten.
    @discardableResult
    public func deleteHistory(before date: Date) throws -> Int {
        try persistentStoreCoordinator.historyStore().deleteHistory(before: date)
    }

    // MARK: Moments of the store

    /// The moment of the store that the context reads; nil while it is not pinned, and in a child,
    /// which reads through its parent.
    ///
    /// Pinning takes effect at the first reading: before it, this is nil too.
    public var queryGenerationToken: QueryGenerationToken? { reader.token }

    /// Pins the context to a moment of its store: what others commit afterwards is not seen by
    /// fetches and faults, until the context moves on.
    ///
    /// - Parameter token: ``QueryGenerationToken/current`` for the moment of the next reading,
    ///   another context's ``queryGenerationToken`` for the same moment as that one's, nil to read
    ///   what is committed.
    ///
    /// A save of the context, a merge of what others saved, and a reset move it to the moment of
    /// the reading that follows. Objects that were read keep their values. SQLite stores in WAL
    /// mode alone can be pinned; with others the context stays unpinned. A pinned moment keeps the
    /// store's WAL from being emptied: let go of it in time.
    /// - Throws: ``GraphError`` with code `noStore` where a token is of a store that the
    ///   coordinator has not.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws { try reader.pin(to: token) }
}
