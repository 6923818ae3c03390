import Foundation

/// Values between keys and properties of Swift's types.
enum ManagedValue {
    static func cast<Value>(_ value: Any?, _ key: String) -> Value {
        if let value {
            if let fitting = value as? Value { return fitting }
            if let seconds = (value as? Date)?.timeIntervalSinceReferenceDate as? Value { return seconds }
            if let raw = (Value.self as? any RawRepresentable.Type).flatMap({ rawValue($0, value) }) as? Value {
                return raw
            }
            if let optional = Value.self as? any OptionalValue.Type, let made = optional.make(value) as? Value {
                return made
            }
            preconditionFailure("The value of \(key) is a \(type(of: value)), not \(Value.self)")
        }
        if let none = Optional<Any>.none as? Value { return none }
        if let empty = emptyValue(of: Value.self) { return empty }
        if let raw = (Value.self as? any RawRepresentable.Type).flatMap({ rawValue($0, NSNumber(value: 0)) }) as? Value
        {
            return raw
        }
        preconditionFailure("\(key) has no value, and \(Value.self) has none that stands for it: make it optional")
    }

    /// A value that is no optional of its own.
    static func flat<Value>(_ value: Value) -> Any? {
        if let optional = Value.self as? any OptionalValue.Type { return optional.flat(value) }
        return value
    }

    static func rawValue<Raw: RawRepresentable>(_ type: Raw.Type, _ value: Any) -> Any? {
        (value as? Raw.RawValue).flatMap { Raw(rawValue: $0) }
    }
}

/// An optional, to be looked into without knowing of what.
protocol OptionalValue {
    static var wrapped: Any.Type { get }
    static func make(_ value: Any) -> Any?
    static func flat(_ value: Any) -> Any?
}

extension Optional: OptionalValue {
    static var wrapped: Any.Type { Wrapped.self }

    static func flat(_ value: Any) -> Any? {
        guard let own = value as? Wrapped? else { return nil }
        return own.map { $0 }
    }

    static func make(_ value: Any) -> Any? {
        if let value = value as? Wrapped { return Optional(value) }
        return (Wrapped.self as? any RawRepresentable.Type).flatMap { ManagedValue.rawValue($0, value) }
    }
}

/// What stands for no value.
protocol EmptyValue {
    static var emptyValue: Self { get }
    /// A value that is not the empty one, where there is such a value of every type of its kind.
    static var probeValue: Self { get }
}

extension EmptyValue {
    static var probeValue: Self { emptyValue }
}

extension EmptyValue where Self: Numeric {
    static var emptyValue: Self { 0 }
    static var probeValue: Self { 3 }
}

extension Int: EmptyValue {}
extension Int16: EmptyValue {}
extension Int32: EmptyValue {}
extension Int64: EmptyValue {}
extension Double: EmptyValue {}
extension Float: EmptyValue {}
extension Decimal: EmptyValue {}
extension String: EmptyValue {
    static let emptyValue = ""
    static let probeValue = "probe"
}
extension Bool: EmptyValue {
    static let emptyValue = false
    static let probeValue = true
}
extension Data: EmptyValue {
    static let emptyValue = Data()
    static let probeValue = Data([3])
}
extension Date: EmptyValue {
    static let emptyValue = Date(timeIntervalSinceReferenceDate: 0)
    static let probeValue = Date(timeIntervalSinceReferenceDate: 3)
}
extension Array: EmptyValue { static var emptyValue: [Element] { [] } }
extension Set: EmptyValue { static var emptyValue: Set<Element> { [] } }
extension Dictionary: EmptyValue { static var emptyValue: [Key: Value] { [:] } }
extension URL: EmptyValue {
    static let emptyValue = URL(fileURLWithPath: "/dev/null")
    static let probeValue = URL(fileURLWithPath: "/probe")
}
extension UUID: EmptyValue {
    static let emptyValue = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    static let probeValue = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3))
}
