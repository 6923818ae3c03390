public import Foundation
import ObjectGraph
import Schema

/// Makes a property of a managed object's class one of its entity, as `@NSManaged` does on Apple's
/// platforms.
///
/// ```swift
/// final class Author: NSManagedObject {
///     @Managed var name: String?
///     @Managed var books: Set<Book>
///     @ManagedAccessor func addToBooks(_ value: Book)
/// }
/// ```
/// Linux's compiler keeps the name `@NSManaged` for itself and then asks for the Objective-C
/// runtime.
@attached(accessor)
public macro Managed() = #externalMacro(module: "FolioMacros", type: "ManagedMacro")

/// Makes a method without a body the accessor of its name, such as `addToBooks(_:)`, as
/// `@NSManaged` does on Apple's platforms.
@attached(body)
public macro ManagedAccessor() = #externalMacro(module: "FolioMacros", type: "ManagedMacro")

/// Makes all stored properties without an initial value, and all methods without a body, those of
/// an entity: ``Managed()`` and ``ManagedAccessor()`` for each. It stands before a class or an
/// extension.
@attached(memberAttribute)
public macro ManagedObjectClass() = #externalMacro(module: "FolioMacros", type: "ManagedObjectClassMacro")

extension NSManagedObject {
    /// The value of a property, as accessors of `@Managed` read it.
    ///
    /// Nil becomes the empty value of a type that has no nil: an empty text, set or data, 0, false.
    /// Traps for other types, and for a value of another type.
    public func managedValue<Value>(forKey key: String, as type: Value.Type = Value.self) -> Value {
        if let answer = KeyProbe.answer(key, of: self, as: type) { return answer }
        return ManagedValue.cast(value(forKey: key), key)
    }

    /// Sets a property, as accessors of `@Managed` do.
    public func setManagedValue<Value>(_ value: Value, forKey key: String) {
        if !KeyProbe.isReading { setValue(ManagedValue.flat(value), forKey: key) }
    }

    /// What a method of `@Managed` does, by its name: `addTo…`, `removeFrom…`, `insertInto…`,
    /// `replace…`. Traps for other names.
    public func performManagedAccessor(_ name: String, _ arguments: [Any]) {
        let accessor = ManagedAccessor(name, of: modelEntity)
        accessor.perform(self, arguments)
    }
}

/// Values between keys and properties of Swift's types.
enum ManagedValue {
    static func cast<Value>(_ value: Any?, _ key: String) -> Value {
        if let value {
            if let fitting = value as? Value { return fitting }
            if let raw = (Value.self as? any RawRepresentable.Type).flatMap({ rawValue($0, value) }) as? Value {
                return raw
            }
            if let optional = Value.self as? any OptionalValue.Type, let made = optional.make(value) as? Value {
                return made
            }
            preconditionFailure("The value of \(key) is a \(type(of: value)), not \(Value.self)")
        }
        if let none = Optional<Any>.none as? Value { return none }
        if let empty = (Value.self as? any EmptyValue.Type)?.emptyValue as? Value { return empty }
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

    /// What a key path goes on with that only notes its keys: an object, or a value that differs
    /// from the empty one.
    static func probe<Value>(_ type: Value.Type) -> Value {
        let wrapped = wrapped(type)
        if let objectType = wrapped as? NSManagedObject.Type, let probe = KeyProbe.probe(of: objectType) as? Value {
            return probe
        }
        if let probe = (wrapped as? any EmptyValue.Type)?.probeValue as? Value { return probe }
        return cast(nil, "")
    }

    /// Whether there is a value for ``probe(_:)``: a type of the application's own has none, unless
    /// it is optional.
    static func hasProbeValue(_ type: Any.Type) -> Bool {
        if type is any OptionalValue.Type || type is any EmptyValue.Type || type is NSManagedObject.Type { return true }
        return (type as? any RawRepresentable.Type).flatMap { rawValue($0, NSNumber(value: 0)) } != nil
    }

    private static func wrapped(_ type: Any.Type) -> Any.Type { (type as? any OptionalValue.Type)?.wrapped ?? type }
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
extension UUID: EmptyValue {
    static let emptyValue = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    static let probeValue = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3))
}
