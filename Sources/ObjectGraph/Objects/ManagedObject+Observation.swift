public import Observation
import RowMemory
import Schema

extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// Whether the objects of the context support `withObservationTracking`: it registers the
    /// values that are read, and is notified before they change.
    ///
    /// ```swift
    /// context.isObservable = true
    /// withObservationTracking { label.text = book.title } onChange: { redraw() }
    /// ```
    /// Notifications are sent when the application sets a value, at both ends of a relationship, by
    /// undo, rollback, merged saves, refreshes and resets, and when an object is deleted or becomes
    /// a fault. Firing a fault and reading a to-many relationship notify only observers of
    /// ``ManagedObject/isFault`` and ``ManagedObject/hasFault(forRelationshipNamed:)``.
    ///
    /// The default is false. If true, every access to a value costs a look-up, and every object
    /// that was read has a registrar.
    public var isObservable: Bool {
        get { registry.registrars != nil }
        set { registry.registerObservation(newValue) }
    }
}

extension ManagedObject {
    /// Only for key paths. Number 0 is the state of the object (fault, deleted); a property has its
    /// index plus one.
    subscript(observed number: Int) -> ObservedProperty { ObservedProperty() }

    /// Registers a read of a property with the observation system. Does nothing if the context is
    /// not observable.
    @inline(__always) final func noteReading(_ index: Int) {
        guard let registrars = registryReference?._withUnsafeGuaranteedRef({ $0.registrars }) else { return }
        registrars.noteReading(self, index + 1)
    }

    @inline(__always) final func noteReadingOfState() { noteReading(-1) }
}
