public import Foundation

/// An attribute's type with a value to show where the store has none for a property that is not
/// optional.
///
/// A mandatory attribute has no value in an object that was just inserted and not filled in, or in
/// a damaged file. A class that declares it as not optional shows the initial value that the class
/// gives, else this one. Validation still sees that there is none.
public protocol PlaceholderValue: AttributeValue {
    static var placeholder: Self { get }
}

extension Int: PlaceholderValue { public static var placeholder: Int { 0 } }
extension Int64: PlaceholderValue { public static var placeholder: Int64 { 0 } }
extension Int32: PlaceholderValue { public static var placeholder: Int32 { 0 } }
extension Int16: PlaceholderValue { public static var placeholder: Int16 { 0 } }
extension Double: PlaceholderValue { public static var placeholder: Double { 0 } }
extension Float: PlaceholderValue { public static var placeholder: Float { 0 } }
extension Bool: PlaceholderValue { public static var placeholder: Bool { false } }
extension String: PlaceholderValue { public static var placeholder: String { "" } }
extension Data: PlaceholderValue { public static var placeholder: Data { Data() } }
extension Decimal: PlaceholderValue { public static var placeholder: Decimal { 0 } }
/// The reference date, 2001-01-01.
extension Date: PlaceholderValue { public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) } }
/// All zeros.
extension UUID: PlaceholderValue {
    public static var placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}
