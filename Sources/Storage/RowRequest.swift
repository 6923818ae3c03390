package import Query

/// What a context asks a store for: a fetch request in terms of the store's model, checked and with nothing left to resolve.
package struct RowRequest: Sendable {
    package enum Selection: Sendable {
        case matching(FetchPredicate?)
        /// These objects of the entity's hierarchy, whatever their order.
        case keys([Int64])
    }

    package var entityIndex: Int
    package var includesSubentities: Bool
    package var selection: Selection
    package var sortKeys: [SortKey]
    package var offset: Int
    /// Nil for no limit.
    package var limit: Int?
    /// Objects that are left out, since the context knows better about them.
    package var excludedKeys: [Int64]
    /// The UUIDs of the stores to look in, where there are several; nil for all.
    package var stores: Set<String>?

    package init(
        entityIndex: Int, includesSubentities: Bool = true, selection: Selection = .matching(nil), sortKeys: [SortKey] = [], offset: Int = 0,
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

    /// The request without a window, and with another predicate that holds wherever its own does.
    package func selectingMore(_ predicate: FetchPredicate?) -> RowRequest {
        var request = self
        if case .matching = selection { request.selection = .matching(predicate) }
        request.offset = 0
        request.limit = nil
        return request
    }
}
