import Foundation
import Schema

/// An attribute with values of a `Codable` type, which a class declares; see ``_TypedAttribute``.
///
/// The value is stored as JSON in a transformable attribute. Every read decodes and every write
/// encodes it.
public struct _TypedCodable<Value: Codable>: Sendable {
    /// The name of the attribute in the model.
    public let name: String
    /// The attribute with the encoded value.
    let json: _TypedAttribute<Data>

    /// The name of the transformer of such attributes in the model.
    public static var valueTransformerName: String { "FolioJSON" }

    /// Creates an attribute. Keep it in a static property.
    public init(_ name: String) {
        self.name = name
        json = _TypedAttribute(name)
    }
}

extension ManagedObject {
    /// The value of an attribute that the class declares; nil if there is none, or if the stored
    /// data can't be decoded.
    ///
    /// Setting a value that can't be encoded, such as a number that JSON can't represent, traps.
    public final subscript<Value>(attribute: _TypedCodable<Value>) -> Value? {
        get { self[attribute.json].flatMap { try? JSONDecoder().decode(Value.self, from: $0) } }
        set {
            do {
                self[attribute.json] = try newValue.map { try _TypedCodable<Value>.encode($0) }
            } catch {
                preconditionFailure("\(attribute.name) can't be kept as JSON: \(error)")
            }
        }
    }

    /// The value of an attribute that the class declares, or a default value if there is none.
    public final subscript<Value>(attribute: _TypedCodable<Value>, default fallback: @autoclosure () -> Value) -> Value
    {
        get { self[attribute] ?? fallback() }
        set { self[attribute] = newValue }
    }
}

extension _TypedCodable {
    static func encode(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        // Equal values have equal bytes, so that setting an equal value is not a change.
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(value)
    }
}
