internal import Dispatch
internal import Synchronization

/// Threads that wait for the disk concurrently.
enum WaitingThreads {
    private static let count = 16

    /// Calls `body` for every item, in any order, and waits for all calls. After an error no
    /// further calls are started, and the first error is thrown.
    static func each<Item: Sendable>(_ items: [Item], _ body: @escaping @Sendable (Item) throws -> Void) throws {
        let work = Work(), hook = FaultInjection.current
        let group = DispatchGroup()
        for index in 0..<min(count, items.count) {
            // Each serial queue gets a thread of its own; the global queues are limited to the
            // number of cores.
            DispatchQueue(label: "folio.waiting.\(index)").async(group: group) {
                FaultInjection.carrying(hook) { work.run(items, body) }
            }
        }
        group.wait()
        try work.result()
    }

    private final class Work: Sendable {
        private let next = Atomic<Int>(0)
        private let failure = Mutex<(any Error)?>(nil)

        func run<Item>(_ items: [Item], _ body: (Item) throws -> Void) {
            while failure.withLock({ $0 == nil }) {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < items.count else { return }
                do { try body(items[index]) } catch { failure.withLock { if $0 == nil { $0 = error } } }
            }
        }

        func result() throws {
            if let error = failure.withLock({ $0 }) { throw error }
        }
    }
}
