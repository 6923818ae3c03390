public import Foundation

/// Converts values of an application's own types to the data that a transformable attribute stores,
/// and back.
///
/// ```swift
/// struct ColorTransformer: AttributeTransformer {
///     func data(from value: Any) throws -> Data { … }
///     func value(from data: Data) throws -> Any { … }
/// }
/// AttributeTransformers.register(ColorTransformer(), named: "ColorTransformer")
/// try car.setTransformedValue(Color.red, forKey: "color")
/// ```
/// The data of a store may be malicious: a transformer must validate them and reject data that it
/// does not know.
public protocol AttributeTransformer: Sendable {
    /// The data to store for a value.
    ///
    /// - Throws: An error that explains why the value can't be stored.
    func data(from value: Any) throws -> Data
    /// The value that stored data represent.
    ///
    /// - Throws: An error that explains why the data are not valid.
    func value(from data: Data) throws -> Any
}
