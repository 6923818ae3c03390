package import Schema

/// What is to be made of the objects that a request selects: rows of values. Checked against an
/// entity, nothing left to resolve.
package struct TableRequest: Sendable {
    /// What rows are ordered by.
    package struct Term: Sendable {
        package let expression: QueryExpression
        /// The column that it is, where it is one.
        package let column: Int?
        package let isAscending: Bool
        package let collation: SortKey.Collation
        /// Whether it is the order of the objects that rows are made of.
        package var ordersObjects = false
    }

    package let columns: [TableColumn]
    package let groups: [QueryExpression]
    package let having: FetchPredicate?
    package let isDistinct: Bool
    package let order: [Term]
    package let offset: Int
    package let limit: Int?

    /// Whether rows stand for groups of objects, all of them being one group where nothing is
    /// grouped by.
    package let isAggregated: Bool

    /// Whether rows that nothing tells apart need places of their own: where there is an order or a
    /// window, and where rows stand for several objects, whose order is no order of them.
    package var isOrdered: Bool { !order.isEmpty || offset > 0 || limit != nil || isDistinct || !groups.isEmpty }

    /// Whether rows stand for several objects.
    package var isCollapsed: Bool { isAggregated || isDistinct }

    /// Whether the order tells every two objects apart.
    package var ordersObjects: Bool { order.contains { $0.ordersObjects } }

    /// What a request for rows of values asks of objects of `entity`.
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
