public import Foundation
public import Schema

/// A Swift type that values of attributes can have.
///
/// Conforming are the types of the field (`Int`, `String`, `Date`…) and, without further code,
/// every `RawRepresentable` type that declares the conformance:
///
/// ```swift
/// enum Genre: String, AttributeValue { case novel, poetry }
/// ```
public protocol AttributeValue {
    /// The type in which rows keep the value: `Int64`, `Bool`, `Double`, `Float`, `String`, `UUID`,
    /// `Decimal`, `Data` or `LargeValue`.
    associatedtype Stored

    /// The value that is kept as `stored`, nil where that is none of this type's values.
    static func value(stored: Stored) -> Self?
    var stored: Stored { get }
}

extension AttributeValue where Stored == Self {
    @inlinable public static func value(stored: Self) -> Self? { stored }
    @inlinable public var stored: Self { self }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    @inlinable public static func value(stored: RawValue.Stored) -> Self? {
        RawValue.value(stored: stored).flatMap { Self(rawValue: $0) }
    }
    @inlinable public var stored: RawValue.Stored { rawValue.stored }
}

extension Int64: AttributeValue {
    public typealias Stored = Int64
}

extension Bool: AttributeValue {
    public typealias Stored = Bool
}

extension Double: AttributeValue {
    public typealias Stored = Double
}

extension Float: AttributeValue {
    public typealias Stored = Float
}

extension String: AttributeValue {
    public typealias Stored = String
}

extension UUID: AttributeValue {
    public typealias Stored = UUID
}

extension Decimal: AttributeValue {
    public typealias Stored = Decimal
}

extension Data: AttributeValue {
    public typealias Stored = Data
}

extension LargeValue: AttributeValue {
    public typealias Stored = LargeValue
}

extension Int: AttributeValue {
    @inlinable public static func value(stored: Int64) -> Int? { Int(exactly: stored) }
    @inlinable public var stored: Int64 { Int64(self) }
}

extension Int32: AttributeValue {
    @inlinable public static func value(stored: Int64) -> Int32? { Int32(exactly: stored) }
    @inlinable public var stored: Int64 { Int64(self) }
}

extension Int16: AttributeValue {
    @inlinable public static func value(stored: Int64) -> Int16? { Int16(exactly: stored) }
    @inlinable public var stored: Int64 { Int64(self) }
}

extension Date: AttributeValue {
    @inlinable public static func value(stored: Double) -> Date? { Date(timeIntervalSinceReferenceDate: stored) }
    @inlinable public var stored: Double { timeIntervalSinceReferenceDate }
}

extension URL: AttributeValue {
    @inlinable public static func value(stored: String) -> URL? { URL(string: stored) }
    @inlinable public var stored: String { absoluteString }
}
