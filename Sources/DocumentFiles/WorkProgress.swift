package import Foundation

/// How far the operation of this task has come, and whether it is still wanted.
///
/// Deep code reports and asks here, so that no method on the way has to hand a `Progress` on.
package enum WorkProgress {
    @TaskLocal private static var current: Progress?

    /// Runs `body` with what it reports going to `progress`; asked for cancellation are `progress`
    /// and the task.
    package static func with<Result>(_ progress: Progress?, _ body: () async throws -> Result) async rethrows -> Result
    {
        guard let progress else { return try await body() }
        return try await $current.withValue(progress) { try await body() }
    }

    /// Throws `CancellationError` where the operation is not wanted any more. To be asked only
    /// before a commit.
    package static func check() throws {
        if Task.isCancelled || current?.isCancelled == true { throw CancellationError() }
    }

    /// Begins a stage of so many units: bytes, or rows.
    package static func begin(_ total: Int64) throws {
        try check()
        current?.totalUnitCount = total
        current?.completedUnitCount = 0
    }

    /// Notes units that are done.
    package static func advance(by units: Int64) throws {
        current.map { $0.completedUnitCount += units }
        try check()
    }
}
