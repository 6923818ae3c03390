/// The memory of some rows of one entity.
///
/// Public, like rows and slots, only so that its methods are inlined into loops over rows in other
/// modules, because Swift inlines only public declarations across modules. No product exports this
/// module to users.
///
/// Rows are appended and live as long as the slab. A ``Row`` retains its slab.
///
/// Invariants:
/// 1. Rows `0..<count` are initialized; a slot's memory is initialized if and only if its presence
///    bit is set.
/// 2. The slab owns every value in its rows and destroys each once.
/// 3. There is one writer at a time: a slab is filled by its creator, and then transferred as a
///    whole.
/// 4. While rows of it are lent, its owner adds no rows and changes none of them: to change a lent
///    row, it copies the row and changes the copy.
// Invariants 3 and 4 make it safe to send: a store fills a slab and transfers it; a context lends
// rows of its slabs in a change set, or copies them into slabs that it transfers.
public final class RowSlab: @unchecked Sendable {
    public let layout: RowLayout
    public let capacity: Int
    /// The number of the result that the slab is part of; 0 if it is not part of one. It is unique
    /// in the process.
    package let source: UInt64
    @usableFromInline let stride: Int
    /// The first row. The number of rows is stored before it in the same allocation, where a
    /// ``RowCursor`` accesses it too.
    @usableFromInline let base: UnsafeMutableRawPointer
    /// Where the objects of the slab's rows were, for those that are in no context any more.
    @exclusivity(unchecked) package var formerHome: AnyObject?
    /// Whether rows of the slab are lent for reading. Only the owner uses it.
    @exclusivity(unchecked) package var isBorrowed = false

    package init(layout: RowLayout, capacity: Int, source: UInt64 = 0) {
        precondition(capacity > 0, "A slab has room for at least one row")
        self.layout = layout
        self.capacity = capacity
        self.source = source
        stride = layout.stride
        base = .allocate(byteCount: RowCursor.headSize + capacity * layout.stride, alignment: 16) + RowCursor.headSize
        RowCursor.setCount(0, before: base)
    }

    /// A cursor that adds rows without retaining the slab; the caller must keep the slab alive.
    package var cursor: RowCursor { RowCursor(base: base, stride: stride, capacity: capacity, layout: layout) }

    /// The number of rows.
    @inlinable public var count: Int { RowCursor.count(before: base) }
    @inlinable public var isFull: Bool { count == capacity }

    /// Adds a row without values. The slab must not be full.
    @inlinable @inline(__always)
    public func appendRow(key: Int64, version: Int64) -> Row {
        let count = self.count
        precondition(count < capacity, "The slab is full: make another")
        let cells = RowCursor.makeRow(at: base + count * stride, stride: stride, key: key, version: version)
        RowCursor.setCount(count + 1, before: base)
        return Row(slab: self, base: cells.base)
    }

    /// Adds a copy of `row`, which has the same layout; to-many slots stay empty.
    package func append(copyOf row: Row) -> Row {
        precondition(row.slab.layout.isSame(as: layout), "A row is copied into a slab of its own layout")
        return Row(slab: self, base: append(copyOf: row.cells).base)
    }

    /// Adds a copy of the row with the given `cells`, which has the same layout; to-many slots stay
    /// empty.
    @discardableResult
    package func append(copyOf cells: RowCells) -> RowCells {
        let count = self.count
        precondition(count < capacity, "The slab is full: make another")
        let place = base + count * stride
        // Rows are short and multiples of 8 bytes: a function call would cost more than the loads
        // and stores.
        var offset = 0
        while offset < stride {
            place.storeBytes(
                of: cells.base.load(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        // The slab keeps its layout alive.
        Unmanaged.passUnretained(layout)._withUnsafeGuaranteedRef {
            $0.managedSlots.withUnsafeBufferPointer { Self.own($0, at: place) }
        }
        RowCursor.setCount(count + 1, before: base)
        return RowCells(base: place)
    }

    /// Retains the values of a row whose bits were copied; to-many slots become empty.
    @inline(__always) private static func own(_ slots: UnsafeBufferPointer<RowSlot>, at place: UnsafeMutableRawPointer)
    {
        let pointer = RowPointer(base: place)
        for slot in slots {
            let presence = place.load(fromByteOffset: Int(slot.presenceOffset), as: UInt8.self)
            guard presence & slot.presenceMask != 0 else { continue }
            if slot.kind == .toMany {
                place.storeBytes(
                    of: presence & ~slot.presenceMask, toByteOffset: Int(slot.presenceOffset), as: UInt8.self)
            } else {
                pointer.retain(slot)
            }
        }
    }

    @inlinable public func row(at index: Int) -> Row { Row(slab: self, base: cells(at: index).base) }

    /// The cells of a row. The caller must keep the slab alive.
    @inlinable public func cells(at index: Int) -> RowCells {
        precondition(index >= 0 && index < count, "There is no such row")
        return RowCells(base: base + index * stride)
    }

    /// The index of a row in the slab. Traps if it is not in the slab.
    package func index(of cells: RowCells) -> Int {
        let (index, rest) = (cells.base - base).quotientAndRemainder(dividingBy: stride)
        precondition(rest == 0 && index >= 0 && index < count, "The row is not of this slab")
        return index
    }

    /// Calls `body` with the cells of consecutive rows until it returns false. The caller must keep
    /// the slab alive.
    @inlinable @inline(__always) public func forEachRow(_ rows: Range<Int>, while body: (RowCells) -> Bool) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= count, "There are no such rows")
        var place = base + rows.lowerBound * stride
        for _ in rows {
            guard body(RowCells(base: place)) else { return }
            place += stride
        }
    }

    /// The keys of rows that are ordered by key, if the keys are consecutive; otherwise nil.
    package func consecutiveKeys(of rows: Range<Int>) -> Range<Int64>? {
        assert(
            zip(rows, rows.dropFirst()).allSatisfy { cells(at: $0).key < cells(at: $1).key },
            "The rows are in the order of their numbers")
        guard let first = rows.first, let last = rows.last else { return nil }
        let (least, greatest) = (cells(at: first).key, cells(at: last).key)
        return least >= 0 && greatest < .max && greatest - least == Int64(rows.count - 1) ? least..<(greatest + 1) : nil
    }

    /// The address of the first row and the distance between rows. The caller must keep the slab
    /// alive.
    package func addresses(of rows: Range<Int>) -> (first: UnsafeMutableRawPointer, stride: Int) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= count, "There are no such rows")
        return (base + rows.lowerBound * stride, stride)
    }

    /// The address range of this slab's rows.
    package var addresses: Range<UnsafeMutableRawPointer> { base..<(base + capacity * stride) }

    deinit {
        let slots = layout.managedSlots
        if !slots.isEmpty {
            let (base, stride, count) = (base, stride, count)
            slots.withUnsafeBufferPointer { slots in
                // Only the pointer is captured: a strong reference made in deinit must not outlive
                // it.
                for index in 0..<count { RowPointer(base: base + index * stride).destroyManaged(slots) }
            }
        }
        (base - RowCursor.headSize).deallocate()
    }
}
