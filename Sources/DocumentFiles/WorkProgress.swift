package import Foundation

/// The progress and the cancellation of the current task's operation.
///
/// Stored as a task-local value, so that a `Progress` need not be passed through all methods.
package enum WorkProgress {
    @TaskLocal private static var current: Progress?
    /// What shows the progress to other threads.
    @TaskLocal package static var meter: WorkMeter?

    /// Runs `body`, and reports its progress to `progress`. Cancelling `progress` or the task
    /// cancels the operation.
    package static func with<Result>(_ progress: Progress?, _ body: () async throws -> Result) async rethrows -> Result
    {
        guard let progress else { return try await body() }
        return try await $current.withValue(progress) { try await body() }
    }

    /// Runs `body`, and reports the progress of its operations to `meter`, which cancels them.
    package static func with<Result>(_ meter: WorkMeter?, _ body: () async throws -> Result) async rethrows -> Result {
        guard let meter else { return try await body() }
        return try await $meter.withValue(meter) { try await body() }
    }

    /// Throws `CancellationError` if the operation was cancelled. Call it only before a commit.
    package static func check() throws {
        if Task.isCancelled || current?.isCancelled == true || meter?.isCancelled == true { throw CancellationError() }
    }

    /// Starts a stage with a total number of units, which are bytes or rows.
    package static func begin(_ total: Int64) throws {
        try check()
        current?.totalUnitCount = total
        current?.completedUnitCount = 0
        meter?.show(0, of: total)
    }

    /// Adds completed units.
    package static func advance(by units: Int64) throws {
        current.map { $0.completedUnitCount += units }
        meter?.advance(by: units)
        try check()
    }
}
