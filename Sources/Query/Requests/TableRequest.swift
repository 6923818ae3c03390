package import Schema

/// A request for rows of values, validated against an entity and fully resolved.
package struct TableRequest: Sendable {
    /// A term of the sort order.
    package struct Term: Sendable {
        package let expression: QueryExpression
        /// The index of the column that the term refers to, if it does.
        package let column: Int?
        package let isAscending: Bool
        package let collation: SortKey.Collation
        /// Whether the term sorts by the objects that the rows are made from.
        package var ordersObjects = false
    }

    package let columns: [TableColumn]
    package let groups: [QueryExpression]
    package let having: FetchPredicate?
    package let isDistinct: Bool
    package let order: [Term]
    package let offset: Int
    package let limit: Int?

    /// Whether rows represent groups of objects. Without columns to group by, all objects are one
    /// group.
    package let isAggregated: Bool

    /// Whether rows that are equal in the sort order need a defined order. This is the case if
    /// there is a sort order, an offset or a limit, and if rows represent several objects, because
    /// they do not inherit an order from them.
    package var isOrdered: Bool { !order.isEmpty || offset > 0 || limit != nil || isDistinct || !groups.isEmpty }

    /// Whether rows may represent several objects.
    package var isCollapsed: Bool { isAggregated || isDistinct }

    /// Whether the sort order is total for the objects.
    package var ordersObjects: Bool { order.contains { $0.ordersObjects } }

    /// Resolves a request for rows of values of objects of `entity`.
    /// - Throws: ``QueryError`` with code `unknownKey`, `type`, `unsupported` or `unboundVariable`.
    package init<Result>(
        _ request: FetchRequest<Result>, entity: EntityDescription, model: ManagedObjectModel, store: StoreIdentity?
    ) throws(QueryError) {
        let resolver = TableResolver(entity: entity, model: model, store: store)
        let columns = try QueryError.typed { try resolver.columns(request.propertiesToFetch) }
        let groups = try QueryError.typed { try request.propertiesToGroupBy.map(resolver.group) }
        let isAggregated = !groups.isEmpty || columns.contains { $0.expression.aggregatesRows }
        if isAggregated { try resolver.checkGrouping(columns, groups) }
        if request.returnsDistinctResults, let column = columns.first(where: { !$0.isComparable }) {
            throw resolver.error(
                "Distinct rows can't have the column \(column.name): a \(column.type.name) can't be told from another")
        }
        self.columns = columns
        self.groups = groups
        self.isAggregated = isAggregated
        isDistinct = request.returnsDistinctResults
        having = try QueryError.typed { try request.havingPredicate.map { try resolver.having($0, columns, groups) } }
        let standForSeveral = isAggregated || request.returnsDistinctResults
        order = try QueryError.typed {
            try request.sortDescriptors.map {
                try resolver.term($0, columns, groups: isAggregated ? groups : [], isCollapsed: standForSeveral)
            }
        }
        offset = max(0, request.fetchOffset)
        limit = request.fetchLimit > 0 ? request.fetchLimit : nil
    }
}
