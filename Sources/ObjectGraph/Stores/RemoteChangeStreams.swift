import Synchronization

/// The streams that report commits to a coordinator's stores.
final class RemoteChangeStreams: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<PersistentStoreRemoteChange>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    func stream() -> AsyncStream<PersistentStoreRemoteChange> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.lastNumber += 1
                state.continuations[state.lastNumber] = continuation
                return state.lastNumber
            }
            continuation.onTermination = { [weak self] _ in self?.remove(number) }
        }
    }

    func yield(_ change: PersistentStoreRemoteChange) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(change) }
    }

    private func remove(_ number: Int) {
        _ = state.withLock { $0.continuations.removeValue(forKey: number) }
    }

    deinit {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }
}
