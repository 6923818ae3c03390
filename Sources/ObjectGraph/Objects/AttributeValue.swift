public import Foundation
public import Schema

/// A Swift type of attribute values.
///
/// The types of attributes conform (`Int`, `String`, `Date`…). A `RawRepresentable` type conforms
/// by declaring it, without further code:
///
/// ```swift
/// enum Genre: String, AttributeValue { case novel, poetry }
/// ```
public protocol AttributeValue {
    /// The type in which the value is stored: `Int64`, `Bool`, `Double`, `Float`, `String`, `UUID`,
    /// `Decimal`, `Data` or ``LargeValue``.
    associatedtype Stored

    /// The value for a stored value; nil if it does not represent a value of this type.
    static func value(stored: Stored) -> Self?
    /// The value in the form in which it is stored.
    var stored: Stored { get }
}

extension AttributeValue where Stored == Self {
    /// The stored value itself.
    @inlinable public static func value(stored: Self) -> Self? { stored }
    /// The value itself.
    @inlinable public var stored: Self { self }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The value whose raw value is stored; nil if there is none.
    @inlinable public static func value(stored: RawValue.Stored) -> Self? {
        RawValue.value(stored: stored).flatMap { Self(rawValue: $0) }
    }
    /// The stored form of the raw value.
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
    /// The integer; nil if it exceeds the range of the type.
    @inlinable public static func value(stored: Int64) -> Int? { Int(exactly: stored) }
    /// The integer as 64 bits.
    @inlinable public var stored: Int64 { Int64(self) }
}

extension Int32: AttributeValue {
    /// The integer; nil if it exceeds the range of the type.
    @inlinable public static func value(stored: Int64) -> Int32? { Int32(exactly: stored) }
    /// The integer as 64 bits.
    @inlinable public var stored: Int64 { Int64(self) }
}

extension Int16: AttributeValue {
    /// The integer; nil if it exceeds the range of the type.
    @inlinable public static func value(stored: Int64) -> Int16? { Int16(exactly: stored) }
    /// The integer as 64 bits.
    @inlinable public var stored: Int64 { Int64(self) }
}

extension Date: AttributeValue {
    /// The date at a number of seconds since 2001-01-01 00:00 UTC.
    @inlinable public static func value(stored: Double) -> Date? { Date(timeIntervalSinceReferenceDate: stored) }
    /// The number of seconds since 2001-01-01 00:00 UTC.
    @inlinable public var stored: Double { timeIntervalSinceReferenceDate }
}

extension URL: AttributeValue {
    /// The URL with a text; nil if the text is not a URL.
    @inlinable public static func value(stored: String) -> URL? { URL(string: stored) }
    /// The text of the URL.
    @inlinable public var stored: String { absoluteString }
}
