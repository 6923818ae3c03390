internal import Synchronization

/// The error number of the last failed file call, because SQLite discards it if a commit fails.
///
/// It is shared by the whole process, so it is only a hint.
enum LastSystemError {
    private static let number = Atomic<Int32>(0)

    static func note(_ number: Int32) { self.number.store(number, ordering: .relaxed) }

    /// Returns and clears the number; 0 if there is none.
    static func take() -> Int32 { number.exchange(0, ordering: .relaxed) }
}
