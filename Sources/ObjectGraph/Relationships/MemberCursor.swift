import RowMemory

/// Iterates over the rows of ``MemberRows``.
@usableFromInline
struct MemberCursor {
    private let rows: MemberRows
    private var run = 0
    // Unmanaged: the rows retain it.
    private var slab: Unmanaged<RowSlab>?
    private var place: Int
    private var left: Int
    /// The object returned last. If nothing else references it, it is reused for the next row.
    private var last: ManagedObject?

    init(_ rows: MemberRows) {
        self.rows = rows
        slab = rows.runs.first.map { .passUnretained($0.slab) }
        place = rows.runs.first?.first ?? 0
        left = rows.runs.first?.count ?? 0
    }

    @usableFromInline
    mutating func next() -> ManagedObject? {
        while left == 0 {
            run += 1
            guard run < rows.runs.count else { return nil }
            slab = .passUnretained(rows.runs[run].slab)
            (place, left) = (rows.runs[run].first, rows.runs[run].count)
        }
        guard let slab else { return nil }
        let cells = slab._withUnsafeGuaranteedRef { $0.cells(at: place) }
        place += 1
        left -= 1
        if rows.turn(&last, to: cells, of: slab) { return last }
        last = slab._withUnsafeGuaranteedRef { rows.object($0, cells) }
        return last
    }
}
