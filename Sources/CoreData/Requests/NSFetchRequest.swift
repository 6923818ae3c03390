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
    var ownEntity: NSEntityDescription?
    var ownEntityName: String?
    var entityClass: NSManagedObject.Type?
    /// What the request was made of, for its text and its markup.
    var source: FetchRequestTemplate?

    /// Creates a request without an entity.
    public override init() {
        super.init()
        ObjectClasses.note(ResultType.self)
    }

    /// Creates a request for the objects of an entity.
    public convenience init(entityName: String) {
        self.init()
        ownEntityName = entityName
    }

    convenience init(classOfEntity type: NSManagedObject.Type) {
        self.init()
        entityClass = type
    }

    /// The entity to fetch; nil while only its name is known, which is until a context uses the
    /// request.
    open var entity: NSEntityDescription? {
        get { ownEntity ?? entityClass.map { $0.entity() } }
        set { (ownEntity, ownEntityName) = (newValue, nil) }
    }
    /// The name of the entity to fetch.
    open var entityName: String? { ownEntity?.name ?? ownEntityName ?? entityClass.flatMap { $0.entity().name } }
    /// The condition on the objects.
    open var predicate: NSPredicate?
    /// The sort order.
    open var sortDescriptors: [NSSortDescriptor]?
    /// The maximum number of results; 0 for all.
    open var fetchLimit = 0
    /// The number of results to skip.
    open var fetchOffset = 0
    /// The number of objects to read at a time. Results here are arrays whose rows are read at
    /// once; `fetchInBatches` of Folio reads them in batches.
    open var fetchBatchSize = 0
    /// What the fetch returns.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// Whether objects of sub-entities are included.
    open var includesSubentities = true
    /// Whether unsaved changes are taken into account.
    open var includesPendingChanges = true
    /// Whether rows are read, and not only the IDs.
    open var includesPropertyValues = true
    /// Whether objects are returned as faults.
    open var returnsObjectsAsFaults = true
    /// Whether objects without changes get the current values of the store.
    open var shouldRefreshRefetchedObjects = false
    /// Relationships whose objects are fetched, too.
    open var relationshipKeyPathsForPrefetching: [String]?
    /// The columns of dictionaries: names, key paths or descriptions of properties and
    /// expressions.
    open var propertiesToFetch: [Any]?
    /// The columns to group by.
    open var propertiesToGroupBy: [Any]?
    /// A condition on groups.
    open var havingPredicate: NSPredicate?
    /// Whether equal dictionaries are returned once.
    open var returnsDistinctResults = false

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
        let name = ownEntity?.name ?? ownEntityName ?? "?"
        return "<NSFetchRequest entity: \(name), predicate: \(predicate.map { "\($0)" } ?? "none")>"
    }
}
