public import Foundation
import ObjectGraph
import Query
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
    private var ownEntity: NSEntityDescription?
    private var ownEntityName: String?
    private var entityClass: NSManagedObject.Type?
    /// What the request was made of, for its text and its markup.
    private var source: FetchRequestTemplate?

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

    /// - Throws: `QueryError` for a predicate that can't be parsed, `ModelError` for a result type
    ///   that there is not.
    convenience init(_ template: FetchRequestTemplate) throws {
        self.init()
        guard let type = UInt(exactly: template.resultType), [0, 1, 2, 4].contains(type) else {
            throw ModelError(
                .invalid, "The fetch request “\(template.name)” has the result type \(template.resultType)")
        }
        source = template
        ownEntityName = template.entityName
        predicate = try template.predicateFormat.map { FormatPredicate.make(try FetchPredicate(format: $0)) }
        fetchLimit = template.fetchLimit
        fetchBatchSize = template.fetchBatchSize
        includesSubentities = template.includesSubentities
        includesPropertyValues = template.includesPropertyValues
        returnsObjectsAsFaults = template.returnsObjectsAsFaults
        returnsDistinctResults = template.returnsDistinctResults
        resultType = NSFetchRequestResultType(rawValue: type)
        sortDescriptors = template.sortTerms.isEmpty ? nil : template.sortTerms.map { KeySortDescriptor($0) }
    }

    /// What a model keeps of the request.
    ///
    /// - Throws: `QueryError` for a predicate or a sort descriptor of a closure, which no model can
    ///   keep.
    func template(named name: String) throws -> FetchRequestTemplate {
        let own = try ownTemplate(named: name)
        guard let source else { return own }
        let unchanged = try NSFetchRequest(source).ownTemplate(named: name)
        var template = own == unchanged ? source : own
        (template.name, template.extraMarkup) = (name, source.extraMarkup)
        return template
    }

    private func ownTemplate(named name: String) throws -> FetchRequestTemplate {
        var template = FetchRequestTemplate(
            name, entityName: entityName ?? "",
            predicateFormat: try predicate?.fetchPredicate().predicateFormat, fetchLimit: fetchLimit,
            fetchBatchSize: fetchBatchSize, includesSubentities: includesSubentities,
            includesPropertyValues: includesPropertyValues, returnsObjectsAsFaults: returnsObjectsAsFaults,
            returnsDistinctResults: returnsDistinctResults, resultType: Int(resultType.rawValue))
        template.sortTerms = zip(try sortKeys(), sortDescriptors ?? []).map { key, descriptor in
            KeySortDescriptor.term(key, descriptor.selector)
        }
        return template
    }

    /// The sort order for Folio's requests.
    ///
    /// - Throws: `QueryError` for a descriptor of a closure.
    func sortKeys() throws -> [SortKey] {
        try (sortDescriptors ?? []).map { descriptor in
            guard let key = descriptor.sortKey else {
                throw QueryError(.unsupported, "A sort descriptor without a key can't be run by a store")
            }
            return key
        }
    }

    /// The entity to fetch; nil while only its name is known.
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

    private func folio<Result>(_ context: NSManagedObjectContext) throws -> FetchRequest<Result> {
        let own = ownEntity?.name ?? ownEntityName ?? entityClass.flatMap { context.entity(of: $0)?.name }
        guard let name = own ?? (ResultType.self as? NSManagedObject.Type).flatMap({ context.entity(of: $0)?.name })
        else {
            throw CocoaErrors.made(NSPersistentStoreInvalidTypeError, "The request has no entity")
        }
        var request = FetchRequest<Result>(entityName: name)
        request.predicate = try predicate?.fetchPredicate()
        request.sortDescriptors = try sortKeys()
        request.fetchLimit = fetchLimit
        request.fetchOffset = fetchOffset
        request.fetchBatchSize = fetchBatchSize
        request.includesSubentities = includesSubentities
        request.includesPendingChanges = includesPendingChanges
        request.includesPropertyValues = includesPropertyValues
        request.returnsObjectsAsFaults = returnsObjectsAsFaults
        request.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        request.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching ?? []
        request.propertiesToFetch = try (propertiesToFetch ?? []).map(FetchColumns.column)
        request.propertiesToGroupBy = try (propertiesToGroupBy ?? []).map(FetchColumns.column)
        request.havingPredicate = try havingPredicate?.fetchPredicate()
        request.returnsDistinctResults = returnsDistinctResults
        request.affectedStores = storeUUIDs
        return request
    }

    /// The request for objects.
    func objectRequest(in context: NSManagedObjectContext) throws -> FetchRequest<ManagedObject> {
        try folio(context)
    }

    /// Names the entity of another model, where the request names one by its description.
    func lead(into entities: [String: NSEntityDescription]) {
        if let name = ownEntity?.name, let found = entities[name] { ownEntity = found }
    }

    /// The request as one of no particular results.
    var erased: NSFetchRequest<any NSFetchRequestResult> {
        let erased = NSFetchRequest<any NSFetchRequestResult>()
        erased.take(self)
        if ownEntity == nil, ownEntityName == nil, entityClass == nil {
            erased.entityClass = ResultType.self as? NSManagedObject.Type
        }
        return erased
    }

    func results(in context: NSManagedObjectContext) throws -> [ResultType] {
        try StoreCalls.executing(self, in: context) { try executedResults(in: context) }
    }

    private func executedResults(in context: NSManagedObjectContext) throws -> [ResultType] {
        switch resultType {
        case .managedObjectIDResultType:
            let request: FetchRequest<ManagedObjectID> = try folio(context)
            return try cast(try context.required.fetch(request))
        case .dictionaryResultType:
            let request: FetchRequest<[String: PropertyValue]> = try folio(context)
            if let rows = try StoreCalls.dictionaries(of: self, request.entityName, in: context) {
                return try cast(rows)
            }
            let rows = try context.required.fetch(request).map { row in
                row.compactMapValues { BridgedValue.plain($0, in: nil) }
            }
            return try cast(ResultType.self is NSDictionary.Type ? rows.map { $0 as NSDictionary } : rows)
        case .countResultType: return try cast([NSNumber(value: try count(in: context))])
        default:
            let request: FetchRequest<ManagedObject> = try folio(context)
            return try cast(try context.required.fetch(request))
        }
    }

    func count(in context: NSManagedObjectContext) throws -> Int {
        try StoreCalls.executing(self, in: context) { try executedCount(in: context) }
    }

    private func executedCount(in context: NSManagedObjectContext) throws -> Int {
        guard resultType == .dictionaryResultType else {
            let request: FetchRequest<ManagedObject> = try folio(context)
            return try context.required.count(for: request)
        }
        let request: FetchRequest<[String: PropertyValue]> = try folio(context)
        return try context.required.count(for: request)
    }

    private func cast(_ results: [Any]) throws -> [ResultType] {
        if let results = results as? [ResultType] { return results }
        let found = results.first { !($0 is ResultType) }
        throw CocoaErrors.made(
            NSPersistentStoreInvalidTypeError,
            "The request's results are of the type \(found.map { "\(type(of: $0))" } ?? "?"), not \(ResultType.self)")
    }

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        FetchedResult(try results(in: context))
    }

    open override var description: String {
        let name = ownEntity?.name ?? ownEntityName ?? "?"
        return "<NSFetchRequest entity: \(name), predicate: \(predicate.map { "\($0)" } ?? "none")>"
    }
}

