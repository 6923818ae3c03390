public import Schema

extension FetchPredicate {
    /// Returns whether a value satisfies the predicate. `SELF` refers to the value, as in `SELF
    /// BEGINSWITH "a"`.
    ///
    /// Each call compiles the predicate.
    ///
    /// - Throws: ``QueryError`` with code `type` if values can't be compared, `unboundVariable` or
    ///   `unsupported`.
    public func evaluate(with value: PropertyValue) throws -> Bool {
        try CompiledPredicate(self).matches(.scalar(value))
    }
}
