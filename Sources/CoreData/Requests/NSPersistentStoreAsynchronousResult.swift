public import Foundation

/// Something that goes on: its context and its progress.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executes the request.
    public let managedObjectContext: NSManagedObjectContext
    /// Why it failed; nil while it has not.
    open internal(set) var operationError: (any Error)?
    /// How far it is.
    public let progress: Progress?

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
    }

    /// Asks for its end.
    open func cancel() { progress?.cancel() }
}
