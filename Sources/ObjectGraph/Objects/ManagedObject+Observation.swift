public import Observation
import RowMemory
import Schema

extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// Whether `withObservationTracking` sees which values of the context's objects are read, and
    /// is told when they are about to change.
    ///
    /// ```swift
    /// context.isObservable = true
    /// withObservationTracking { label.text = book.title } onChange: { redraw() }
    /// ```
    /// It is told of what the application sets, at either end of a relationship, of undo, rollback,
    /// merged saves, refreshes and resets, and when an object is deleted or becomes a fault. That a
    /// fault is filled, or the members of a to-many are read, is told to those who asked for that:
    /// for ``ManagedObject/isFault`` and ``ManagedObject/hasFault(forRelationshipNamed:)``. While
    /// this is false (the beginning) reading costs nothing more; while it is true, each reading and
    /// writing costs a look-up, and every object that was read has a registrar.
    public var isObservable: Bool {
        get { registry.registrars != nil }
        set { registry.registerObservation(newValue) }
    }
}

extension ManagedObject {
    /// For key paths alone: 0 is what the object is (a fault, deleted), others are properties by
    /// their place, one higher.
    subscript(observed number: Int) -> ObservedProperty { ObservedProperty() }

    /// Tells of a reading of a property; does nothing in a context that is not observed.
    @inline(__always) final func noteReading(_ index: Int) {
        guard let registrars = registryReference?._withUnsafeGuaranteedRef({ $0.registrars }) else { return }
        registrars.noteReading(self, index + 1)
    }

    @inline(__always) final func noteReadingOfState() { noteReading(-1) }
}
