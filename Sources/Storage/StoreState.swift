/// Identifies a state of a store's content within one session: as long as it is equal, nothing has
/// been committed.
package struct StoreState: Sendable, Hashable {
    /// Distinguishes the session from all others in this process.
    private let opening: UInt64
    private let numbers: [Int64]

    package init(opening: UInt64, _ numbers: Int64...) {
        self.opening = opening
        self.numbers = numbers
    }
}
