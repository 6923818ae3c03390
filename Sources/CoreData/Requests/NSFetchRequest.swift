public import Foundation
import Schema

/// What a fetch returns. The raw values are Apple's.
public struct NSFetchRequestResultType: OptionSet, Sendable, Hashable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Objects.
    public static let managedObjectResultType: NSFetchRequestResultType = []
    /// Object IDs.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of values.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of results.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// A fetch request: an entity, a predicate, a sort order and the part of the results to return.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.predicate = NSPredicate(format: "year > %d", 1960)
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// let books = try context.fetch(request)
/// ```
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// What the request says; requests for results of other types may share it.
    private(set) var shared = SharedFetchRequest()

    var content: FetchRequestContent {
        get { shared.content }
        _modify { yield &shared.content }
    }

    /// Creates a request without an entity.
    public override init() { super.init() }

    convenience init(_ shared: SharedFetchRequest) {
        self.init()
        self.shared = shared
    }

    /// Creates a request for the objects of an entity.
    public convenience init(entityName: String) {
        self.init()
        content.entityName = entityName
    }

    convenience init(classOfEntity type: NSManagedObject.Type) {
        self.init()
        content.entityClass = type
    }

    /// The entity to fetch; nil while only its name is known, which is until a context uses the
    /// request.
    open var entity: NSEntityDescription? {
        get { content.entity ?? content.entityClass.map { $0.entity() } }
        set { (content.entity, content.entityName) = (newValue, nil) }
    }
    /// The name of the entity to fetch.
    open var entityName: String? {
        content.entity?.name ?? content.entityName ?? content.entityClass.flatMap { $0.entity().name }
    }
    /// The condition on the objects.
    open var predicate: NSPredicate? {
        get { content.predicate }
        set { content.predicate = newValue }
    }
    /// The sort order.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { content.sortDescriptors }
        set { content.sortDescriptors = newValue }
    }
    /// The maximum number of results; 0 for all.
    open var fetchLimit: Int {
        get { content.fetchLimit }
        set { content.fetchLimit = newValue }
    }
    /// The number of results to skip.
    open var fetchOffset: Int {
        get { content.fetchOffset }
        set { content.fetchOffset = newValue }
    }
    /// The number of objects to read at a time. Results here are arrays whose rows are read at
    /// once; `fetchInBatches` of Folio reads them in batches.
    open var fetchBatchSize: Int {
        get { content.fetchBatchSize }
        set { content.fetchBatchSize = newValue }
    }
    /// What the fetch returns.
    open var resultType: NSFetchRequestResultType {
        get { content.resultType }
        set { content.resultType = newValue }
    }
    /// Whether objects of sub-entities are included.
    open var includesSubentities: Bool {
        get { content.includesSubentities }
        set { content.includesSubentities = newValue }
    }
    /// Whether unsaved changes are taken into account.
    open var includesPendingChanges: Bool {
        get { content.includesPendingChanges }
        set { content.includesPendingChanges = newValue }
    }
    /// Whether rows are read, and not only the IDs.
    open var includesPropertyValues: Bool {
        get { content.includesPropertyValues }
        set { content.includesPropertyValues = newValue }
    }
    /// Whether objects are returned as faults.
    open var returnsObjectsAsFaults: Bool {
        get { content.returnsObjectsAsFaults }
        set { content.returnsObjectsAsFaults = newValue }
    }
    /// Whether objects without changes get the current values of the store.
    open var shouldRefreshRefetchedObjects: Bool {
        get { content.shouldRefreshRefetchedObjects }
        set { content.shouldRefreshRefetchedObjects = newValue }
    }
    /// Relationships whose objects are fetched, too.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { content.relationshipKeyPathsForPrefetching }
        set { content.relationshipKeyPathsForPrefetching = newValue }
    }
    /// The columns of dictionaries: names, key paths or descriptions of properties and
    /// expressions.
    open var propertiesToFetch: [Any]? {
        get { content.propertiesToFetch }
        set { content.propertiesToFetch = newValue }
    }
    /// The columns to group by.
    open var propertiesToGroupBy: [Any]? {
        get { content.propertiesToGroupBy }
        set { content.propertiesToGroupBy = newValue }
    }
    /// A condition on groups.
    open var havingPredicate: NSPredicate? {
        get { content.havingPredicate }
        set { content.havingPredicate = newValue }
    }
    /// Whether equal dictionaries are returned once.
    open var returnsDistinctResults: Bool {
        get { content.returnsDistinctResults }
        set { content.returnsDistinctResults = newValue }
    }

    /// The stores that the request is for; nil for all.
    open override var affectedStores: [NSPersistentStore]? {
        get { content.affectedStores }
        set { content.affectedStores = newValue }
    }

    /// Fetches in the context whose block is running.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func execute() throws -> [ResultType] {
        guard let context = NSManagedObjectContext.current else {
            throw CocoaErrors.made(NSPersistentStoreInvalidTypeError, "No context's block is running")
        }
        return try context.fetch(self)
    }

    // MARK: Folio's requests

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        FetchedResult(try results(in: context))
    }

    open override var description: String {
        let name = content.entity?.name ?? content.entityName ?? "?"
        return "<NSFetchRequest entity: \(name), predicate: \(predicate.map { "\($0)" } ?? "none")>"
    }
}

/// What a fetch request says.
struct FetchRequestContent {
    var entity: NSEntityDescription?
    var entityName: String?
    var entityClass: NSManagedObject.Type?
    /// What the request was made of, for its text and its markup.
    var source: FetchRequestTemplate?
    var predicate: NSPredicate?
    var sortDescriptors: [NSSortDescriptor]?
    var fetchLimit = 0
    var fetchOffset = 0
    var fetchBatchSize = 0
    var resultType: NSFetchRequestResultType = .managedObjectResultType
    var includesSubentities = true
    var includesPendingChanges = true
    var includesPropertyValues = true
    var returnsObjectsAsFaults = true
    var shouldRefreshRefetchedObjects = false
    var relationshipKeyPathsForPrefetching: [String]?
    var propertiesToFetch: [Any]?
    var propertiesToGroupBy: [Any]?
    var havingPredicate: NSPredicate?
    var returnsDistinctResults = false
    var affectedStores: [NSPersistentStore]?
}

/// The content of a fetch request, which requests for results of other types may have, too.
final class SharedFetchRequest {
    var content: FetchRequestContent

    init(_ content: FetchRequestContent = FetchRequestContent()) { self.content = content }
}
