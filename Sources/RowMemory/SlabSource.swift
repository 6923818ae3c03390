internal import Synchronization

/// Creates the slabs of one result, which all have its number.
package struct SlabSource: Sendable {
    private var number: UInt64 = 0

    private static let lastNumber = Atomic<UInt64>(0)

    package init() {}

    package mutating func makeSlab(_ layout: RowLayout, capacity: Int) -> RowSlab {
        if number == 0 { number = Self.lastNumber.add(1, ordering: .relaxed).newValue }
        return RowSlab(layout: layout, capacity: capacity, source: number)
    }
}
