public import RowMemory

extension ManagedObject {
    /// The value of an attribute, by a handle that was made once; nil where there is none, or one that `Value` can't have.
    ///
    /// Costs a few instructions; for an object that is not filled yet, one trip to the store. Where a fault can't be filled it reads nil:
    /// ``ManagedObjectContext/shouldDeleteInaccessibleFaults`` says what else happens. Traps if the handle is of another entity or model.
    @inlinable
    public final subscript<Value: AttributeValue>(key: AttributeKey<Value>) -> Value? {
        get {
            guard isReadable(entity: key.firstEntity, count: key.entityCount, model: key.modelNumber) || prepareToRead(key) else { return nil }
            guard let stored = cells.unsafelyUnwrapped.load(key.cell, as: Value.Stored.self) else { return nil }
            return Value.value(stored: stored)
        }
        set {
            guard isWritable(entity: key.firstEntity, count: key.entityCount, model: key.modelNumber) || prepareToWrite(key), let newValue else {
                if newValue == nil { clearValue(key) }
                return
            }
            cells.unsafelyUnwrapped.store(newValue.stored, key.cell)
        }
    }

    /// The value of an attribute, or `fallback` where there is none.
    @inlinable
    public final subscript<Value: AttributeValue>(key: AttributeKey<Value>, default fallback: @autoclosure () -> Value) -> Value {
        get { self[key] ?? fallback() }
        set { self[key] = newValue }
    }

    /// Whether the cells are there and laid out as the handle says.
    @inlinable
    final func isReadable(entity: UInt16, count: UInt16, model: UInt64) -> Bool {
        !state.isFault && entityIndex &- entity < count && contextReference?._withUnsafeGuaranteedRef { $0.readableModelNumber == model } == true
    }

    @inlinable
    final func isWritable(entity: UInt16, count: UInt16, model: UInt64) -> Bool {
        state.isFree && isReadable(entity: entity, count: count, model: model)
    }

    /// Fills the object; false if there is nothing to read.
    @usableFromInline
    final func prepareToRead<Value>(_ key: AttributeKey<Value>) -> Bool {
        noteReading(Int(key.slot.index))
        return prepare(key)
    }

    private final func prepare<Value>(_ key: AttributeKey<Value>) -> Bool {
        guard fireFault() else { return false }
        if !isReadable(entity: key.firstEntity, count: key.entityCount, model: key.modelNumber) { checkKey(key) }
        return true
    }

    /// Fills the object and notes that the value changes; false if it can't be written.
    @usableFromInline
    final func prepareToWrite<Value>(_ key: AttributeKey<Value>) -> Bool {
        guard prepare(key) else { return false }
        context.willWrite(self, key.slot)
        return true
    }

    @usableFromInline
    final func clearValue<Value>(_ key: AttributeKey<Value>) {
        guard prepare(key) else { return }
        context.willWrite(self, key.slot)
        row.clear(key.slot)
    }

    /// What makes a handle safe: the slot is one of the row's own layout.
    private final func checkKey<Value>(_ key: AttributeKey<Value>) {
        let slots = row.layout.slots
        precondition(
            Int(key.slot.index) < slots.count && slots[Int(key.slot.index)] == key.slot,
            "The handle is of another entity or model: make it from this object's entity")
    }
}