extension NSFetchRequest: NSCopying {
    /// A request of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>()
        copy.take(self)
        return copy
    }

    fileprivate func take<Other>(_ other: NSFetchRequest<Other>) {
        (ownEntity, ownEntityName, entityClass) = (other.ownEntity, other.ownEntityName, other.entityClass)
        source = other.source
        (predicate, sortDescriptors) = (other.predicate, other.sortDescriptors)
        (fetchLimit, fetchOffset, fetchBatchSize) = (other.fetchLimit, other.fetchOffset, other.fetchBatchSize)
        (resultType, includesSubentities) = (other.resultType, other.includesSubentities)
        (includesPendingChanges, includesPropertyValues) = (other.includesPendingChanges, other.includesPropertyValues)
        returnsObjectsAsFaults = other.returnsObjectsAsFaults
        shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
        relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
        (propertiesToFetch, propertiesToGroupBy) = (other.propertiesToFetch, other.propertiesToGroupBy)
        (havingPredicate, returnsDistinctResults) = (other.havingPredicate, other.returnsDistinctResults)
        affectedStores = other.affectedStores
    }
}

/// Columns of dictionaries.
enum FetchColumns {
    static func column(_ value: Any) throws -> FetchColumn {
        switch value {
        case let description as NSExpressionDescription: .expression(try description.column())
        case let property as NSPropertyDescription: .keyPath(property.name)
        case let name as String: .keyPath(name)
        default: preconditionFailure("A column is a name or a description, not a \(type(of: value))")
        }
    }
}

extension KeySortDescriptor {
    /// A term of a request that a model keeps.
    static func term(_ key: SortKey, _ selector: Selector?) -> FetchRequestTemplate.SortTerm {
        FetchRequestTemplate.SortTerm(key.keyPath, ascending: key.isAscending, selector: selector?.name)
    }

    convenience init(_ term: FetchRequestTemplate.SortTerm) {
        let selector = term.selector.map { Selector($0) }
        self.init(
            SortKey(term.keyPath, ascending: term.isAscending, collation: KeySortDescriptor.collation(selector)),
            selector: selector)
    }
}
