public import Foundation

/// Something that goes on: its context and its progress.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executes the request.
    open var managedObjectContext: NSManagedObjectContext { ownManagedObjectContext }
    private let ownManagedObjectContext: NSManagedObjectContext
    /// Why it failed; nil while it has not.
    open internal(set) var operationError: (any Error)?
    /// How far it is.
    open var progress: Progress? { ownProgress }
    private let ownProgress: Progress?

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        ownManagedObjectContext = context
        ownProgress = progress
    }

    /// Asks for its end.
    open func cancel() { progress?.cancel() }
}
