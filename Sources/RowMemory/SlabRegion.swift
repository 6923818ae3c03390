internal import Synchronization

/// Memory for the slabs of a large answer: a piece as large as a huge page (``HugePages``). Where there are a million rows to fill, handing out memory takes longer than filling it.
///
/// Invariants:
/// 1. The slabs in it do not overlap: each stands where `SlabSource` said, which counts them.
/// 2. It is freed when the last slab in it is gone: a row that stays keeps two megabytes at most.
// Its memory is written by the slabs alone, each in its own part.
final class SlabRegion: @unchecked Sendable {
    static let size = HugePages.size
    let base: UnsafeMutableRawPointer

    init() {
        base = .allocate(byteCount: Self.size, alignment: Self.size)
        HugePages.prepare(base, Self.size)
    }

    deinit { base.deallocate() }
}

/// Makes slabs one after the other, those of large answers in regions.
package struct SlabSource: Sendable {
    private var region: SlabRegion?
    private var used = 0
    private var rows = 0
    private var number: UInt64 = 0

    private static let lastNumber = Atomic<UInt64>(0)

    /// So many rows come in memory of their own: fewer would leave most of a region empty.
    private static let rowsBesideRegions = 16_384

    package init() {}

    package mutating func makeSlab(_ layout: RowLayout, capacity: Int) -> RowSlab {
        let size = (RowSlab.byteCount(layout, capacity: capacity) + 63) & ~63
        rows += capacity
        if number == 0 { number = Self.lastNumber.add(1, ordering: .relaxed).newValue }
        guard rows > Self.rowsBesideRegions, size <= SlabRegion.size / 8 else { return RowSlab(layout: layout, capacity: capacity, source: number) }
        if region == nil || used + size > SlabRegion.size {
            region = SlabRegion()
            used = 0
        }
        guard let region else { preconditionFailure("Made above") }
        defer { used += size }
        return RowSlab(layout: layout, capacity: capacity, in: region, at: used, source: number)
    }
}
