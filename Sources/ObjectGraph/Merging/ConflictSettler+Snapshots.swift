import RowMemory
import Schema

// The snapshots of objects in conflicts: attributes, and to-one relationships as IDs.
extension ConflictSettler {
    /// The values of an object as they were read.
    func snapshot(of object: ManagedObject) -> [String: PropertyValue] {
        guard object.fireFault() else { return [:] }
        let shape = context.shapes[Int(object.entityIndex)]
        return snapshot(shape) { ObjectChanges(object).committed($0, shape) }
    }

    /// The values of a row.
    func snapshot(of row: Row) -> [String: PropertyValue] {
        let shape = context.shapes[row.entityIndex]
        return snapshot(shape) { row.slotValue(shape.layout.slots[$0]) }
    }

    private func snapshot(_ shape: EntityShape, _ value: (Int) -> SlotValue) -> [String: PropertyValue] {
        var snapshot: [String: PropertyValue] = [:]
        for property in shape.entity.properties where !property.isToMany && !property.isTransient {
            snapshot[property.name] = propertyValue(value(property.index))
        }
        return snapshot
    }

    func propertyValue(_ value: SlotValue) -> PropertyValue {
        switch value {
        case .value(let value): value
        case .reference(let reference):
            reference.map { .object(context.lookup.objectID(key: $0.key, entityIndex: $0.entityIndex)) } ?? .null
        }
    }
}
