public import Query
import RowMemory
public import Schema
import Storage

// Fetches whose results are no objects.
extension ManagedObjectContext {
    /// The IDs of the objects that a request selects, in its order, unsaved changes taken into account: new objects have temporary IDs.
    ///
    /// ```swift
    /// let ids = try context.fetch(FetchRequest<ManagedObjectID>("Book"))
    /// ```
    /// Costs one trip to the store that reads keys alone; where unsaved changes concern the request, the objects are read.
    /// - Throws: what `fetch(_:)` of objects throws.
    public func fetch(_ request: FetchRequest<ManagedObjectID>) throws -> [ManagedObjectID] {
        let plan = try fetching.plan(for: request)
        if let overlay = plan.overlay { return try fetching.merge(plan, overlay).map(\.objectID) }
        return try fetching.references(plan).map { objectID(key: $0.key, entityIndex: $0.entityIndex) }
    }

    /// Rows of values, without making objects: those of `propertiesToFetch` of each selected object, or of each group of them.
    ///
    /// ```swift
    /// var request = FetchRequest<[String: PropertyValue]>("Book")
    /// request.propertiesToFetch = ["genre", .expression(try ExpressionDescription("total", format: "sum:(price)"))]
    /// request.propertiesToGroupBy = ["genre"]
    /// for row in try context.fetch(request) { print(row["genre"] ?? .null, row["total"] ?? .null) }
    /// ```
    /// A nil has no entry in its row. The values are those in the store: unsaved changes never take part. One trip to the store; what it can't compute is
    /// computed here, of all objects that the request selects.
    /// - Throws: ``QueryError`` with code `type` or `unknownKey` for columns that make no sense; what `fetch(_:)` of objects throws.
    public func fetch(_ request: FetchRequest<[String: PropertyValue]>) throws -> [[String: PropertyValue]] {
        let plan = try fetching.storedPlan(for: request)
        let table = try TableRequest(request, entity: plan.entity, model: model, store: try storeIdentity())
        return try fetching.rows(table, plan).map { row in
            var values: [String: PropertyValue] = [:]
            for (column, value) in zip(table.columns, row) where !value.isNull { values[column.name] = value }
            return values
        }
    }

    /// The number of objects that a request selects, as the only element.
    public func fetch(_ request: FetchRequest<Int>) throws -> [Int] {
        [try count(for: request)]
    }

    /// How many rows of values a request gives.
    public func count(for request: FetchRequest<[String: PropertyValue]>) throws -> Int {
        let plan = try fetching.storedPlan(for: request)
        return try fetching.rows(try TableRequest(request, entity: plan.entity, model: model, store: try storeIdentity()), plan).count
    }
}
