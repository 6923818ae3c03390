/// What to fetch: an entity, a condition, an order and a window.
///
/// ```swift
/// var request = FetchRequest<ManagedObject>("Book")
/// request.predicate = try FetchPredicate(format: "year > %d", 1960)
/// request.sortKeys = [SortKey("title")]
/// let books = try context.fetch(request)
/// ```
/// The type parameter is the type of the results: a class of objects, `ManagedObjectID` for IDs,
/// `[String: PropertyValue]` for rows of values, `Int` for the number of them.
/// ``propertiesToFetch`` and what goes with it have a meaning for rows of values alone.
public struct FetchRequest<Result> {
    public var entityName: String
    public var predicate: FetchPredicate?
    public var sortKeys: [SortKey]
    /// The greatest number of results, 0 for all of them.
    public var fetchLimit: Int
    /// How many of the ordered results to leave out.
    public var fetchOffset: Int
    /// How many objects are filled at a time where results come in batches; 0 leaves it to the
    /// context.
    public var fetchBatchSize: Int
    public var includesSubentities: Bool
    /// The UUIDs of the stores to look in, where the coordinator has several; nil for all of them.
    public var affectedStores: Set<String>?
    /// Whether unsaved changes of the context take part: in what matches, in the order and in the
    /// window.
    public var includesPendingChanges: Bool
    /// Where false, only keys are read: objects whose rows are not held yet are filled at first
    /// use.
    public var includesPropertyValues: Bool
    /// Objects come as faults whose rows are at hand (true), or as realised objects.
    public var returnsObjectsAsFaults: Bool
    /// Realised objects without changes take the values that the store holds now.
    public var shouldRefreshRefetchedObjects: Bool
    /// Relationships, as key paths, whose objects are fetched along, one trip for each step.
    public var relationshipKeyPathsForPrefetching: [String]
    /// The columns of rows of values; none stands for all attributes that stores hold.
    public var propertiesToFetch: [FetchColumn]
    /// What groups are made by. There is one row for each group, and every column is an aggregate,
    /// a constant, or made of what groups are made by.
    public var propertiesToGroupBy: [FetchColumn]
    /// A condition on groups: on aggregates, on what groups are made by, and on columns by their
    /// names (`total > 3` or `$total > 3`).
    public var havingPredicate: FetchPredicate?
    /// Whether rows that are equal in all columns come once.
    public var returnsDistinctResults: Bool

    public init(_ entityName: String) {
        self.entityName = entityName
        predicate = nil
        sortKeys = []
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
