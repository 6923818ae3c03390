public import Query
public import Schema

extension ManagedObjectContext {
    /// Fetches the objects that match a request, in its sort order. Unsaved changes are taken into
    /// account.
    ///
    /// Takes one query of the store. Each object exists once in a context: objects that are
    /// registered already are returned as the same instances, with their values in the context.
    ///
    /// - Throws: ``GraphError`` with code `unknownEntity`, `noStore`, or `wrongType` if an object
    ///   is not of the class `Result`; ``QueryError`` for an invalid predicate or sort order;
    ///   errors of the store.
    public func fetch<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> [Result] {
        try fetching.typed(fetching.fetchObjects(request), request)
    }

    /// Fetches the objects that match a request like `fetch(_:)`, but without blocking the caller
    /// while the store executes the query.
    ///
    /// ```swift
    /// let books = try await context.fetchAsynchronously(Book.fetchRequest())
    /// ```
    /// The store reads the rows in another thread; the objects are then created in the caller's
    /// isolation domain. The result is that of a fetch at the time when this returns: if the
    /// context or the store changes during the query, the query is repeated, and after three times
    /// the fetch is synchronous. A store serializes its own work: until the query is finished,
    /// faults that fire and saves to the same store wait for it, unless the context is pinned to a
    /// generation. A child context fetches synchronously.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; the query of the store runs to its
    ///   end first. What `fetch(_:)` throws.
    public nonisolated(nonsending) func fetchAsynchronously<Result: ManagedObject>(_ request: FetchRequest<Result>)
        async throws -> [Result]
    {
        try fetching.typed(try await fetching.fetchObjectsAsynchronously(request), request)
    }

    /// The number of objects that match a request. Unsaved changes are taken into account.
    ///
    /// Takes one query of the store. Rows are read only if unsaved changes concern the request and
    /// it has an offset or a limit.
    ///
    /// - Throws: What `fetch(_:)` of objects throws.
    public func count<Result>(for request: FetchRequest<Result>) throws -> Int {
        try fetching.count(request)
    }

    // MARK: Results other than objects

    /// Fetches the IDs of the objects that match a request, in its sort order. Unsaved changes are
    /// taken into account; new objects have temporary IDs.
    ///
    /// ```swift
    /// let ids = try context.fetch(FetchRequest<ManagedObjectID>(entityName: "Book"))
    /// ```
    /// Takes one query of the store, which reads primary keys only. If unsaved changes concern the
    /// request, the objects are read.
    ///
    /// - Throws: What `fetch(_:)` of objects throws.
    public func fetch(_ request: FetchRequest<ManagedObjectID>) throws -> [ManagedObjectID] {
        try fetching.objectIDs(request)
    }

    /// Fetches rows of values instead of objects: the `propertiesToFetch` of each object, or of
    /// each group of objects.
    ///
    /// ```swift
    /// var request = FetchRequest<[String: PropertyValue]>(entityName: "Book")
    /// request.propertiesToFetch = ["genre", .expression(try ExpressionDescription("total", format: "sum:(price)"))]
    /// request.propertiesToGroupBy = ["genre"]
    /// for row in try context.fetch(request) { print(row["genre"] ?? .null, row["total"] ?? .null) }
    /// ```
    /// A nil value has no entry in its row. Values are those of the store: unsaved changes are not
    /// taken into account. Takes one query of the store; columns that the store can't compute are
    /// computed in memory, from all matching objects.
    ///
    /// - Throws: ``QueryError`` with code `type` or `unknownKey` for invalid columns; what
    ///   `fetch(_:)` of objects throws.
    public func fetch(_ request: FetchRequest<[String: PropertyValue]>) throws -> [[String: PropertyValue]] {
        try fetching.values(request)
    }

    /// The number of objects that match a request, as the only element of an array.
    ///
    /// - Throws: What `fetch(_:)` of objects throws.
    public func fetch(_ request: FetchRequest<Int>) throws -> [Int] {
        [try count(for: request)]
    }

    /// The number of rows of values that a request returns.
    ///
    /// - Throws: What `fetch(_:)` of rows throws.
    public func count(for request: FetchRequest<[String: PropertyValue]>) throws -> Int {
        try fetching.countOfRows(request)
    }

    /// Fetches the objects that match a request lazily, `fetchBatchSize` rows at a time (256 if
    /// that is 0), in its sort order. Unsaved changes are taken into account.
    ///
    /// ```swift
    /// let books = try context.fetchInBatches(FetchRequest<Book>(entityName: "Book"))
    /// print(books.count, books[100_000].title)
    /// ```
    /// Takes one query for the primary keys, and one for each batch that is accessed. If unsaved
    /// changes concern the request, all rows are read at once.
    ///
    /// - Throws: What `fetch(_:)` throws.
    public func fetchInBatches<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> BatchedObjects<Result>
    {
        BatchedObjects(try fetching.pages(request))
    }
}
