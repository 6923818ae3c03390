public import RowMemory

/// The rows that a store returns, in the order of the request. They may be of several entities.
///
/// The slabs are passed on with the batch: a context that adopts a row retains its slab.
///
/// Members are inlinable so that loops in other modules are specialized.
///
/// Invariants:
/// 1. While all rows have one layout, `places` is empty: slab `n` has `RowBatch.capacity(ofSlab:
///    n)` rows and follows slab `n − 1`.
/// 2. From the first row of a second layout or the first lent row on, `places` contains the
///    location of each row.
/// 3. No row is added to a slab whose rows are lent.
@usableFromInline package struct RowBatch: Sendable {
    @usableFromInline struct Place: Sendable {
        @usableFromInline let slab: UInt32
        @usableFromInline let row: UInt32

        @inlinable init(slab: Int, row: Int) {
            self.slab = UInt32(truncatingIfNeeded: slab)
            self.row = UInt32(truncatingIfNeeded: row)
        }
    }

    @usableFromInline var slabs: ContiguousArray<RowSlab> = []
    @usableFromInline var places: ContiguousArray<Place> = []
    @usableFromInline var isMixed = false
    @usableFromInline var filled = 0
    /// The position for the next row in the last slab, while all rows have one layout.
    @usableFromInline var cursor: RowCursor?
    /// The slab of each layout that has space left, by entity; used only with several layouts.
    private var openSlabs: [Int: Int] = [:]
    /// The indexes of the slabs whose rows are lent, by identity, and the index of the most
    /// recently used one.
    private var borrowedSlabs: [ObjectIdentifier: Int] = [:]
    private var lastBorrowed = -1
    private var source = SlabSource()

    /// Creates an empty batch.
    package init() {}

    /// The number of rows.
    @inlinable package var count: Int { filled }
    /// Whether there are no rows.
    @inlinable package var isEmpty: Bool { filled == 0 }

    /// The row at an index.
    @inlinable package subscript(index: Int) -> Row {
        if isMixed {
            let place = places[index]
            return slabs[Int(place.slab)].row(at: Int(place.row))
        }
        let place = Self.place(index)
        return slabs[place.slab].row(at: place.row)
    }

    /// The primary keys of all rows, in order.
    package var keys: [Int64] {
        var keys: [Int64] = []
        keys.reserveCapacity(count)
        if isMixed {
            for place in places { keys.append(slabs[Int(place.slab)].cells(at: Int(place.row)).key) }
        } else {
            for slab in slabs { for row in 0..<slab.count { keys.append(slab.cells(at: row).key) } }
        }
        return keys
    }

    /// Adds an empty row of `layout` and returns it. The caller sets its values.
    ///
    /// Slabs start small and grow to some hundred rows, so that a single row costs little memory
    /// and a single retained row keeps little memory alive.
    @inlinable @inline(__always)
    package mutating func appendRow(_ layout: RowLayout, key: Int64, version: Int64) -> Row {
        slabs[openSlab(for: layout)].appendRow(key: key, version: version)
    }

    /// Adds an empty row of `layout` and returns its cells. The caller must set them before it uses
    /// the batch again.
    @inlinable @inline(__always)
    package mutating func appendCells(_ layout: RowLayout, key: Int64, version: Int64) -> RowCells {
        if let cells = cursor?.appendRow(layout, key: key, version: version) {
            filled += 1
            return cells
        }
        return appendCellsElsewhere(layout, key: key, version: version)
    }

    @usableFromInline mutating func appendCellsElsewhere(_ layout: RowLayout, key: Int64, version: Int64) -> RowCells {
        let slab = slabs[openSlab(for: layout)]
        cursor = isMixed ? nil : slab.cursor
        return slab.appendRow(key: key, version: version).cells
    }

    /// Calls `body` with each slab, which together contain all rows of the batch in order. Returns
    /// false without calling it if there are rows of several layouts.
    package func forEachSlab(_ body: (RowSlab) -> Void) -> Bool {
        guard !isMixed else { return false }
        for slab in slabs { body(slab) }
        return true
    }

    /// Adds a copy of `row`.
    package mutating func append(copyOf row: Row) -> Row {
        slabs[openSlab(for: row.layout)].append(copyOf: row)
    }

    /// Adds a copy of the row with the given cells, which has this layout or the layout of an equal
    /// entity of another model.
    package mutating func append(copyOf cells: RowCells, _ layout: RowLayout) {
        // The batch retains the slab.
        _ = Unmanaged.passUnretained(slabs[openSlab(for: layout)])._withUnsafeGuaranteedRef { $0.append(copyOf: cells) }
    }

    /// Adds a row of another owner's slab without copying it. The owner must neither change the row
    /// nor add rows to the slab while the batch is read: see ``RowSlab``.
    /// - Returns: Whether it is the first row of that slab in the batch.
    package mutating func append(lent slab: RowSlab, _ cells: RowCells) -> Bool {
        if !isMixed { mix() }
        var isNew = false
        if lastBorrowed < 0 || slabs[lastBorrowed] !== slab {
            if let known = borrowedSlabs[ObjectIdentifier(slab)] {
                lastBorrowed = known
            } else {
                isNew = true
                lastBorrowed = slabs.count
                borrowedSlabs[ObjectIdentifier(slab)] = lastBorrowed
                slabs.append(slab)
            }
        }
        places.append(Place(slab: lastBorrowed, row: slab.index(of: cells)))
        filled += 1
        return isNew
    }

    // MARK: Slabs

    /// The index of a slab with space for a row of `layout`. Counts the row as added.
    @inlinable @inline(__always)
    mutating func openSlab(for layout: RowLayout) -> Int {
        let last = slabs.count - 1
        guard last >= 0, !isMixed, slabs[last].layout === layout, !slabs[last].isFull else {
            return otherSlab(for: layout)
        }
        filled += 1
        return last
    }

    @usableFromInline mutating func otherSlab(for layout: RowLayout) -> Int {
        if !isMixed, let first = slabs.first, first.layout !== layout { mix() }
        filled += 1
        guard isMixed else {
            slabs.append(source.makeSlab(layout, capacity: Self.capacity(ofSlab: slabs.count)))
            return slabs.count - 1
        }
        let slab: Int
        if let open = openSlabs[layout.entityIndex], !slabs[open].isFull {
            slab = open
        } else {
            let capacity =
                openSlabs[layout.entityIndex].map { min(slabs[$0].capacity * Self.growth, Self.largest) }
                ?? Self.smallest
            slabs.append(source.makeSlab(layout, capacity: capacity))
            slab = slabs.count - 1
            openSlabs[layout.entityIndex] = slab
        }
        places.append(Place(slab: slab, row: slabs[slab].count))
        return slab
    }

    /// Records the locations of all rows before a row of another layout is added.
    private mutating func mix() {
        isMixed = true
        cursor = nil
        places.reserveCapacity(count * 2)
        for index in 0..<count {
            let place = Self.place(index)
            places.append(Place(slab: place.slab, row: place.row))
        }
        if let layout = slabs.first?.layout { openSlabs[layout.entityIndex] = slabs.count - 1 }
    }

    // Slabs have 8, 32 and 128 rows, then 512 rows each.
    @usableFromInline static var smallest: Int { 8 }
    @usableFromInline static var growth: Int { 4 }
    @usableFromInline static var largest: Int { 512 }
    /// The number of rows in the slabs that are smaller than the largest.
    @usableFromInline static var inSmallSlabs: Int { 168 }

    @usableFromInline static func capacity(ofSlab number: Int) -> Int {
        number >= 3 ? largest : smallest << (2 * number)
    }

    @inlinable static func place(_ index: Int) -> (slab: Int, row: Int) {
        if index >= inSmallSlabs {
            let beyond = index - inSmallSlabs
            return (3 + beyond / largest, beyond % largest)
        }
        if index < 8 { return (0, index) }
        return index < 40 ? (1, index - 8) : (2, index - 40)
    }
}
