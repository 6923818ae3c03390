import RowMemory
import Schema

/// The debug description of an object: its ID and, unless it is a fault, its values.
struct ObjectSummary: CustomStringConvertible {
    let object: ManagedObject

    var description: String {
        guard let context = object.managedObjectContext else { return "an object without context" }
        let shape = context.shapes[Int(object.entityIndex)]
        let name =
            context.lookup.objectID(withKey: object.key, entityAt: Int(object.entityIndex))?.description
            ?? "p\(object.key) of a store that was removed"
        guard !object.state.isFault else { return "\(shape.entity.name) \(name): fault" }
        let row = object.row
        let values = shape.layout.slots.compactMap { slot -> String? in
            switch slot.kind {
            case .toMany: return nil
            case .toOne:
                return row.reference(slot).map { "\(shape.entity.properties[Int(slot.index)].name): \($0.key)" }
            default:
                let value = row.value(slot)
                return value.isNull
                    ? nil : "\(shape.entity.properties[Int(slot.index)].name): \(value.plain.map { "\($0)" } ?? "nil")"
            }
        }
        return "\(shape.entity.name) \(name): \(values.joined(separator: ", "))"
    }
}

extension ManagedObject {
    final var summary: String { ObjectSummary(object: self).description }
}
