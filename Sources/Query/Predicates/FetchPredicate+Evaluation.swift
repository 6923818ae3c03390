public import Schema

extension FetchPredicate {
    /// Whether a value satisfies the predicate, with SELF standing for it: `SELF BEGINSWITH "a"`.
    /// To run a predicate on many values, compile it.
    /// - Throws: ``QueryError`` with code `type` where values can't be compared, `unboundVariable`
    ///   or `unsupported`.
    public func evaluate(with value: PropertyValue) throws -> Bool {
        try CompiledPredicate(self).matches(.scalar(value))
    }
}
