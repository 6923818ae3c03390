public import Schema

extension FetchPredicate {
    /// The predicate as it is run on objects of `entity`: every key looked up, constants converted
    /// to the types of what they are compared with.
    ///
    /// Dates may have been written as ISO 8601 text or as seconds since 2001, UUIDs, URIs, Decimals
    /// and booleans as text, and, where `store` is given, objects as URIs or in short as
    /// `Entity/p7`.
    /// - Throws: ``QueryError`` with code `unknownKey` (entity, key and the nearest known names),
    ///   `type` where values can't be compared or a to-many relationship stands without ANY, ALL or
    ///   an operator, `unsupported` for transient and fetched properties, or `unboundVariable`.
    public func validated(against entity: Entity, in model: ManagedObjectModel, store: StoreIdentity? = nil)
        throws(QueryError) -> FetchPredicate
    {
        try QueryError.typed { try PredicateValidator(entity: entity, model: model, store: store).predicate(self) }
    }
}

extension QueryExpression {
    /// The expression as it is computed for objects of `entity`, with the type of its values.
    /// - Parameter aggregatesRows: Whether aggregates of single values are meant over all selected
    ///   objects.
    package func validated(
        against entity: Entity, in model: ManagedObjectModel, store: StoreIdentity? = nil, aggregatesRows: Bool = false
    ) throws(QueryError) -> (expression: QueryExpression, type: StaticType) {
        try QueryError.typed {
            var validator = PredicateValidator(entity: entity, model: model, store: store)
            validator.aggregatesRows = aggregatesRows
            let typed = try validator.expression(self)
            return (typed.expression, typed.type)
        }
    }
}
