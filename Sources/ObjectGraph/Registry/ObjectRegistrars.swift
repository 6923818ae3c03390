import Observation

/// The value type of the key paths that identify properties in observations.
struct ObservedProperty {}

/// The observation registrars of the objects that were read while the context was observable.
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
