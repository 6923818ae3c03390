import Synchronization

/// What a migration tells while it runs, and the way to end it from anywhere.
///
/// ```swift
/// let progress = MigrationProgress { state in print(state.stage, state.fractionCompleted) }
/// // elsewhere: progress.cancel()
/// ```
public final class MigrationProgress: Sendable {
    public struct State: Sendable, Hashable {
        /// What is being done, for a person to read.
        public var stage: String
        /// Units of work that are done and that there are; rows, where rows are gone through.
        public var completed: Int64
        public var total: Int64

        public init(stage: String, completed: Int64, total: Int64) {
            self.stage = stage
            self.completed = completed
            self.total = total
        }

        public var fractionCompleted: Double { total > 0 ? Double(completed) / Double(total) : 0 }
    }

    private struct Content {
        var isCancelled = false
        var interrupt: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())
    private let report: (@Sendable (State) -> Void)?

    /// - Parameter report: Called on the migrating thread at every step.
    public init(report: (@Sendable (State) -> Void)? = nil) {
        self.report = report
    }

    public var isCancelled: Bool { content.withLock { $0.isCancelled } }

    /// Ends the migration; the store stays as it was. Does nothing once the migration is committed.
    public func cancel() {
        let interrupt = content.withLock { content in
            content.isCancelled = true
            return content.interrupt
        }
        interrupt?()
    }

    package func note(_ state: State) { report?(state) }

    /// - Throws: `StorageError.cancelled` after `cancel`.
    package func check() throws(StorageError) {
        if isCancelled { throw StorageError(.cancelled, "The migration was cancelled") }
    }

    /// Has `interrupt` called by `cancel` while `body` runs.
    package func interruptible<Result>(_ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> Result)
        rethrows -> Result
    {
        content.withLock { $0.interrupt = interrupt }
        defer { content.withLock { $0.interrupt = nil } }
        return try body()
    }
}
