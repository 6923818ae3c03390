public import Schema

extension FetchPredicate {
    /// Whether a value satisfies the predicate; `SELF` in the predicate stands for the value, as in
    /// `SELF BEGINSWITH "a"`.
    ///
    /// The predicate is compiled by each call.
    ///
    /// - Throws: ``QueryError`` with code `type` if values can't be compared, `unboundVariable` or
    ///   `unsupported`.
    public func evaluate(with value: PropertyValue) throws -> Bool {
        try CompiledPredicate(self).matches(.scalar(value))
    }
}
