package import Foundation
package import Schema

/// Typed access to slots: what hot loops use.
extension Row {
    @inlinable func load<Value>(_ slot: RowSlot, as type: Value.Type) -> Value? {
        guard hasValue(slot) else { return nil }
        return (base + Int(slot.offset)).assumingMemoryBound(to: Value.self).pointee
    }

    @inlinable func store<Value>(_ value: Value, _ slot: RowSlot) {
        let place = base + Int(slot.offset)
        if hasValue(slot) {
            place.assumingMemoryBound(to: Value.self).pointee = value
        } else {
            place.initializeMemory(as: Value.self, to: value)
            setPresence(slot)
        }
    }

    /// Takes the value out without counting owners, and leaves none.
    @inlinable func move<Value>(_ slot: RowSlot, as type: Value.Type) -> Value? {
        guard hasValue(slot) else { return nil }
        clearPresence(slot)
        return (base + Int(slot.offset)).assumingMemoryBound(to: Value.self).move()
    }

    @inlinable package func int(_ slot: RowSlot) -> Int64? { assert(slot.kind == .int); return load(slot, as: Int64.self) }
    @inlinable package func setInt(_ value: Int64, _ slot: RowSlot) { assert(slot.kind == .int); store(value, slot) }

    @inlinable package func bool(_ slot: RowSlot) -> Bool? { assert(slot.kind == .bool); return load(slot, as: Bool.self) }
    @inlinable package func setBool(_ value: Bool, _ slot: RowSlot) { assert(slot.kind == .bool); store(value, slot) }

    /// A double, or a date as seconds since 2001.
    @inlinable package func double(_ slot: RowSlot) -> Double? {
        assert(slot.kind == .double || slot.kind == .date)
        return load(slot, as: Double.self)
    }

    @inlinable package func setDouble(_ value: Double, _ slot: RowSlot) {
        assert(slot.kind == .double || slot.kind == .date)
        store(value, slot)
    }

    @inlinable package func float(_ slot: RowSlot) -> Float? { assert(slot.kind == .float); return load(slot, as: Float.self) }
    @inlinable package func setFloat(_ value: Float, _ slot: RowSlot) { assert(slot.kind == .float); store(value, slot) }

    /// A string, or the text of a URI.
    @inlinable package func string(_ slot: RowSlot) -> String? {
        assert(slot.kind == .string || slot.kind == .uri)
        return load(slot, as: String.self)
    }

    @inlinable package func setString(_ value: String, _ slot: RowSlot) {
        assert(slot.kind == .string || slot.kind == .uri)
        store(value, slot)
    }

    @inlinable package func uuid(_ slot: RowSlot) -> UUID? { assert(slot.kind == .uuid); return load(slot, as: UUID.self) }
    @inlinable package func setUUID(_ value: UUID, _ slot: RowSlot) { assert(slot.kind == .uuid); store(value, slot) }

    @inlinable package func decimal(_ slot: RowSlot) -> Decimal? { assert(slot.kind == .decimal); return load(slot, as: Decimal.self) }
    @inlinable package func setDecimal(_ value: Decimal, _ slot: RowSlot) { assert(slot.kind == .decimal); store(value, slot) }

    @inlinable package func data(_ slot: RowSlot) -> Data? { assert(slot.kind == .data); return load(slot, as: Data.self) }
    @inlinable package func setData(_ value: Data, _ slot: RowSlot) { assert(slot.kind == .data); store(value, slot) }

    @inlinable package func large(_ slot: RowSlot) -> LargeValue? { assert(slot.kind == .large); return load(slot, as: LargeValue.self) }
    @inlinable package func setLarge(_ value: LargeValue, _ slot: RowSlot) { assert(slot.kind == .large); store(value, slot) }

    @inlinable package func boxed(_ slot: RowSlot) -> BoxedValue? { assert(slot.kind == .boxed); return load(slot, as: BoxedValue.self) }
    @inlinable package func setBoxed(_ value: BoxedValue, _ slot: RowSlot) { assert(slot.kind == .boxed); store(value, slot) }

    @inlinable package func reference(_ slot: RowSlot) -> ObjectReference? {
        assert(slot.kind == .toOne)
        return load(slot, as: ObjectReference.self)
    }

    @inlinable package func setReference(_ value: ObjectReference, _ slot: RowSlot) { assert(slot.kind == .toOne); store(value, slot) }

    /// What the graph keeps for a to-many relationship; nil is a fault.
    @inlinable package func members(_ slot: RowSlot) -> AnyObject? { assert(slot.kind == .toMany); return load(slot, as: AnyObject.self) }
    @inlinable package func setMembers(_ value: AnyObject, _ slot: RowSlot) { assert(slot.kind == .toMany); store(value, slot) }
}
