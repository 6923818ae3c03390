package import Storage

extension ManagedObjectContext {
    /// Writes all changes to the store, in one transaction: all of them, or none.
    ///
    /// The save processes pending changes, calls `willSave`, validates the changed objects, and
    /// writes the changes. Conflicts with objects that were changed in the store are resolved by
    /// the ``mergePolicy``. If the save throws, no change is lost: save again, or call
    /// ``rollback()``. Takes time proportional to the changes, and does nothing without changes.
    ///
    /// - Throws: ``ValidationError`` with all validation failures, also for a value that the store
    ///   can't represent, such as NaN in a SQLite store; ``GraphError`` with code `conflict` or
    ///   `constraint`; errors of the store. In a document, `DocumentError` with code `usage`,
    ///   because the document saves; documents that are a bare store are the exception.
    public func save() throws { try saving.save(validates: true) }

    /// Takes a save's first half: what the store is to write, as values. The context counts further
    /// changes from here on.
    ///
    /// The caller has `changes` applied by the store, anywhere, and then calls
    /// ``completeSave(_:_:)`` or ``failSave(_:_:)`` here.
    /// - Parameters:
    ///   - validates: whether invalid objects fail the save; not so for an autosave.
    ///   - reservesKeys: whether new objects get their permanent numbers now. Needed where the
    ///     application goes on while the store writes: a fetch could otherwise see new rows whose
    ///     objects it can't tell.
    ///   - metadata: for the store, in the same transaction.
    ///   - deletesMembers: whether the store may be left to find and delete what goes with deleted
    ///     objects; where the change set goes to this context's own store.
    /// - Returns: nil if there is nothing to write: then the save has succeeded already.
    package func prepareSave(
        validates: Bool = true, reservesKeys: Bool = false, metadata: [String: MetadataValue?] = [:],
        deletesMembers: Bool = false
    ) throws -> PreparedSave? {
        try saving.prepare(
            validates: validates, reservesKeys: reservesKeys, metadata: metadata, deletesMembers: deletesMembers)
    }

    /// Puts the changes of a save back that the store did not write, lets the merge policy settle
    /// why, and prepares the save again.
    /// - Returns: nil if nothing is left to write: then the save has succeeded.
    /// - Throws: the error to throw where no policy can settle it.
    package func prepareSave(again failed: PreparedSave, after error: any Error) throws -> PreparedSave? {
        try saving.prepare(again: failed, after: error)
    }

    /// Accepts what the store has written: new objects get their permanent IDs, and what was saved
    /// is clean.
    package func completeSave(_ prepared: PreparedSave, _ receipt: SaveReceipt) { saving.complete(prepared, receipt) }

    /// Puts the changes of a save back, which the store did not write.
    /// - Returns: the error to throw.
    package func failSave(_ prepared: PreparedSave, _ error: any Error) -> any Error { saving.fail(prepared, error) }

    /// Puts the changes of an autosave back that the store did not write, and prepares it again as
    /// the merge policy settles it; where that does not, without the unique values that stand in
    /// its way.
    ///
    /// At first those are left out that two objects have; where what stays in the store for them is
    /// in the way of others, all unique values that would be written.
    /// - Returns: The save, and what it leaves out: for ``takeUp(_:)`` once it is complete.
    /// - Throws: the error where it is none of unique values.
    package func prepareAutosave(again failed: PreparedSave, after error: any Error) throws -> (
        save: PreparedSave?, left: [PendingUniqueValue]
    ) {
        try UniqueValueDeferral(self).prepareAutosave(again: failed, after: error)
    }

    /// Makes values changes of their objects that the store lacks. No edits: neither undo nor the
    /// position of the edits knows of them. What was changed here since stays.
    package func takeUp(_ pending: [PendingUniqueValue]) throws { try UniqueValueDeferral(self).takeUp(pending) }

    /// The deletions among the changes that would fail a save.
    package func deniedDeletions() throws -> [DeniedDeletion] { try validator.deniedDeletions() }

    /// The rules that the changes of this context violate, as a save would find them: those of the
    /// first `limit` objects that violate any, but for those of `excluded` objects.
    /// - Throws: what a hook of the application's throws, and what reading the store throws.
    package func validationFailures(limit: Int, excluding excluded: Set<ManagedObject> = []) throws -> [ValidationError
        .Failure]
    {
        try saving.validationFailures(limit: limit, excluding: excluded)
    }

    /// Has the changes of this context written by `write`, unchecked. Afterwards the objects are
    /// clean, and go when nobody holds them.
    package func writeUnchecked(_ write: (ChangeSet) throws -> SaveReceipt) throws { try saving.writeUnchecked(write) }
}

extension ManagedObjectContext {
    /// Executes a batch request in the store, in one transaction. The context is unchanged: merge
    /// the ``BatchResult/changes`` into contexts that should see them.
    ///
    /// - Throws: ``GraphError`` with code `constraint` if a delete rule denies the deletion;
    ///   ``QueryError`` for an invalid predicate; errors of the store.
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        try BatchExecutor(self).execute(request)
    }

    /// Executes a batch request in the store, in one transaction. The context is unchanged: merge
    /// the ``BatchResult/changes`` into contexts that should see them.
    ///
    /// - Throws: ``ValidationError`` for a mandatory property without a value; ``GraphError`` with
    ///   code `unknownKey`, `wrongType` or `constraint`; errors of the store.
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        try BatchExecutor(self).execute(request)
    }

    /// Executes a batch request in the store, in one transaction. The context is unchanged: merge
    /// the ``BatchResult/changes`` into contexts that should see them.
    ///
    /// - Throws: ``ValidationError`` for a mandatory property without a value; ``GraphError`` with
    ///   code `unknownKey`, `wrongType` or `constraint`; errors of the request's handler and of the
    ///   store.
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        try BatchExecutor(self).execute(request)
    }
}
