/// One row: a view into a slab that keeps the slab alive.
///
/// Copying a `Row` copies the view, not the values. Slots must come from the layout of the row's
/// entity or of one of its superentities, and be read as the type of their kind; the typed
/// accessors check the kind in debug builds only.
public struct Row {
    public let slab: RowSlab
    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable init(slab: RowSlab, base: UnsafeMutableRawPointer) {
        self.slab = slab
        self.base = base
    }

    @inlinable public var layout: RowLayout { slab.layout }
    @inlinable public var entityIndex: Int { slab.layout.entityIndex }

    /// The object's primary key, or a negative temporary number.
    @inlinable public var key: Int64 {
        get { base.load(as: Int64.self) }
        nonmutating set { base.storeBytes(of: newValue, as: Int64.self) }
    }

    /// The version for optimistic locking; 0 for a row that is not in a store.
    @inlinable public var version: Int64 {
        get { base.load(fromByteOffset: 8, as: Int64.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 8, as: Int64.self) }
    }

    @inlinable public func hasValue(_ slot: RowSlot) -> Bool {
        base.load(fromByteOffset: Int(slot.presenceOffset), as: UInt8.self) & slot.presenceMask != 0
    }

    @inlinable func setPresence(_ slot: RowSlot) {
        let present = base.load(fromByteOffset: Int(slot.presenceOffset), as: UInt8.self) | slot.presenceMask
        base.storeBytes(of: present, toByteOffset: Int(slot.presenceOffset), as: UInt8.self)
    }

    @inlinable func clearPresence(_ slot: RowSlot) {
        let present = base.load(fromByteOffset: Int(slot.presenceOffset), as: UInt8.self) & ~slot.presenceMask
        base.storeBytes(of: present, toByteOffset: Int(slot.presenceOffset), as: UInt8.self)
    }

    func retainCopiedValue(_ slot: RowSlot) {
        RowPointer(base: base).retain(slot)
    }

    /// Destroys the value, if there is one.
    public func clear(_ slot: RowSlot) {
        guard hasValue(slot) else { return }
        RowPointer(base: base).destroy(slot)
        clearPresence(slot)
    }

    /// Copies one slot's value from a row of the same layout or a descendant's.
    public func copyValue(of slot: RowSlot, from other: Row) {
        clear(slot)
        guard other.hasValue(slot), slot.kind != .toMany else { return }
        (base + Int(slot.offset)).copyMemory(from: other.base + Int(slot.offset), byteCount: slot.kind.size)
        retainCopiedValue(slot)
        setPresence(slot)
    }
}
