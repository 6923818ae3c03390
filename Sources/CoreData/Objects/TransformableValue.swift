import Foundation
import ObjectGraph
import Schema

/// The values of transformable attributes.
enum TransformableValue {
    static func value(of object: NSManagedObject, _ key: String, _ attribute: AttributeDescription) -> Any? {
        prepare(attribute)
        do {
            return try object.transformedValue(forKey: key)
        } catch {
            object.owningContext?.note(error)
            return nil
        }
    }

    static func set(_ value: Any?, of object: NSManagedObject, _ key: String, _ attribute: AttributeDescription) {
        prepare(attribute)
        do {
            try object.setTransformedValue(value is NSNull ? nil : value, forKey: key)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    static func data(of value: Any, _ attribute: AttributeDescription) -> Data? {
        try? transformer(attribute)?.data(from: value)
    }

    static func value(of data: Data, _ attribute: AttributeDescription) -> Any? {
        try? transformer(attribute)?.value(from: data)
    }

    private static func transformer(_ attribute: AttributeDescription) -> (any AttributeTransformer)? {
        guard let name = attribute.valueTransformerName, !name.isEmpty else { return SecureArchiveTransformer() }
        prepare(attribute)
        return AttributeTransformers.transformer(named: name)
    }

    /// Registers a transformer that is only named as a class.
    private static func prepare(_ attribute: AttributeDescription) {
        guard let name = attribute.valueTransformerName, !name.isEmpty,
            AttributeTransformers.transformer(named: name) == nil,
            let found = ValueTransformer.transformer(forName: NSValueTransformerName(name))
        else { return }
        AttributeTransformers.register(TransformerAdapter(found), named: name)
    }
}
