/// A fetch request: an entity, a predicate, a sort order and the part of the results to return.
///
/// ```swift
/// var request = FetchRequest<ManagedObject>(entityName: "Book")
/// request.predicate = try FetchPredicate(format: "year > %d", 1960)
/// request.sortDescriptors = [SortKey("title")]
/// let books = try context.fetch(request)
/// ```
/// The type parameter is the type of the results: a class of objects, ``ManagedObjectID`` for IDs,
/// `[String: PropertyValue]` for rows of values, or `Int` for their number. ``propertiesToFetch``
/// and the properties about grouping apply to rows of values only.
public struct FetchRequest<Result> {
    /// The name of the entity to fetch.
    public var entityName: String
    /// The condition on the objects; nil for all objects.
    public var predicate: FetchPredicate?
    /// The sort order; an empty array leaves the order undefined.
    public var sortDescriptors: [SortKey]
    /// The maximum number of results; 0 for all.
    public var fetchLimit: Int
    /// The number of results to skip, in sort order.
    public var fetchOffset: Int
    /// The number of objects whose rows are read at a time, for results that come in batches; 0
    /// leaves the choice to the context.
    public var fetchBatchSize: Int
    /// Whether objects of sub-entities are included.
    public var includesSubentities: Bool
    /// The UUIDs of the stores to search; nil for all stores of the coordinator.
    public var affectedStores: Set<String>?
    /// Whether unsaved changes of the context are taken into account, by the predicate, the sort
    /// order and the limits.
    public var includesPendingChanges: Bool
    /// Whether rows are read together with the primary keys. If false, objects whose rows are not
    /// in memory read them at first use.
    public var includesPropertyValues: Bool
    /// Whether objects are returned as faults, with their rows cached (true), or already fired.
    public var returnsObjectsAsFaults: Bool
    /// Whether fetched objects that are not faults and have no changes are updated to the current
    /// values of the store.
    public var shouldRefreshRefetchedObjects: Bool
    /// Key paths of relationships whose objects are fetched, too. Each component of a key path
    /// takes one query.
    public var relationshipKeyPathsForPrefetching: [String]
    /// The columns of rows of values; an empty array means all persistent attributes.
    public var propertiesToFetch: [FetchColumn]
    /// The columns to group by. The result has one row for each group, and every column must be an
    /// aggregate, a constant, or derived from the columns to group by.
    public var propertiesToGroupBy: [FetchColumn]
    /// A condition on groups. It may refer to aggregates, to the columns to group by, and to
    /// columns by their names (`total > 3` or `$total > 3`).
    public var havingPredicate: FetchPredicate?
    /// Whether equal rows of values are returned once.
    public var returnsDistinctResults: Bool

    /// Creates a request for all objects of an entity, sub-entities included.
    public init(entityName: String) {
        self.entityName = entityName
        predicate = nil
        sortDescriptors = []
        fetchLimit = 0
        fetchOffset = 0
        fetchBatchSize = 0
        includesSubentities = true
        affectedStores = nil
        includesPendingChanges = true
        includesPropertyValues = true
        returnsObjectsAsFaults = true
        shouldRefreshRefetchedObjects = false
        relationshipKeyPathsForPrefetching = []
        propertiesToFetch = []
        propertiesToGroupBy = []
        havingPredicate = nil
        returnsDistinctResults = false
    }
}

extension FetchRequest: Sendable {}
