import Synchronization

/// Reports the progress of a migration and cancels it, from any thread.
///
/// ```swift
/// let progress = MigrationProgress { state in print(state.stage, state.fractionCompleted) }
/// // elsewhere: progress.cancel()
/// ```
public final class MigrationProgress: Sendable {
    /// The progress of a migration at one point in time.
    public struct State: Sendable, Hashable {
        /// The current stage, as text for people.
        public var stage: String
        /// The number of completed units of work; rows, where rows are processed.
        public var completed: Int64
        /// The total number of units of work.
        public var total: Int64

        /// Creates a state.
        public init(stage: String, completed: Int64, total: Int64) {
            self.stage = stage
            self.completed = completed
            self.total = total
        }

        /// The completed fraction of the work, from 0 to 1; 0 if the total is not known.
        public var fractionCompleted: Double { total > 0 ? Double(completed) / Double(total) : 0 }
    }

    private struct Content {
        var isCancelled = false
        var interrupt: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())
    private let report: (@Sendable (State) -> Void)?

    /// Creates a progress.
    ///
    /// - Parameter report: Called with every change of the progress, on the thread that migrates.
    public init(report: (@Sendable (State) -> Void)? = nil) {
        self.report = report
    }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { content.withLock { $0.isCancelled } }

    /// Cancels the migration. The store is left unchanged, and the migration throws
    /// ``StorageError`` with code `cancelled`. Has no effect once the migration is committed.
    public func cancel() {
        let interrupt = content.withLock { content in
            content.isCancelled = true
            return content.interrupt
        }
        interrupt?()
    }

    package func note(_ state: State) { report?(state) }

    /// - Throws: `StorageError.cancelled` after `cancel()`.
    package func check() throws(StorageError) {
        if isCancelled { throw StorageError(.cancelled, "The migration was cancelled") }
    }

    /// Runs `body`. If `cancel()` is called meanwhile, it calls `interrupt`.
    package func interruptible<Result>(_ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> Result)
        rethrows -> Result
    {
        content.withLock { $0.interrupt = interrupt }
        defer { content.withLock { $0.interrupt = nil } }
        return try body()
    }
}
