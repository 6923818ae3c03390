internal import Dispatch
internal import Synchronization

/// Work on many items by several threads.
package enum ConcurrentWork {
    /// The number of threads for work that waits for the disk.
    package static let waitingThreads = 16

    /// Calls `body` for every item, in any order, and waits for all calls. After an error no
    /// further calls are started, and the first error is thrown.
    /// - Parameters:
    ///   - threads: The number of threads, each with the fault injection of the caller.
    ///   - poll: Called by the caller's thread about fifty times a second and once at the end. An
    ///     error of it counts like an error of `body`.
    package static func each<Item: Sendable>(
        _ items: [Item], threads: Int, poll: () throws -> Void = {},
        _ body: @escaping @Sendable (Item) throws -> Void
    ) throws {
        let work = Work(), hook = FaultInjection.current
        let group = DispatchGroup()
        for index in 0..<min(threads, items.count) {
            // Each serial queue gets a thread of its own; the global queues are limited to the
            // number of cores.
            DispatchQueue(label: "folio.work.\(index)").async(group: group) {
                FaultInjection.carrying(hook) { work.run(items, body) }
            }
        }
        while group.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
            if !work.hasFailed { work.perform(poll) }
        }
        if !work.hasFailed { work.perform(poll) }
        try work.result()
    }

    private final class Work: Sendable {
        private let next = Atomic<Int>(0)
        private let failure = Mutex<(any Error)?>(nil)

        func run<Item>(_ items: [Item], _ body: (Item) throws -> Void) {
            while !hasFailed {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < items.count else { return }
                perform { try body(items[index]) }
            }
        }

        var hasFailed: Bool { failure.withLock { $0 != nil } }

        func perform(_ body: () throws -> Void) {
            do { try body() } catch { failure.withLock { if $0 == nil { $0 = error } } }
        }

        func result() throws {
            if let error = failure.withLock({ $0 }) { throw error }
        }
    }
}
