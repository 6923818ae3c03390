public import Foundation

/// A type of attribute values that has a placeholder for missing values of properties that are not
/// optional.
///
/// A mandatory attribute has no value in a new object until one is set, and in a damaged file. If a
/// class declares the property as not optional, it then shows the initial value that the class
/// declares, or else the placeholder. Validation still reports the missing value.
public protocol PlaceholderValue: AttributeValue {
    /// The value that is shown if there is none.
    static var placeholder: Self { get }
}

extension Int: PlaceholderValue {
    /// 0
    public static var placeholder: Int { 0 }
}
extension Int64: PlaceholderValue {
    /// 0
    public static var placeholder: Int64 { 0 }
}
extension Int32: PlaceholderValue {
    /// 0
    public static var placeholder: Int32 { 0 }
}
extension Int16: PlaceholderValue {
    /// 0
    public static var placeholder: Int16 { 0 }
}
extension Double: PlaceholderValue {
    /// 0
    public static var placeholder: Double { 0 }
}
extension Float: PlaceholderValue {
    /// 0
    public static var placeholder: Float { 0 }
}
extension Bool: PlaceholderValue {
    /// `false`
    public static var placeholder: Bool { false }
}
extension String: PlaceholderValue {
    /// The empty string.
    public static var placeholder: String { "" }
}
extension Data: PlaceholderValue {
    /// No bytes.
    public static var placeholder: Data { Data() }
}
extension Decimal: PlaceholderValue {
    /// 0
    public static var placeholder: Decimal { 0 }
}
extension Date: PlaceholderValue {
    /// The reference date, 2001-01-01 00:00 UTC.
    public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
}
extension UUID: PlaceholderValue {
    /// The UUID of zeros.
    public static var placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}
