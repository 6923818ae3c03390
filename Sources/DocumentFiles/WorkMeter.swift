internal import Synchronization

/// The progress of an operation, and its cancellation, for threads that look at it while it runs.
package final class WorkMeter: Sendable {
    private let total = Atomic<Int64>(0)
    private let completed = Atomic<Int64>(0)
    private let cancellation = Mutex(Cancellation())

    private struct Cancellation: Sendable {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    package init() {}

    /// The part of the present stage that is done, from 0 to 1.
    package var fraction: Double {
        let total = total.load(ordering: .relaxed)
        guard total > 0 else { return 0 }
        return min(1, max(0, Double(completed.load(ordering: .relaxed)) / Double(total)))
    }

    package var isCancelled: Bool { cancellation.withLock { $0.isCancelled } }

    /// Has the operations end with `CancellationError`, unless they have passed their commit.
    package func cancel() {
        let handler = cancellation.withLock { cancellation in
            cancellation.isCancelled = true
            return cancellation.handler
        }
        handler?()
    }

    /// Sets what ``cancel()`` calls, also if it was called before.
    package func setCancellationHandler(_ handler: (@Sendable () -> Void)?) {
        let isCancelled = cancellation.withLock { cancellation in
            cancellation.handler = handler
            return cancellation.isCancelled
        }
        if isCancelled { handler?() }
    }

    package func show(_ completed: Int64, of total: Int64) {
        self.total.store(total, ordering: .relaxed)
        self.completed.store(completed, ordering: .relaxed)
    }

    func advance(by units: Int64) { completed.add(units, ordering: .relaxed) }
}
