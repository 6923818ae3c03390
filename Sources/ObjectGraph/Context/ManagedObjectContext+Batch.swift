import Storage

extension ManagedObjectContext {
    /// Runs a batch request in the store, in one transaction. This context doesn't change: merge the result's changes where they are to be seen.
    /// - Throws: ``GraphError`` with code `constraint` where a delete rule denies it, ``QueryError`` for a condition that can't be run; what the store throws.
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult { try BatchExecutor(self).execute(request) }

    /// Runs a batch request in the store, in one transaction. This context doesn't change: merge the result's changes where they are to be seen.
    /// - Throws: ``ValidationError`` for a mandatory property without a value, ``GraphError`` with code `unknownKey`, `wrongType` or `constraint`; what the store throws.
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult { try BatchExecutor(self).execute(request) }

    /// Runs a batch request in the store, in one transaction. This context doesn't change: merge the result's changes where they are to be seen.
    /// - Throws: ``ValidationError`` for a mandatory property without a value, ``GraphError`` with code `unknownKey`, `wrongType` or `constraint`; what the handler and the
    ///   store throw.
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult { try BatchExecutor(self).execute(request) }
}
