/// Where the blocks of a context run. The raw values are Apple's.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// Wherever they are called: the form before there were queues.
    case confinementConcurrencyType = 0
    /// On a queue of the context's own.
    case privateQueueConcurrencyType
    /// On the main queue.
    case mainQueueConcurrencyType
}
