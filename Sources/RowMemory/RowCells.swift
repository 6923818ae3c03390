/// The values of one row, without a reference to their slab.
///
/// Public only because typed properties of objects compile to these loads and stores in the
/// client's own module, and Swift inlines only public declarations across packages. Only this
/// package can create one.
///
/// Invariants, for which the user is responsible:
/// 1. The row's slab is kept alive as long as the cells are used.
/// 2. A cell is of the row's layout or of a superentity's layout, and is read and written as the
///    type of its kind.
public struct RowCells {
    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable init(base: UnsafeMutableRawPointer) { self.base = base }

    /// The cells at a value of ``address``.
    @inlinable public init(at address: UnsafeMutableRawPointer) { base = address }

    /// The address of the row, a multiple of eight.
    @inlinable public var address: UnsafeMutableRawPointer { base }

    @inlinable public var key: Int64 { base.load(as: Int64.self) }
    @inlinable public var version: Int64 { base.load(fromByteOffset: 8, as: Int64.self) }

    @inlinable @inline(__always) public func hasValue(_ cell: RowCell) -> Bool {
        base.load(fromByteOffset: Int(cell.presenceOffset), as: UInt8.self) & cell.presenceMask != 0
    }

    /// The value; nil if there is none.
    @inlinable public func load<Value>(_ cell: RowCell, as type: Value.Type) -> Value? {
        guard base.load(fromByteOffset: Int(cell.presenceOffset), as: UInt8.self) & cell.presenceMask != 0 else {
            return nil
        }
        return (base + Int(cell.offset)).assumingMemoryBound(to: Value.self).pointee
    }

    /// Initializes a slot that has no value, as in a row that is being filled.
    @inlinable @inline(__always) public func fill<Value>(_ value: consuming Value, _ cell: RowCell) {
        let presence = base.load(fromByteOffset: Int(cell.presenceOffset), as: UInt8.self)
        assert(presence & cell.presenceMask == 0, "A slot is filled once")
        (base + Int(cell.offset)).initializeMemory(as: Value.self, to: value)
        base.storeBytes(of: presence | cell.presenceMask, toByteOffset: Int(cell.presenceOffset), as: UInt8.self)
    }

    /// Replaces the value, if there is one, by `value`.
    @inlinable public func store<Value>(_ value: Value, _ cell: RowCell) {
        let place = base + Int(cell.offset)
        let presence = base.load(fromByteOffset: Int(cell.presenceOffset), as: UInt8.self)
        if presence & cell.presenceMask != 0 {
            place.assumingMemoryBound(to: Value.self).pointee = value
        } else {
            place.initializeMemory(as: Value.self, to: value)
            base.storeBytes(of: presence | cell.presenceMask, toByteOffset: Int(cell.presenceOffset), as: UInt8.self)
        }
    }
}

/// The location of a value in the rows of an entity and of all its subentities.
public struct RowCell: Sendable {
    @usableFromInline let offset: UInt32
    @usableFromInline let presenceOffset: UInt32
    @usableFromInline let presenceMask: UInt8

    package init(_ slot: RowSlot) {
        offset = slot.offset
        presenceOffset = slot.presenceOffset
        presenceMask = slot.presenceMask
    }
}

extension Row {
    package var cells: RowCells { RowCells(base: base) }

    /// The row of `slab` with the given `cells`.
    package init(slab: RowSlab, cells: RowCells) {
        self.init(slab: slab, base: cells.base)
    }
}

extension Row {
    /// Whether both are views of the same memory.
    package func isSame(as other: Row) -> Bool { base == other.base }
}
