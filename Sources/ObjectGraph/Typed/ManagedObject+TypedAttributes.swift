public import RowMemory

extension ManagedObject {
    /// The value of an attribute that the class declares; nil if there is no value, or one that
    /// `Value` can't represent.
    ///
    /// Reading a fault takes one query of the store. The value is nil for an object without a
    /// context and for a fault that can't be fired; see
    /// ``ManagedObjectContext/shouldDeleteInaccessibleFaults``. Traps if the entity of the object
    /// has no such attribute.
    @inlinable
    public final subscript<Value: AttributeValue>(attribute: _TypedAttribute<Value>) -> Value? {
        get {
            // The two paths are kept separate. If they shared their end, the compiler would retain
            // the object on the fast path, too, which takes longer than the rest of the access.
            if let cell = knownCell(attribute.number) {
                guard let stored = cells.unsafelyUnwrapped.load(cell, as: Value.Stored.self) else { return nil }
                return Value.value(stored: stored)
            }
            guard let cell = attribute.cellForReading(in: self),
                let stored = cells.unsafelyUnwrapped.load(cell, as: Value.Stored.self)
            else { return nil }
            return Value.value(stored: stored)
        }
        set {
            guard let newValue else { return attribute.clearValue(of: self) }
            if let cell = state.isFree ? knownCell(attribute.number) : knownChangedCell(attribute.number) {
                cells.unsafelyUnwrapped.store(newValue.stored, cell)
            } else if let cell = attribute.cellForWriting(in: self) {
                cells.unsafelyUnwrapped.store(newValue.stored, cell)
            }
        }
    }

    /// The value of an attribute that the class declares, or a default value if there is none.
    @inlinable
    public final subscript<Value: AttributeValue>(attribute: _TypedAttribute<Value>,
        default fallback: @autoclosure () -> Value
    ) -> Value {
        get { self[attribute] ?? fallback() }
        set { self[attribute] = newValue }
    }

    /// The value of an attribute that the class declares, or ``PlaceholderValue/placeholder`` of
    /// its type if there is none.
    @inlinable
    public final subscript<Value: PlaceholderValue>(required attribute: _TypedAttribute<Value>) -> Value {
        get { self[attribute] ?? Value.placeholder }
        set { self[attribute] = newValue }
    }

    /// The cell, if the object is not a fault and the context has cached the attribute's location.
    @inlinable
    final func knownCell(_ number: Int) -> RowCell? {
        guard !state.isFault, let registryReference else { return nil }
        return registryReference._withUnsafeGuaranteedRef { registry in
            guard number < registry.places.count else { return nil }
            let place = registry.places[number]
            return entityIndex &- place.firstEntity < place.entityCount ? place.cell : nil
        }
    }

    /// The cell, if the property was set before in this event, so that its old value is already
    /// recorded.
    @inlinable
    final func knownChangedCell(_ number: Int) -> RowCell? {
        guard !state.isFault, let registryReference else { return nil }
        return registryReference._withUnsafeGuaranteedRef { registry in
            guard number < registry.places.count else { return nil }
            let place = registry.places[number]
            guard entityIndex &- place.firstEntity < place.entityCount, isNoted(Int(place.index)) else { return nil }
            return place.cell
        }
    }
}
