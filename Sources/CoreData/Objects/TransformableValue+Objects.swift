import Foundation
import ObjectGraph
import Schema

extension TransformableValue {
    /// The value; nil for data that the transformer refuses, which the next save reports.
    static func value(of object: NSManagedObject, _ key: String, _ attribute: AttributeDescription) -> Any? {
        prepare(attribute)
        do {
            return try object.transformedValue(forKey: key)
        } catch {
            object.owningContext?.note(error)
            return nil
        }
    }

    /// Sets the value. One that the transformer refuses leaves the attribute as it is, and the next
    /// save throws why.
    static func set(_ value: Any?, of object: NSManagedObject, _ key: String, _ attribute: AttributeDescription) {
        prepare(attribute)
        do {
            try object.setTransformedValue(value is NSNull ? nil : value, forKey: key)
        } catch {
            note(error, of: object, key)
        }
    }

    /// Sets the value without recording a change, otherwise like `set`.
    static func setPrimitive(
        _ value: Any?, of object: NSManagedObject, _ key: String, _ attribute: AttributeDescription
    ) {
        do {
            let data = try value.flatMap { $0 is NSNull ? nil : try Self.data(of: $0, attribute) }
            KeyedValues(object).setPrimitiveValue(data.map { PropertyValue.data($0) }, forKey: key)
        } catch {
            note(error, of: object, key)
        }
    }

    private static func note(_ error: any Error, of object: NSManagedObject, _ key: String) {
        object.owningContext?.note(
            ValidationError([
                .init(
                    .generic, "The value of \(object.modelEntity.name).\(key) can't be stored: \(error)",
                    object: object.objectID, entity: object.modelEntity.name, key: key, underlying: nil)
            ]))
    }
}
