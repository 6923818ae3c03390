internal import Synchronization

/// The system calls of this room, as tests name them.
package enum SystemCall: String, Sendable, Hashable, CaseIterable {
    case open, read, write, fsync, rename, exchange, unlink, mkdir, truncate, stat, chmod, lock, clone, copyRange, list,
        watch
}

/// What a test makes of a system call instead of letting it happen.
package enum Fault: Sendable, Hashable {
    /// The call is not made and fails with this error number.
    case error(Int32)
    /// At most so many bytes are moved by this one call (`read`, `write`, `copyRange`).
    case short(Int)
}

/// The one seam through which tests see and break the system calls of a task.
///
/// The hook is asked before each call, with the call and its path, in the task that set it and its
/// children. It may also end the process, to play a crash just before the call. Unset, a call pays
/// for one relaxed load.
package enum FaultInjection {
    package typealias Hook = @Sendable (SystemCall, String) -> Fault?

    @TaskLocal private static var hook: Hook?
    private static let armed = Atomic<Int>(0)

    /// Runs `body` with `hook` asked before each system call.
    package static func with<Result>(_ hook: @escaping Hook, _ body: () throws -> Result) rethrows -> Result {
        armed.add(1, ordering: .sequentiallyConsistent)
        defer { armed.subtract(1, ordering: .sequentiallyConsistent) }
        return try $hook.withValue(hook, operation: body)
    }

    /// Runs `body` with `hook` asked before each system call.
    package static func with<Result>(_ hook: @escaping Hook, _ body: () async throws -> Result) async rethrows -> Result
    {
        armed.add(1, ordering: .sequentiallyConsistent)
        defer { armed.subtract(1, ordering: .sequentiallyConsistent) }
        return try await $hook.withValue(hook, operation: body)
    }

    /// The hook of this task, to be carried to threads that work for it.
    static var current: Hook? { armed.load(ordering: .relaxed) != 0 ? hook : nil }

    /// Runs `body` with the hook of the task that it works for.
    static func carrying(_ hook: Hook?, _ body: () -> Void) {
        guard let hook else { return body() }
        $hook.withValue(hook, operation: body)
    }

    /// What the hook of this task, where there is one, wants of a call. Rooms that reach the system
    /// by another library ask here too.
    package static func fault(_ call: SystemCall, _ path: @autoclosure () -> String) -> Fault? {
        guard armed.load(ordering: .relaxed) != 0, let hook else { return nil }
        return hook(call, path())
    }
}
