package import Query

/// What a context asks a store for: a fetch request in terms of the store's model, checked and with
/// nothing left to resolve.
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
    /// Only objects with greater numbers, and in the order of their numbers, for reading a store
    /// part by part: unlike `offset` it costs a database the same however far the reading has come.
    /// Of one store; not for several.
    package var after: Int64?
    /// The UUIDs of the stores to look in, where there are several; nil for all.
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

    /// All objects of one entity in the order of their numbers, so many at a time: what comes after
    /// the last one of the part before; nil for the first part.
    package static func part(
        of entityIndex: Int, includesSubentities: Bool = false, after: Int64?, limit: Int
    ) -> RowRequest {
        var request = RowRequest(entityIndex: entityIndex, includesSubentities: includesSubentities, limit: limit)
        // No object has a number below: even the first part has to be in order.
        request.after = after ?? 0
        return request
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
