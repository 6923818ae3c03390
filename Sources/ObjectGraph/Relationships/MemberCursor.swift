import RowMemory

/// Walks through rows.
@usableFromInline
struct MemberCursor {
    private let rows: MemberRows
    private var run = 0
    // Not counted: the rows hold it.
    private var slab: Unmanaged<RowSlab>?
    private var place: Int
    private var left: Int
    /// What was given last. If its receiver let go of it, it serves for the next row too.
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
