public import Foundation

/// Turns values of an application's own into the data that a transformable attribute keeps, and
/// back.
///
/// ```swift
/// struct ColorTransformer: AttributeTransformer {
///     func data(from value: Any) throws -> Data { … }
///     func value(from data: Data) throws -> Any { … }
/// }
/// AttributeTransformers.register(ColorTransformer(), named: "ColorTransformer")
/// try car.setTransformedValue(Color.red, forKey: "color")
/// ```
/// What comes out of a store may have been written by anybody: a transformer makes nothing of it
/// that it does not know.
public protocol AttributeTransformer: Sendable {
    /// - Throws: what says why the value can't be kept.
    func data(from value: Any) throws -> Data
    /// - Throws: what says why the data are none of this transformer's.
    func value(from data: Data) throws -> Any
}
