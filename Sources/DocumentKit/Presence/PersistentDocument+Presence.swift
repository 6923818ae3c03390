internal import DocumentFiles

extension PersistentDocument {
    /// Looks whether another program has moved, replaced or deleted the document, and does what is
    /// right: a document that was moved is followed; one that was replaced while nothing was
    /// unsaved here is read again; else it is a conflict, which ``resolveConflict(_:)`` settles.
    /// Nothing is ever overwritten.
    ///
    /// Called by itself after ``startBackgroundTasks(_:isolation:)``; else call it when the
    /// document comes to the front. Costs a few looks at names.
    /// - Returns: What happened, nil for nothing new. ``outsideChangeHandler`` is told too.
    @discardableResult
    public func checkForOutsideChanges() async -> OutsideChange? {
        let change = await opened.exclusively { await outside.look() }
        if let change { outsideChangeHandler?(change) }
        return change
    }

    /// Settles a conflict: another program has put another state in the document's place while
    /// edits here were unsaved.
    ///
    /// ```swift
    /// let outcome = try await document.resolveConflict(.merge(.mergeByPropertyObjectTrump))
    /// for clash in outcome.clashes { print(clash.object, clash.property ?? "deleted") }
    /// ```
    /// Afterwards the document is the other state, with the edits on top of it that a merge has
    /// made, and undo has nothing else to take back. Costs writing a copy of what is open here, and
    /// for a merge reading three states; memory for what differs.
    /// - Returns: What was kept, and what clashed.
    /// - Throws: `DocumentError`: `usage` where there is no conflict; `unsupported` where a merge
    ///   has nothing to go by, since the other state is another document, or of another version of
    ///   the model, or the last save here can't be had any more, and for SQLite stores by
    ///   themselves; what writing the copy throws. `GraphError` with code `conflict` and all
    ///   conflicts for a merge with policy `error`. Then the conflict stays. `changed` where the
    ///   other state was read, but the edits could not be made on it: its hint says where they are
    ///   kept, a version or a copy beside the document.
    @discardableResult
    public func resolveConflict(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        try await opened.exclusively {
            guard isOpen, outsideChange == .conflict else {
                throw DocumentError(.usage, "there is no conflict to resolve", path: opened.path)
            }
            do { return try await resolver.resolve(resolution) } catch let unmerged as UnmergedEdits {
                throw unmerged.documentError(opened.path)
            }
        }
    }
}
