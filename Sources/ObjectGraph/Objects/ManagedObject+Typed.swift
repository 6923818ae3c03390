public import RowMemory

extension ManagedObject {
    /// The value of an attribute, accessed by a key; nil if there is no value, or one that `Value`
    /// can't represent.
    ///
    /// This is the fastest access. Reading a fault takes one query of the store. The value is nil
    /// for an object without a context and for a fault that can't be fired; see
    /// ``ManagedObjectContext/shouldDeleteInaccessibleFaults``. Traps if the key belongs to another
    /// entity or model.
    @inlinable
    public final subscript<Value: AttributeValue>(key: AttributeKey<Value>) -> Value? {
        get {
            // The two paths are kept separate. If they shared their end, the compiler would retain
            // the object on the fast path, too, which takes longer than the rest of the access.
            if isReadable(key.access) {
                guard let stored = cells.unsafelyUnwrapped.load(key.access.cell, as: Value.Stored.self) else {
                    return nil
                }
                return Value.value(stored: stored)
            }
            guard prepareToRead(key.access),
                let stored = cells.unsafelyUnwrapped.load(key.access.cell, as: Value.Stored.self)
            else { return nil }
            return Value.value(stored: stored)
        }
        set {
            guard let newValue else { return clearValue(key.access) }
            if isWritable(key.access) {
                cells.unsafelyUnwrapped.store(newValue.stored, key.access.cell)
            } else if prepareToWrite(key.access) {
                cells.unsafelyUnwrapped.store(newValue.stored, key.access.cell)
            }
        }
    }

    /// The value of an attribute, accessed by a key, or a default value if there is none.
    @inlinable
    public final subscript<Value: AttributeValue>(key: AttributeKey<Value>, default fallback: @autoclosure () -> Value)
        -> Value
    {
        get { self[key] ?? fallback() }
        set { self[key] = newValue }
    }

    /// Whether the values are present and have the layout that the key was made for.
    @inlinable
    final func isReadable(_ key: AttributeAccess) -> Bool {
        !state.isFault && entityIndex &- key.firstEntity < key.entityCount
            && registryReference?._withUnsafeGuaranteedRef { $0.readableModelNumber == key.modelNumber } == true
    }

    /// Whether a value can be stored directly: the old value is not needed, or was recorded by an
    /// earlier change in the same event.
    @inlinable
    final func isWritable(_ key: AttributeAccess) -> Bool {
        guard isReadable(key) else { return false }
        return state.isFree || isNoted(Int(key.slot.index))
    }

    /// Whether the property was set before in this event, so that the change is already recorded.
    @inlinable
    final func isNoted(_ index: Int) -> Bool {
        guard recordIndex >= 0, index < 64, let registryReference else { return false }
        return registryReference._withUnsafeGuaranteedRef {
            $0.changes.noted[Int(recordIndex)] & (1 << UInt64(truncatingIfNeeded: index)) != 0
        }
    }

    /// Fires the fault if necessary. Returns false if the object has no values.
    @usableFromInline
    final func prepareToRead(_ key: AttributeAccess) -> Bool {
        noteReading(Int(key.slot.index))
        return registryReference != nil && prepare(key)
    }

    private final func prepare(_ key: AttributeAccess) -> Bool {
        guard fireFault() else { return false }
        if !isReadable(key) { checkKey(key) }
        return true
    }

    /// Fires the fault if necessary, and records that the value changes. Returns false if the
    /// object can't be written.
    @usableFromInline
    final func prepareToWrite(_ key: AttributeAccess) -> Bool {
        guard prepare(key) else { return false }
        noteWriting(key.slot)
        return true
    }

    @usableFromInline
    final func clearValue(_ key: AttributeAccess) {
        guard prepare(key) else { return }
        noteWriting(key.slot)
        row.clear(key.slot)
    }

    /// Checks that the key's slot is one of the row's own layout, without which the access is not
    /// memory-safe.
    private final func checkKey(_ key: AttributeAccess) {
        let slots = row.layout.slots
        precondition(
            Int(key.slot.index) < slots.count && slots[Int(key.slot.index)] == key.slot,
            "The handle is of another entity or model: make it from this object's entity")
    }
}
