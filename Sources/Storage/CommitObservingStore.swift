/// A store that reports commits to its files by any process.
package protocol CommitObservingStore: StoreBackend {
    /// Calls `handler` soon after commits, once for commits that are close together, until the
    /// result is released. It is called on a thread of its own.
    /// - Throws: `StorageError`: `unsupported` for a store without a file; `inputOutput` or a
    ///   similar code if the system has no watches left.
    func observeCommits(_ handler: @escaping @Sendable (PersistentHistoryToken?) -> Void) throws
        -> any CommitObservation
}

/// An active observation. It ends when it is cancelled or released.
package protocol CommitObservation: Sendable {
    func cancel()
}
