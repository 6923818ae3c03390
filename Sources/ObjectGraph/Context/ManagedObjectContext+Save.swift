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

    /// Performs the first half of a save: determines, as values, the changes that the store has to
    /// write. Later changes of the context belong to the next save.
    ///
    /// The caller lets the store apply `changes`, in any isolation domain, and then calls
    /// ``completeSave(_:_:)`` or ``failSave(_:_:)`` in the domain of the context.
    /// - Parameters:
    ///   - validates: Whether invalid objects fail the save. False for an autosave.
    ///   - reservesKeys: Whether new objects get their permanent primary keys now. Necessary if the
    ///     application continues while the store writes: otherwise a fetch could return new rows
    ///     that can't be matched with their objects.
    ///   - metadata: Metadata for the store, written in the same transaction.
    ///   - deletesMembers: Whether the store may find and delete the objects that delete rules
    ///     delete together with others. Only if the change set is applied to this context's own
    ///     store.
    /// - Returns: Nil if there is nothing to write, in which case the save has succeeded.
    package func prepareSave(
        validates: Bool = true, reservesKeys: Bool = false, metadata: [String: MetadataValue?] = [:],
        deletesMembers: Bool = false
    ) throws -> PreparedSave? {
        try saving.prepare(
            validates: validates, reservesKeys: reservesKeys, metadata: metadata, deletesMembers: deletesMembers)
    }

    /// Restores the changes of a save that the store did not write, lets the merge policy resolve
    /// the conflicts, and prepares the save again.
    /// - Returns: Nil if nothing is left to write, in which case the save has succeeded.
    /// - Throws: The error of the save if the merge policy can't resolve it.
    package func prepareSave(again failed: PreparedSave, after error: any Error) throws -> PreparedSave? {
        try saving.prepare(again: failed, after: error)
    }

    /// Completes a save that the store has written: new objects get their permanent IDs, and saved
    /// objects become clean.
    package func completeSave(_ prepared: PreparedSave, _ receipt: SaveReceipt) { saving.complete(prepared, receipt) }

    /// Restores the changes of a save that the store did not write.
    /// - Returns: The error to throw.
    package func failSave(_ prepared: PreparedSave, _ error: any Error) -> any Error { saving.fail(prepared, error) }

    /// Restores the changes of an autosave that the store did not write, and prepares it again. If
    /// the merge policy does not resolve the failure, the new save leaves out the unique values
    /// that cause it.
    ///
    /// The first attempt leaves out values that two of the saved objects share. If the values that
    /// then remain in the store violate further constraints, the next attempt leaves out all unique
    /// values.
    /// - Returns: The save, and the values that it leaves out: pass them to ``takeUp(_:)`` once the
    ///   save is complete.
    /// - Throws: The error if it is not about unique values.
    package func prepareAutosave(again failed: PreparedSave, after error: any Error) throws -> (
        save: PreparedSave?, left: [PendingUniqueValue]
    ) {
        try UniqueValueDeferral(self).prepareAutosave(again: failed, after: error)
    }

    /// Makes the values unsaved changes of their objects again, since the store does not have them.
    /// They don't count as edits: neither undo nor the edit position is affected. Properties that
    /// were changed since keep their values.
    package func takeUp(_ pending: [PendingUniqueValue]) throws { try UniqueValueDeferral(self).takeUp(pending) }

    /// The deletions among the unsaved changes that a delete rule denies.
    package func deniedDeletions() throws -> [DeniedDeletion] { try validator.deniedDeletions() }

    /// The validation failures of this context's changes, as a save would find them: those of the
    /// first `limit` invalid objects, not counting `excluded` objects.
    /// - Throws: Errors of validation methods of the application, and errors of reading the store.
    package func validationFailures(limit: Int, excluding excluded: Set<ManagedObject> = []) throws -> [ValidationError
        .Failure]
    {
        try saving.validationFailures(limit: limit, excluding: excluded)
    }

    /// Lets `write` save the changes of this context without validation. Afterwards the objects are
    /// clean, and the context no longer retains them.
    package func writeUnchecked(_ write: (ChangeSet) throws -> SaveReceipt) throws { try saving.writeUnchecked(write) }
}

extension ManagedObjectContext {
    /// Executes a batch request in the store, in one transaction. The context is unchanged: merge
    /// the ``BatchResult/changes`` into contexts that should see them.
    ///
    /// Not possible in the context of a document, whose store only the document changes, except for
    /// a document that is a bare store.
    ///
    /// - Throws: ``GraphError`` with code `constraint` if a delete rule denies the deletion;
    ///   ``QueryError`` for an invalid predicate; errors of the store.
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        try BatchExecutor(self).execute(request)
    }

    /// Executes a batch request in the store, in one transaction. The context is unchanged: merge
    /// the ``BatchResult/changes`` into contexts that should see them.
    ///
    /// Not possible in the context of a document, whose store only the document changes, except for
    /// a document that is a bare store.
    ///
    /// - Throws: ``ValidationError`` for a mandatory property without a value; ``GraphError`` with
    ///   code `unknownKey`, `wrongType` or `constraint`; errors of the store.
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        try BatchExecutor(self).execute(request)
    }

    /// Executes a batch request in the store, in one transaction. The context is unchanged: merge
    /// the ``BatchResult/changes`` into contexts that should see them.
    ///
    /// Not possible in the context of a document, whose store only the document changes, except for
    /// a document that is a bare store.
    ///
    /// - Throws: ``ValidationError`` for a mandatory property without a value; ``GraphError`` with
    ///   code `unknownKey`, `wrongType` or `constraint`; errors of the request's handler and of the
    ///   store.
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        try BatchExecutor(self).execute(request)
    }
}
