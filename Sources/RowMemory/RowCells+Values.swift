/// Access by slot without retaining the slab, for loops over many objects. Slots must be of the
/// row's layout or of a superentity's.
extension RowCells {
    @inlinable @inline(__always) public func hasValue(_ slot: RowSlot) -> Bool {
        base.load(fromByteOffset: Int(slot.presenceOffset), as: UInt8.self) & slot.presenceMask != 0
    }

    @inlinable @inline(__always) public func load<Value>(_ slot: RowSlot, as type: Value.Type) -> Value? {
        guard hasValue(slot) else { return nil }
        return (base + Int(slot.offset)).assumingMemoryBound(to: Value.self).pointee
    }

    @inlinable @inline(__always) public func store<Value>(_ value: Value, _ slot: RowSlot) {
        let place = base + Int(slot.offset)
        if hasValue(slot) {
            place.assumingMemoryBound(to: Value.self).pointee = value
        } else {
            place.initializeMemory(as: Value.self, to: value)
            setPresence(slot, to: true)
        }
    }

    @inlinable func setPresence(_ slot: RowSlot, to isPresent: Bool) {
        let present = base.load(fromByteOffset: Int(slot.presenceOffset), as: UInt8.self)
        base.storeBytes(
            of: isPresent ? present | slot.presenceMask : present & ~slot.presenceMask,
            toByteOffset: Int(slot.presenceOffset), as: UInt8.self)
    }

    /// Destroys the value, if there is one.
    package func clear(_ slot: RowSlot) {
        guard hasValue(slot) else { return }
        RowPointer(base: base).destroy(slot)
        setPresence(slot, to: false)
    }

    @inlinable @inline(__always) public func reference(_ slot: RowSlot) -> ObjectReference? {
        assert(slot.kind == .toOne)
        return load(slot, as: ObjectReference.self)
    }

    package func setKey(_ key: Int64) { base.storeBytes(of: key, as: Int64.self) }
    package func setVersion(_ version: Int64) { base.storeBytes(of: version, toByteOffset: 8, as: Int64.self) }
}
