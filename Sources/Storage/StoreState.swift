/// Names a state of a store's content for whoever has it open: as long as it is the same, nobody
/// has committed anything.
package struct StoreState: Sendable, Hashable {
    /// Tells one opening of a store from every other in this process.
    private let opening: UInt64
    private let numbers: [Int64]

    package init(opening: UInt64, _ numbers: Int64...) {
        self.opening = opening
        self.numbers = numbers
    }
}
