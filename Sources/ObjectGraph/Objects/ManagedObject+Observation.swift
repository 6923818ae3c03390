public import Observation
import RowMemory
import Schema

extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// Whether `withObservationTracking` sees which values of the context's objects are read, and is told when they are about to change.
    ///
    /// ```swift
    /// context.isObservable = true
    /// withObservationTracking { label.text = book.title } onChange: { redraw() }
    /// ```
    /// It is told of what the application sets, at either end of a relationship, of undo, rollback, merged saves, refreshes and resets, and when an object is deleted or becomes a
    /// fault. That a fault is filled, or the members of a to-many are read, is told to those who asked for that: for ``ManagedObject/isFault`` and
    /// ``ManagedObject/hasFault(forRelationshipNamed:)``. While this is false (the beginning) reading costs nothing more; while it is true, each reading and writing costs a
    /// look-up, and every object that was read has a registrar.
    public var isObservable: Bool {
        get { registrars != nil }
        set {
            guard newValue != isObservable else { return }
            registrars = newValue ? ObjectRegistrars() : nil
            // Typed accessors that find nothing here take the way that tells of it.
            places = []
            readableModelNumber = newValue ? 0 : modelNumber
        }
    }
}

/// What stands for a property in the key paths of observations.
struct ObservedProperty {}

extension ManagedObject {
    /// For key paths alone: 0 is what the object is (a fault, deleted), others are properties by their place, one higher.
    subscript(observed number: Int) -> ObservedProperty { ObservedProperty() }

    /// Tells of a reading of a property; does nothing in a context that is not observed.
    @inline(__always) final func noteReading(_ index: Int) {
        guard let registrars = contextReference?._withUnsafeGuaranteedRef({ $0.registrars }) else { return }
        registrars.noteReading(self, index + 1)
    }

    @inline(__always) final func noteReadingOfState() { noteReading(-1) }
}

extension ManagedObjectContext {
    /// Tells that a property is about to change.
    @inline(__always) func noteChange(_ object: ManagedObject, _ index: Int) {
        if let registrars { registrars.noteChange(object, index + 1) }
    }

    /// Tells that whatever an object shows may change.
    @inline(__always) func noteChange(_ object: ManagedObject) {
        if let registrars { registrars.noteChanges(object, shapes[Int(object.entityIndex)].entity.properties.count + 1) }
    }
}

/// The registrars of those objects of a context that were read while it was observed.
@usableFromInline
final class ObjectRegistrars {
    private var registrars: [ObjectIdentifier: ObservationRegistrar] = [:]
    private var paths: [KeyPath<ManagedObject, ObservedProperty>] = []

    private func path(_ number: Int) -> KeyPath<ManagedObject, ObservedProperty> {
        while paths.count <= number {
            let next = paths.count
            paths.append(\ManagedObject.[observed: next])
        }
        return paths[number]
    }

    func noteReading(_ object: ManagedObject, _ number: Int) {
        let registrar: ObservationRegistrar
        if let known = registrars[ObjectIdentifier(object)] {
            registrar = known
        } else {
            registrar = ObservationRegistrar()
            registrars[ObjectIdentifier(object)] = registrar
        }
        registrar.access(object, keyPath: path(number))
    }

    func noteChange(_ object: ManagedObject, _ number: Int) {
        registrars[ObjectIdentifier(object)]?.willSet(object, keyPath: path(number))
    }

    func noteChanges(_ object: ManagedObject, _ count: Int) {
        guard let registrar = registrars[ObjectIdentifier(object)] else { return }
        for number in 0..<count { registrar.willSet(object, keyPath: path(number)) }
    }

    func forget(_ object: ManagedObject) { registrars[ObjectIdentifier(object)] = nil }
}
