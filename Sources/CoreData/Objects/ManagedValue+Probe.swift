import Foundation

extension ManagedValue {
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
