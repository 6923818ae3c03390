public import Query
public import Schema

extension ManagedObjectContext {
    /// The objects that a request selects, in its order, unsaved changes taken into account.
    ///
    /// Costs one trip to the store. Objects that the context knows are the same instances as
    /// before, with the values that they have here.
    /// - Throws: ``GraphError`` with code `unknownEntity`, `noStore`; ``QueryError`` for a
    ///   condition or order that can't be run; what the store throws.
    public func fetch<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> [Result] {
        let objects = try fetching.fetchObjects(request)
        // A cast of an array looks at every element, even where the types are one: here they are
        // the same type by comparison.
        if Result.self == ManagedObject.self { return unsafeBitCast(objects, to: [Result].self) }
        if let results = objects as? [Result] { return results }
        let found = objects.first { !($0 is Result) }
        throw GraphError(
            .wrongType,
            "\(request.entityName) has objects of class \(found.map { "\(type(of: $0))" } ?? ""), not \(Result.self): register the class with the coordinator",
            entity: request.entityName)
    }

    /// How many objects a request selects, unsaved changes taken into account.
    ///
    /// Costs one trip to the store; only where unsaved changes concern the request and it has an
    /// offset or limit are rows read.
    public func count<Result>(for request: FetchRequest<Result>) throws -> Int {
        try fetching.count(request)
    }

    // MARK: Results that are no objects

    /// The IDs of the objects that a request selects, in its order, unsaved changes taken into
    /// account: new objects have temporary IDs.
    ///
    /// ```swift
    /// let ids = try context.fetch(FetchRequest<ManagedObjectID>("Book"))
    /// ```
    /// Costs one trip to the store that reads keys alone; where unsaved changes concern the
    /// request, the objects are read.
    /// - Throws: what `fetch(_:)` of objects throws.
    public func fetch(_ request: FetchRequest<ManagedObjectID>) throws -> [ManagedObjectID] {
        try fetching.objectIDs(request)
    }

    /// Rows of values, without making objects: those of `propertiesToFetch` of each selected
    /// object, or of each group of them.
    ///
    /// ```swift
    /// var request = FetchRequest<[String: PropertyValue]>("Book")
    /// request.propertiesToFetch = ["genre", .expression(try ExpressionDescription("total", format: "sum:(price)"))]
    /// request.propertiesToGroupBy = ["genre"]
    /// for row in try context.fetch(request) { print(row["genre"] ?? .null, row["total"] ?? .null) }
    /// ```
    /// A nil has no entry in its row. The values are those in the store: unsaved changes never take
    /// part. One trip to the store; what it can't compute is computed here, of all objects that the
    /// request selects.
    /// - Throws: ``QueryError`` with code `type` or `unknownKey` for columns that make no sense;
    ///   what `fetch(_:)` of objects throws.
    public func fetch(_ request: FetchRequest<[String: PropertyValue]>) throws -> [[String: PropertyValue]] {
        try fetching.values(request)
    }

    /// The number of objects that a request selects, as the only element.
    public func fetch(_ request: FetchRequest<Int>) throws -> [Int] {
        [try count(for: request)]
    }

    /// How many rows of values a request gives.
    public func count(for request: FetchRequest<[String: PropertyValue]>) throws -> Int {
        try fetching.countOfRows(request)
    }

    /// The objects that a request selects, in its order, unsaved changes taken into account, filled
    /// `fetchBatchSize` at a time (256 where it says nothing).
    ///
    /// ```swift
    /// let books = try context.fetchInBatches(FetchRequest<Book>("Book"))
    /// print(books.count, books[100_000].title)
    /// ```
    /// Costs a trip to the store that reads keys, and then one for each batch that is looked at;
    /// where unsaved changes concern the request, all rows are read once.
    /// - Throws: what `fetch(_:)` throws.
    public func fetchInBatches<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> BatchedObjects<Result>
    {
        BatchedObjects(try fetching.pages(request))
    }
}
