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
        let place = self.place
        self.place += 1
        left -= 1
        return slab?._withUnsafeGuaranteedRef { slab in rows.object(slab, slab.cells(at: place), reusing: &last) }
    }
}
