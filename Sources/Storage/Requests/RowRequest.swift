package import Query

/// A context's request for rows of a store: a fetch request in terms of the store's model,
/// validated and fully resolved.
package struct RowRequest: Sendable {
    package enum Selection: Sendable {
        case matching(FetchPredicate?)
        /// The objects of the entity's hierarchy with these keys, in any order.
        case keys([Int64])
    }

    package var entityIndex: Int
    package var includesSubentities: Bool
    package var selection: Selection
    package var sortKeys: [SortKey]
    package var offset: Int
    /// Nil for no limit.
    package var limit: Int?
    /// The keys of objects that are left out, because the context has newer values of them.
    package var excludedKeys: [Int64]
    /// Only objects with greater primary keys, in the order of their keys, for reading a store in
    /// parts. Unlike `offset`, the cost does not depend on the position. For requests to a single
    /// store only.
    package var after: Int64?
    /// The UUIDs of the stores to search, if there are several; nil for all.
    package var stores: Set<String>?

    package init(
        entityIndex: Int, includesSubentities: Bool = true, selection: Selection = .matching(nil),
        sortKeys: [SortKey] = [], offset: Int = 0,
        limit: Int? = nil, excludedKeys: [Int64] = []
    ) {
        self.entityIndex = entityIndex
        self.includesSubentities = includesSubentities
        self.selection = selection
        self.sortKeys = sortKeys
        self.offset = offset
        self.limit = limit
        self.excludedKeys = excludedKeys
    }

    /// A request for a part of the objects of one entity, in the order of their primary keys: those
    /// after the last object of the previous part; nil for the first part.
    package static func part(
        of entityIndex: Int, includesSubentities: Bool = false, after: Int64?, limit: Int
    ) -> RowRequest {
        var request = RowRequest(entityIndex: entityIndex, includesSubentities: includesSubentities, limit: limit)
        // All primary keys are greater than 0. The value is set so that the first part is in order,
        // too.
        request.after = after ?? 0
        return request
    }

    /// The request without offset and limit, and with another predicate, which must hold wherever
    /// the original one does.
    package func selectingMore(_ predicate: FetchPredicate?) -> RowRequest {
        var request = self
        if case .matching = selection { request.selection = .matching(predicate) }
        request.offset = 0
        request.limit = nil
        return request
    }
}
