public import Foundation
public import Schema

/// A value for a placeholder of a predicate format, or for a variable of a predicate.
///
/// Integers, `Double`, `Float`, `Bool`, `String`, `Date`, `Data`, `UUID`, `URL`, `Decimal`,
/// ``ManagedObjectID``, managed objects and ``PropertyValue`` conform, and arrays, sets and
/// optionals of these.
public protocol PredicateArgument {
    /// The constant that replaces the placeholder or variable.
    var predicateConstant: PropertyValue { get }
}

extension PropertyValue: PredicateArgument {
    public var predicateConstant: PropertyValue { self }
}

extension PredicateArgument where Self: BinaryInteger {
    /// The integer; integers outside of 64 bits become the nearest `Double`.
    public var predicateConstant: PropertyValue { Int64(exactly: self).map(PropertyValue.int) ?? .double(Double(self)) }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Bool: PredicateArgument {
    /// 1 or 0, as for TRUE and FALSE in format text.
    public var predicateConstant: PropertyValue { .int(self ? 1 : 0) }
}

extension Double: PredicateArgument {
    public var predicateConstant: PropertyValue { .double(self) }
}

extension Float: PredicateArgument {
    public var predicateConstant: PropertyValue { .double(Double(self)) }
}

extension Decimal: PredicateArgument {
    public var predicateConstant: PropertyValue { .decimal(self) }
}

extension String: PredicateArgument {
    public var predicateConstant: PropertyValue { .string(self) }
}

extension Date: PredicateArgument {
    public var predicateConstant: PropertyValue { .date(self) }
}

extension Data: PredicateArgument {
    public var predicateConstant: PropertyValue { .data(self) }
}

extension UUID: PredicateArgument {
    public var predicateConstant: PropertyValue { .uuid(self) }
}

extension URL: PredicateArgument {
    public var predicateConstant: PropertyValue { .uri(self) }
}

extension ManagedObjectID: PredicateArgument {
    public var predicateConstant: PropertyValue { .object(self) }
}

extension QueryExpression: PredicateArgument {
    /// The value of a constant; null for other expressions, which take the place of a `%@` as they
    /// are.
    public var predicateConstant: PropertyValue { if case .constant(let value) = self { value } else { .null } }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    public var predicateConstant: PropertyValue { .list(map(\.predicateConstant)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateConstant: PropertyValue { .list(map(\.predicateConstant)) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    public var predicateConstant: PropertyValue { self?.predicateConstant ?? .null }
}
