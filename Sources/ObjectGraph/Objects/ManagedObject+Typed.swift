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
            if key.access.isReadable(in: self) {
                guard let stored = cells.unsafelyUnwrapped.load(key.access.cell, as: Value.Stored.self) else {
                    return nil
                }
                return Value.value(stored: stored)
            }
            guard key.access.prepareToRead(self),
                let stored = cells.unsafelyUnwrapped.load(key.access.cell, as: Value.Stored.self)
            else { return nil }
            return Value.value(stored: stored)
        }
        set {
            guard let newValue else { return key.access.clearValue(of: self) }
            if key.access.isWritable(in: self) {
                cells.unsafelyUnwrapped.store(newValue.stored, key.access.cell)
            } else if key.access.prepareToWrite(self) {
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

    /// Whether the property was set before in this event, so that the change is already recorded.
    @inlinable
    final func isNoted(_ index: Int) -> Bool {
        guard recordIndex >= 0, index < 64, let registryReference else { return false }
        return registryReference._withUnsafeGuaranteedRef {
            $0.changes.noted[Int(recordIndex)] & (1 << UInt64(truncatingIfNeeded: index)) != 0
        }
    }
}
