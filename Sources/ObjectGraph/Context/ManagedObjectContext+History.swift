public import Foundation
public import Storage

extension ManagedObjectContext {
    /// Fetches the transactions of the store's history that match a request, oldest first. The
    /// result is empty if the store has no history.
    ///
    /// A store has a history if it was ever opened with
    /// ``PersistentStoreDescription/tracksHistory``. Every save and every batch request is a
    /// transaction. If the coordinator has several stores,
    /// ``PersistentHistoryRequest/affectedStores`` selects those to read, and the transactions of
    /// several are in the order of their times. A position is one in a single store: after it, the
    /// history of this store alone is read.
    ///
    /// - Throws: `StorageError` with code `historyExpired` if transactions after the token have
    ///   been deleted, `unsupported` if no store can have a history.
    public func fetchHistory(_ request: PersistentHistoryRequest = PersistentHistoryRequest()) throws
        -> [PersistentHistoryTransaction]
    {
        try persistentStoreCoordinator.history(request)
    }

    /// Deletes the transactions of the history before the one of a token, which is kept, in the
    /// token's store. Returns the number of deleted transactions.
    @discardableResult
    public func deleteHistory(before token: PersistentHistoryToken) throws -> Int {
        try persistentStoreCoordinator.historyStores(nil, of: token).reduce(0) {
            $0 + (try $1.deleteHistory(before: token))
        }
    }

    /// Deletes the transactions of the history before a date. Returns the number of deleted
    /// transactions.
    ///
    /// - Parameter affectedStores: The UUIDs of the stores whose history is shortened; nil for the
    ///   first store that can have one.
    @discardableResult
    public func deleteHistory(before date: Date, affectedStores: Set<String>? = nil) throws -> Int {
        try persistentStoreCoordinator.historyStores(affectedStores).reduce(0) {
            $0 + (try $1.deleteHistory(before: date))
        }
    }

    // MARK: Query generations

    /// The generation of the store that the context reads; nil if it is not pinned, and for a child
    /// context, which reads through its parent.
    ///
    /// Pinning takes effect with the next read. Until then this is nil.
    public var queryGenerationToken: QueryGenerationToken? { reader.token }

    /// Pins the context to a generation of its store: commits made afterwards are not visible to
    /// fetches and faults until the context advances.
    ///
    /// - Parameter token: ``QueryGenerationToken/current`` for the generation at the next read, the
    ///   ``queryGenerationToken`` of another context for the same generation, or nil to read the
    ///   latest commit.
    ///
    /// Saving the context, merging changes of other contexts and ``reset()`` advance it to the
    /// generation at the next read. Objects keep the values that were read before. Only SQLite
    /// stores in WAL mode support generations; with other stores the context stays unpinned. While
    /// a generation is pinned, the WAL of the store can't be checkpointed completely, so release it
    /// in time.
    ///
    /// - Throws: ``GraphError`` with code `noStore` if the token belongs to a store that the
    ///   coordinator does not have.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws { try reader.pin(to: token) }
}
