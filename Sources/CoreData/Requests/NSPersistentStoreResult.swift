public import Foundation

/// The result of a request.
open class NSPersistentStoreResult: NSObject {}

/// The results of a fetch that was executed.
protocol FinalResults {
    var results: Any { get }
}

/// The results of a fetch that a context executed.
final class FetchedResult: NSPersistentStoreResult, FinalResults {
    let results: Any

    init(_ results: Any) { self.results = results }
}
