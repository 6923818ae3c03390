import RowMemory
import Schema
import Storage

/// The changes of one object's properties, and the values that they had when the object was last
/// saved or fetched.
struct ObjectChanges {
    let object: ManagedObject

    init(_ object: ManagedObject) { self.object = object }

    /// Whether there can be changes: the object has a record and values.
    private var areRecorded: Bool { object.recordIndex >= 0 && !object.state.isFault }

    /// The current values of the persistent properties that differ from the saved ones.
    func values() -> [String: Any?] {
        guard areRecorded else { return [:] }
        let tracker = object.context.tracker
        return values(
            of: object.shape.entity.properties.filter { !$0.isTransient && tracker.differsFromSaved(object, $0) })
    }

    /// The current values of the persistent properties that were set in this event.
    func valuesOfCurrentEvent() -> [String: Any?] {
        guard areRecorded else { return [:] }
        if object.state.isFree { return values() }
        let properties = object.shape.entity.properties
        return values(of: object.context.changes.event(at: Int(object.recordIndex)).places.map { properties[$0] })
    }

    private func values(of properties: [PropertyDescription]) -> [String: Any?] {
        var values: [String: Any?] = [:]
        for property in properties where !property.isTransient {
            values[property.name] = KeyedValues(object).value(forKey: property.name)
        }
        return values
    }

    /// Whether a persistent property differs from its saved value. Reads nothing from the store.
    var havePersistentOnes: Bool {
        guard areRecorded else { return false }
        let tracker = object.context.tracker
        return object.shape.entity.properties.contains { !$0.isTransient && tracker.differsFromSaved(object, $0) }
    }

    /// The saved or fetched values of properties, by name; nil for all persistent properties.
    func committedValues(forKeys keys: [String]?) -> [String: Any?] {
        guard !object.state.contains(.inserted), object.fillForReading() else { return [:] }
        let shape = object.shape
        var values: [String: Any?] = [:]
        for key in keys ?? shape.entity.properties.filter({ !$0.isTransient }).map(\.name) {
            guard let index = shape.entity.propertyIndex(named: key) else {
                preconditionFailure(GraphError.unknownKey(key, of: shape.entity).message)
            }
            if let relation = shape.relations[index], relation.isToMany {
                guard let list = object.existingList(relation), list.isLoaded else { continue }
                values[key] = relation.isOrdered ? Array(list.committedMembers) : Set(list.committedMembers)
                continue
            }
            values[key] = plain(committed(index, shape))
        }
        return values
    }

    /// The saved or fetched value of an attribute or a to-one relationship. The object must not be
    /// a fault.
    func committed(_ index: Int, _ shape: EntityShape) -> SlotValue {
        if object.recordIndex >= 0,
            let saved = object.context.changes.savedValue(of: Int(object.recordIndex), property: index)
        {
            return saved
        }
        return object.row.slotValue(shape.layout.slots[index])
    }

    private func plain(_ value: SlotValue) -> Any? {
        switch value {
        case .value(let value): value.plain
        case .reference(let reference): reference.map { object.context.registry.object($0) }
        }
    }
}
