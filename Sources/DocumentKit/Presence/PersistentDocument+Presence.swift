internal import DocumentFiles

extension PersistentDocument {
    /// Checks whether another program has moved, replaced or deleted the document, and handles it:
    /// a moved document stays open at its new location; one that was replaced is read again if
    /// there are no unsaved changes. Otherwise there is a conflict, which ``resolveConflict(_:)``
    /// resolves. Nothing is overwritten.
    ///
    /// After ``startBackgroundTasks(_:isolation:)`` this is called automatically; otherwise call it
    /// when the document becomes active. It inspects a few file names.
    ///
    /// - Returns: The change; nil if there is none. ``outsideChangeHandler`` is called with it,
    ///   too.
    @discardableResult
    public func checkForOutsideChanges() async -> OutsideChange? {
        let change = await opened.exclusively { await operations.outside.look() }
        if let change { outsideChangeHandler?(change) }
        return change
    }

    /// Resolves a conflict: another program has replaced the document while there are unsaved
    /// changes here.
    ///
    /// ```swift
    /// let outcome = try await document.resolveConflict(.merge(.mergeByPropertyObjectTrump))
    /// for clash in outcome.clashes { print(clash.object, clash.property ?? "deleted") }
    /// ```
    /// Afterwards the document has the other state, with merged changes as unsaved changes, which
    /// are the only ones that can be undone. A copy of the state that is open here is written, and
    /// a merge reads three states. Memory is needed for the differences.
    ///
    /// - Returns: The copy or version that was kept, and the contradicting changes.
    /// - Throws: `DocumentError`: `usage` if there is no conflict; `unsupported` if a merge is not
    ///   possible because the other state is another document or has another model version, because
    ///   the last save can't be read any more, or because the document is a bare SQLite store;
    ///   errors of writing the copy. `GraphError` with code `conflict` and all conflicts for a
    ///   merge with the policy `error`. The conflict is not resolved then. `changed` if the other
    ///   state was read, but changes could not be applied to it; the error's hint says in which
    ///   version or copy they are kept.
    @discardableResult
    public func resolveConflict(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        try await opened.exclusively { try await operations.resolver.resolveOpenConflict(resolution) }
    }
}
