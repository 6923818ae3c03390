public import Query

extension FetchPredicate {
    /// Whether an object satisfies the predicate, with its values in its context. Fires faults that
    /// the predicate leads to.
    ///
    /// ```swift
    /// let isRecent = try FetchPredicate(format: "year > 1960").evaluate(with: book)
    /// ```
    /// The predicate is compiled by each call.
    ///
    /// - Throws: ``QueryError`` with code `unknownKey`, `type`, `unboundVariable` or `unsupported`;
    ///   errors of reading the store.
    public func evaluate(with object: ManagedObject) throws -> Bool {
        try CompiledPredicate(self).matches(object)
    }

    /// Whether a collection of objects satisfies the predicate, in which SELF stands for the
    /// collection, as in `ANY SELF.year > 1960`.
    ///
    /// - Throws: What ``evaluate(with:)-(ManagedObject)`` throws.
    public func evaluate(with objects: [ManagedObject]) throws -> Bool {
        try CompiledPredicate(self).matches(.collection(objects.map { .object($0) }, isOrdered: true))
    }
}
