public import Schema

extension FetchPredicate {
    /// The predicate as it is executed for objects of an entity: every key is resolved, and
    /// constants are converted to the type of the value that they are compared with.
    ///
    /// Dates may be given as ISO 8601 text or as seconds since 2001-01-01 00:00 UTC; UUIDs, URIs,
    /// decimals and booleans as text; and, if `store` is given, objects as URIs or in the short
    /// form `Entity/p7`.
    ///
    /// - Throws: ``QueryError`` with code `unknownKey` (with the entity, the key and similar
    ///   names), `type` if values can't be compared or a to-many relationship is used without ANY,
    ///   ALL or an operator, `unsupported` for transient and fetched properties,
    ///   `limit` if it is nested too deep, or `unboundVariable`.
    public func validated(against entity: EntityDescription, in model: ManagedObjectModel, store: StoreIdentity? = nil)
        throws(QueryError) -> FetchPredicate
    {
        let predicate = try bounded()
        return try QueryError.typed {
            try PredicateValidator(entity: entity, model: model, store: store).predicate(predicate)
        }
    }
}

extension QueryExpression {
    /// The expression as it is computed for objects of `entity`, with the type of its values.
    /// - Parameter aggregatesRows: Whether aggregates of single values are computed over all
    ///   selected objects.
    package func validated(
        against entity: EntityDescription, in model: ManagedObjectModel, store: StoreIdentity? = nil,
        aggregatesRows: Bool = false
    ) throws(QueryError) -> (expression: QueryExpression, type: StaticType) {
        let expression = try bounded()
        return try QueryError.typed {
            var validator = PredicateValidator(entity: entity, model: model, store: store)
            validator.aggregatesRows = aggregatesRows
            let typed = try validator.expression(expression)
            return (typed.expression, typed.type)
        }
    }
}
