public import Foundation
public import Schema

/// Typed access to slots for performance-critical loops.
extension Row {
    @inlinable @inline(__always) func load<Value>(_ slot: RowSlot, as type: Value.Type) -> Value? {
        guard hasValue(slot) else { return nil }
        return (base + Int(slot.offset)).assumingMemoryBound(to: Value.self).pointee
    }

    @inlinable @inline(__always) func store<Value>(_ value: Value, _ slot: RowSlot) {
        let place = base + Int(slot.offset)
        if hasValue(slot) {
            place.assumingMemoryBound(to: Value.self).pointee = value
        } else {
            place.initializeMemory(as: Value.self, to: value)
            setPresence(slot)
        }
    }

    /// Moves the value out, without retaining it. The slot has no value afterwards.
    @inlinable @inline(__always) func move<Value>(_ slot: RowSlot, as type: Value.Type) -> Value? {
        guard hasValue(slot) else { return nil }
        clearPresence(slot)
        return (base + Int(slot.offset)).assumingMemoryBound(to: Value.self).move()
    }

    @inlinable @inline(__always) public func int(_ slot: RowSlot) -> Int64? {
        assert(slot.kind == .int); return load(slot, as: Int64.self)
    }
    @inlinable @inline(__always) public func setInt(_ value: Int64, _ slot: RowSlot) {
        assert(slot.kind == .int); store(value, slot)
    }

    @inlinable @inline(__always) public func bool(_ slot: RowSlot) -> Bool? {
        assert(slot.kind == .bool); return load(slot, as: Bool.self)
    }
    @inlinable @inline(__always) public func setBool(_ value: Bool, _ slot: RowSlot) {
        assert(slot.kind == .bool); store(value, slot)
    }

    /// A double, or a date as seconds since 2001.
    @inlinable @inline(__always) public func double(_ slot: RowSlot) -> Double? {
        assert(slot.kind == .double || slot.kind == .date)
        return load(slot, as: Double.self)
    }

    @inlinable @inline(__always) public func setDouble(_ value: Double, _ slot: RowSlot) {
        assert(slot.kind == .double || slot.kind == .date)
        store(value, slot)
    }

    @inlinable @inline(__always) public func float(_ slot: RowSlot) -> Float? {
        assert(slot.kind == .float); return load(slot, as: Float.self)
    }
    @inlinable @inline(__always) public func setFloat(_ value: Float, _ slot: RowSlot) {
        assert(slot.kind == .float); store(value, slot)
    }

    /// A string, or the text of a URI.
    @inlinable @inline(__always) public func string(_ slot: RowSlot) -> String? {
        assert(slot.kind == .string || slot.kind == .uri)
        return load(slot, as: String.self)
    }

    @inlinable @inline(__always) public func setString(_ value: String, _ slot: RowSlot) {
        assert(slot.kind == .string || slot.kind == .uri)
        store(value, slot)
    }

    @inlinable @inline(__always) public func uuid(_ slot: RowSlot) -> UUID? {
        assert(slot.kind == .uuid); return load(slot, as: UUID.self)
    }
    @inlinable @inline(__always) public func setUUID(_ value: UUID, _ slot: RowSlot) {
        assert(slot.kind == .uuid); store(value, slot)
    }

    @inlinable @inline(__always) public func decimal(_ slot: RowSlot) -> Decimal? {
        assert(slot.kind == .decimal); return load(slot, as: Decimal.self)
    }
    @inlinable @inline(__always) public func setDecimal(_ value: Decimal, _ slot: RowSlot) {
        assert(slot.kind == .decimal); store(value, slot)
    }

    @inlinable @inline(__always) public func data(_ slot: RowSlot) -> Data? {
        assert(slot.kind == .data); return load(slot, as: Data.self)
    }
    @inlinable @inline(__always) public func setData(_ value: Data, _ slot: RowSlot) {
        assert(slot.kind == .data); store(value, slot)
    }

    @inlinable @inline(__always) public func large(_ slot: RowSlot) -> LargeValue? {
        assert(slot.kind == .large); return load(slot, as: LargeValue.self)
    }
    @inlinable @inline(__always) public func setLarge(_ value: LargeValue, _ slot: RowSlot) {
        assert(slot.kind == .large); store(value, slot)
    }

    @inlinable @inline(__always) public func boxed(_ slot: RowSlot) -> BoxedValue? {
        assert(slot.kind == .boxed); return load(slot, as: BoxedValue.self)
    }
    @inlinable @inline(__always) public func setBoxed(_ value: BoxedValue, _ slot: RowSlot) {
        assert(slot.kind == .boxed); store(value, slot)
    }

    @inlinable @inline(__always) public func reference(_ slot: RowSlot) -> ObjectReference? {
        assert(slot.kind == .toOne)
        return load(slot, as: ObjectReference.self)
    }

    @inlinable @inline(__always) public func setReference(_ value: ObjectReference, _ slot: RowSlot) {
        assert(slot.kind == .toOne); store(value, slot)
    }

    /// The graph's object for a to-many relationship; nil is a fault.
    @inlinable @inline(__always) public func members(_ slot: RowSlot) -> AnyObject? {
        assert(slot.kind == .toMany); return load(slot, as: AnyObject.self)
    }
    @inlinable @inline(__always) public func setMembers(_ value: AnyObject, _ slot: RowSlot) {
        assert(slot.kind == .toMany); store(value, slot)
    }
}
