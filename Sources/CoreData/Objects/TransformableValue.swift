import Foundation
import ObjectGraph
import Schema

/// The values of transformable attributes.
enum TransformableValue {
    /// The data that a store keeps of a value.
    ///
    /// - Throws: Why the transformer refuses the value, or that there is no such transformer.
    static func data(of value: Any, _ attribute: AttributeDescription) throws -> Data {
        try transformer(attribute).data(from: value)
    }

    static func value(of data: Data, _ attribute: AttributeDescription) -> Any? {
        try? transformer(attribute).value(from: data)
    }

    private static func transformer(_ attribute: AttributeDescription) throws -> any AttributeTransformer {
        guard let name = attribute.valueTransformerName, !name.isEmpty else { return SecureArchiveTransformer.standard }
        prepare(attribute)
        guard let found = AttributeTransformers.transformer(named: name) else {
            throw ValidationError("There is no transformer named \(name)", key: attribute.name)
        }
        return found
    }

    /// Registers a transformer that is only named as a class.
    static func prepare(_ attribute: AttributeDescription) {
        guard let name = attribute.valueTransformerName, !name.isEmpty,
            AttributeTransformers.transformer(named: name) == nil,
            let found = ValueTransformer.transformer(forName: NSValueTransformerName(name))
        else { return }
        AttributeTransformers.register(TransformerAdapter(found), named: name)
    }
}
