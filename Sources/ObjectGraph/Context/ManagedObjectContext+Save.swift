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
