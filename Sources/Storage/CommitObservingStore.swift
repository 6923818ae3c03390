/// A store that tells of commits to its files, by whomever.
package protocol CommitObservingStore: StoreBackend {
    /// Calls `handler` soon after commits, once for those that come at one time, as long as the
    /// result is kept. It comes on a thread of its own.
    /// - Throws: `StorageError`: `unsupported` for a store in no file, `inputOutput` and its kin
    ///   where the system has no watch left.
    func observeCommits(_ handler: @escaping @Sendable (PersistentHistoryToken?) -> Void) throws
        -> any CommitObservation
}

/// An observation that lasts as long as this is kept, or until it is cancelled.
package protocol CommitObservation: Sendable {
    func cancel()
}
