import RowMemory
import Synchronization

/// A temporary key, and the permanent one that replaces it.
typealias RenamedKey = (temporary: Int64, permanent: ObjectReference)

/// The permanent keys that a parent context has assigned and its child has not taken over yet.
///
/// Contexts with queues of their own belong to different threads: the parent only delivers the keys
/// here.
final class RenamedKeys: Sendable {
    private let waiting = Mutex<[RenamedKey]>([])

    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    func add(_ renamed: [RenamedKey]) { waiting.withLock { $0 += renamed } }

    func takeAll() -> [RenamedKey] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
