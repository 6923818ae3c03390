internal import Synchronization

/// The system calls of this module, by the names that tests use.
package enum SystemCall: String, Sendable, Hashable, CaseIterable {
    case open, read, write, fsync, rename, exchange, unlink, mkdir, truncate, stat, chmod, lock, clone, copyRange, list,
        watch
}

/// The fault that a test injects into a system call.
package enum Fault: Sendable, Hashable {
    /// The call is not made and fails with this errno.
    case error(Int32)
    /// The call transfers at most this number of bytes (`read`, `write`, `copyRange`).
    case short(Int)
}

/// The hook with which tests observe the system calls of a task and inject faults.
///
/// The hook is called before each system call, with the call and its path, in the task that set it
/// and its child tasks. It may also end the process to simulate a crash just before the call.
/// Without a hook, a call costs one additional relaxed load.
package enum FaultInjection {
    package typealias Hook = @Sendable (SystemCall, String) -> Fault?

    @TaskLocal private static var hook: Hook?
    private static let armed = Atomic<Int>(0)

    /// Runs `body` and calls `hook` before each system call.
    package static func with<Result>(_ hook: @escaping Hook, _ body: () throws -> Result) rethrows -> Result {
        armed.add(1, ordering: .sequentiallyConsistent)
        defer { armed.subtract(1, ordering: .sequentiallyConsistent) }
        return try $hook.withValue(hook, operation: body)
    }

    /// Runs `body` and calls `hook` before each system call.
    package static func with<Result>(_ hook: @escaping Hook, _ body: () async throws -> Result) async rethrows -> Result
    {
        armed.add(1, ordering: .sequentiallyConsistent)
        defer { armed.subtract(1, ordering: .sequentiallyConsistent) }
        return try await $hook.withValue(hook, operation: body)
    }

    /// The hook of this task, for passing it to threads that work for the task.
    static var current: Hook? { armed.load(ordering: .relaxed) != 0 ? hook : nil }

    /// Runs `body` with the hook of the task that it works for.
    static func carrying(_ hook: Hook?, _ body: () -> Void) {
        guard let hook else { return body() }
        $hook.withValue(hook, operation: body)
    }

    /// The fault that the hook of this task returns for a call, if any. Modules that make system
    /// calls through other libraries use this, too.
    package static func fault(_ call: SystemCall, _ path: @autoclosure () -> String) -> Fault? {
        guard armed.load(ordering: .relaxed) != 0, let hook else { return nil }
        return hook(call, path())
    }
}
