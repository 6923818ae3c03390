import Foundation
import Schema

/// What a class knows of one of its attributes whose values are of a `Codable` type of its own; see
/// ``TypedAttribute``.
///
/// The value is kept as JSON, in a transformable attribute. Reading decodes it and writing encodes
/// it each time.
public struct TypedCodable<Value: Codable>: Sendable {
    public let name: String
    /// The value as it is kept.
    let json: TypedAttribute<Data>

    /// The name of the transformer that such attributes have in the model.
    public static var valueTransformerName: String { "FolioJSON" }

    /// Keep the result in a static property.
    public init(_ name: String) {
        self.name = name
        json = TypedAttribute(name)
    }
}

extension ManagedObject {
    /// The value of an attribute that the class declares; nil where there is none, or bytes that
    /// are no such value.
    ///
    /// Traps when a value is set that can't be encoded, as a number that JSON has no text for.
    public final subscript<Value>(attribute: TypedCodable<Value>) -> Value? {
        get { self[attribute.json].flatMap { try? JSONDecoder().decode(Value.self, from: $0) } }
        set {
            do {
                self[attribute.json] = try newValue.map { try TypedCodable<Value>.encode($0) }
            } catch {
                preconditionFailure("\(attribute.name) can't be kept as JSON: \(error)")
            }
        }
    }

    /// The value of an attribute that the class declares, or `fallback` where there is none.
    public final subscript<Value>(attribute: TypedCodable<Value>, default fallback: @autoclosure () -> Value) -> Value {
        get { self[attribute] ?? fallback() }
        set { self[attribute] = newValue }
    }
}

extension TypedCodable {
    static func encode(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        // The same value gives the same bytes, so that setting it again changes nothing.
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(value)
    }
}
