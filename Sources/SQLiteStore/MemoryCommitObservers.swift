import Dispatch
import Storage
import Synchronization

/// Those who are told of commits to a store in memory, which no file tells of.
final class MemoryCommitObservers: Sendable {
    typealias Handler = @Sendable (PersistentHistoryToken?) -> Void

    private struct State {
        var handlers: [Int: Handler] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.handlers.isEmpty } }

    func add(_ handler: @escaping Handler) -> any CommitObservation {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.handlers[state.lastNumber] = handler
            return state.lastNumber
        }
        return Observation(observers: self, number: number)
    }

    /// Tells on a thread of its own, as of commits to files.
    func tell(_ token: PersistentHistoryToken?) {
        let handlers = state.withLock { Array($0.handlers.values) }
        DispatchQueue.global().async { for handler in handlers { handler(token) } }
    }

    private final class Observation: CommitObservation {
        private weak let observers: MemoryCommitObservers?
        private let number: Int

        init(observers: MemoryCommitObservers, number: Int) {
            self.observers = observers
            self.number = number
        }

        func cancel() { _ = observers?.state.withLock { $0.handlers.removeValue(forKey: number) } }

        deinit { cancel() }
    }
}
