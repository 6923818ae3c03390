import Schema
import Query
public import Foundation

/// A fetch that is executed in the context's queue, later.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// The request.
    open var fetchRequest: NSFetchRequest<ResultType> { ownFetchRequest }
    private let ownFetchRequest: NSFetchRequest<ResultType>
    /// Called in the context's queue with the result.
    open var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)? { ownCompletionBlock }
    private let ownCompletionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// The number of results that are expected, for the progress.
    open var estimatedResultCount = 0

    /// Creates a request.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock block: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        ownFetchRequest = request
        ownCompletionBlock = block
    }

    override func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let progress = Progress(totalUnitCount: Int64(max(estimatedResultCount, 1)))
        let result = NSAsynchronousFetchResult(self, context, progress)
        context.queue.run { [self] in
            if progress.isCancelled {
                result.operationError = CocoaErrors.made(NSUserCancelledErrorCode, "The fetch was cancelled")
            } else {
                do {
                    let found = try context.fetch(fetchRequest)
                    result.finalResult = found
                    progress.totalUnitCount = Int64(max(found.count, 1))
                } catch {
                    result.operationError = error
                }
            }
            progress.completedUnitCount = progress.totalUnitCount
            completionBlock?(result)
        }
        return result
    }
}

/// Foundation's code for what a user cancels.
private let NSUserCancelledErrorCode = 3072

/// The result of a fetch that is executed later.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
    /// The request.
    open var fetchRequest: NSAsynchronousFetchRequest<ResultType> { ownFetchRequest }
    private let ownFetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// The results; nil until there are any.
    open internal(set) var finalResult: [ResultType]?

    init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext, _ progress: Progress) {
        ownFetchRequest = request
        super.init(context, progress)
    }
}

/// A fetch as an expression, for columns and predicates.
///
/// As a column its value is that of the fetch at the time of the request; in a predicate, that at
/// the time when the predicate is made.
open class NSFetchRequestExpression: NSExpression {
    /// Whether the value is the number of results.
    public let isCountOnlyRequest: Bool
    private let run: () throws -> Any

    private init(countOnly: Bool, _ run: @escaping () throws -> Any) {
        isCountOnlyRequest = countOnly
        self.run = run
        super.init(.constant(.null))
    }

    /// An expression whose value is what a fetch in a context returns, or the number of that.
    public class func expression<ResultType>(
        forFetch request: NSFetchRequest<ResultType>, context: NSManagedObjectContext, countOnly: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(countOnly: countOnly) {
            if countOnly { return NSNumber(value: try context.count(for: request)) }
            return try context.fetch(request)
        }
    }

    override func currentQuery() throws -> QueryExpression {
        guard let value = BridgedValue.propertyValue(try run()) else {
            throw QueryError(.unsupported, "The results of this fetch are no values that an expression can have")
        }
        return .constant(value)
    }

    /// The value of the fetch. Traps where the fetch fails: a predicate can't throw.
    override var query: QueryExpression {
        do { return try currentQuery() } catch { preconditionFailure("The fetch of an expression failed: \(error)") }
    }

    /// Executes the fetch; nil where it fails.
    open override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? { try? run() }

    open override var expressionType: ExpressionType { .function }
    open override var description: String { isCountOnlyRequest ? "the count of a fetch" : "a fetch" }
    open override func isEqual(_ object: Any?) -> Bool { object as? NSFetchRequestExpression === self }
    open override var hash: Int { ObjectIdentifier(self).hashValue }
}
