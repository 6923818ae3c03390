import Synchronization

/// The temporary keys of a context and all its descendants: none is used twice among them.
///
/// Contexts that are used in different threads share it.
final class TemporaryKeys: Sendable {
    private let last = Atomic<Int64>(0)

    func next() -> Int64 { last.subtract(1, ordering: .relaxed).newValue }
}
