/// What to fetch: an entity, a condition, an order and a window.
///
/// ```swift
/// var request = FetchRequest<ManagedObject>("Book")
/// request.predicate = try FetchPredicate(format: "year > %d", 1960)
/// request.sortKeys = [SortKey("title")]
/// let books = try context.fetch(request)
/// ```
/// The type parameter is the type of the results; a request does not use it itself.
public struct FetchRequest<Result> {
    public var entityName: String
    public var predicate: FetchPredicate?
    public var sortKeys: [SortKey]
    /// The greatest number of results, 0 for all of them.
    public var fetchLimit: Int
    /// How many of the ordered results to leave out.
    public var fetchOffset: Int
    public var includesSubentities: Bool
    /// Whether unsaved changes of the context take part: in what matches, in the order and in the window.
    public var includesPendingChanges: Bool
    /// Objects whose rows are not held yet are filled at first use instead of with the fetch.
    public var includesPropertyValues: Bool
    /// Objects come as faults whose rows are at hand (true), or as realised objects.
    public var returnsObjectsAsFaults: Bool
    /// Realised objects without changes take the values that the store holds now.
    public var shouldRefreshRefetchedObjects: Bool
    /// Relationships, as key paths, whose objects are fetched along, one trip for each step.
    public var relationshipKeyPathsForPrefetching: [String]

    public init(_ entityName: String) {
        self.entityName = entityName
        predicate = nil
        sortKeys = []
        fetchLimit = 0
        fetchOffset = 0
        includesSubentities = true
        includesPendingChanges = true
        includesPropertyValues = true
        returnsObjectsAsFaults = true
        shouldRefreshRefetchedObjects = false
        relationshipKeyPathsForPrefetching = []
    }
}

extension FetchRequest: Sendable {}
