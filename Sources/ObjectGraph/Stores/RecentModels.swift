internal import Schema
internal import Synchronization

/// What was worked out of the models that were used last: each document that is opened has a
/// coordinator of its own. Models are told apart by their number, which no two of a process share.
final class RecentModels<Value: Sendable>: Sendable {
    private let greatestCount = 8
    private let entries = Mutex<[(modelNumber: UInt64, value: Value)]>([])

    /// What is known of a model; `make` makes it where nothing is.
    func value(of model: ManagedObjectModel, make: () -> Value) -> Value {
        if let known = entries.withLock({ entries in entries.last { $0.modelNumber == model.number }?.value }) {
            return known
        }
        let value = make()
        entries.withLock { entries in
            if entries.count == greatestCount { entries.removeFirst() }
            entries.append((model.number, value))
        }
        return value
    }
}
