import Query
import RowMemory
import Schema
import Storage

extension FetchExecutor {
    /// The state of the context and of its store that the rows of a query belong to.
    private struct Moment: Equatable {
        let edits: EditPosition?
        /// The number of changed objects, which a save resets.
        let changes: Int
        let isSaving: Bool
        let source: ObjectIdentifier
        /// Nil for a store that does not tell.
        let store: StoreState?
    }

    /// The rows of one store's query.
    private struct Found: Sendable {
        let rows: RowBatch
        /// Whether the store could not evaluate the whole predicate.
        let isSuperset: Bool
    }

    /// The number of times that a query is repeated because the context or the store changed
    /// meanwhile. After that the fetch is synchronous.
    private static let attempts = 3

    /// Fetches objects like `fetchObjects(_:)`, but runs the queries of the store in another
    /// thread.
    ///
    /// Objects are created from the rows only if neither the context nor the store has changed
    /// since: an older row must not replace what the context has read or saved meanwhile.
    nonisolated(nonsending) func fetchObjectsAsynchronously<Result>(_ request: FetchRequest<Result>) async throws
        -> [ManagedObject]
    {
        for _ in 0..<Self.attempts {
            let plan = try plan(for: request)
            // A parent context is not thread-safe.
            guard context.parent == nil else { break }
            let source = try context.reader.sharedStore()
            let whole = plan.overlay.map { plan.rowRequest(besides: $0) } ?? plan.rowRequest
            let parts = try parts(of: whole)
            let before = try moment(source)
            let found = try await Self.read(parts, from: source, hasPredicate: plan.predicate != nil)
            try Task.checkCancellation()
            guard try moment(context.reader.sharedStore()) == before else { continue }
            let lists = try zip(parts, found).map { part, found in
                found.isSuperset
                    ? try filtered(plan, part, found.rows) : adopt(found.rows, refreshing: plan.refreshes)
            }
            let stored = lists.count > 1 ? try combined(lists, plan, whole) : lists.first ?? []
            let objects = try plan.overlay.map { try merge(plan, $0, stored) } ?? stored
            try complete(objects, request, plan)
            return objects
        }
        return try fetchObjects(request)
    }

    private func moment(_ source: any RowStore) throws -> Moment {
        Moment(
            edits: context.edits.position, changes: context.changes.count, isSaving: context.saveUnderWay != nil,
            source: ObjectIdentifier(source), store: try source.state())
    }

    @concurrent
    private static func read(_ parts: [RowRequest], from store: any RowStore & Sendable, hasPredicate: Bool)
        async throws -> [Found]
    {
        try parts.map { part in
            try Task.checkCancellation()
            do {
                return Found(rows: try store.rows(part), isSuperset: false)
            } catch let error as QueryError where error.code == .unsupported && hasPredicate {
                return Found(rows: try superset(of: part, from: store), isSuperset: true)
            }
        }
    }
}
