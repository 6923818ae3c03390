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
        if let probe = probes.lazy.compactMap({ $0 as? Value }).first { return probe }
        if let probe = cases(of: wrapped).lazy.compactMap({ $0 as? Value }).last { return probe }
        return cast(nil, "")
    }

    /// Values of the classes that properties have, subclasses first.
    private static var probes: [NSObject] {
        [
            NSDecimalNumber(value: 3), NSNumber(value: 3), NSMutableString(string: "probe"), NSString("probe"),
            NSDate(timeIntervalSinceReferenceDate: 3), NSMutableData(data: Data([3])), NSData(data: Data([3])),
            NSUUID(), NSURL(fileURLWithPath: "/probe"), NSMutableOrderedSet(), NSOrderedSet(), NSMutableSet(), NSSet(),
            NSMutableArray(), NSArray(), NSMutableDictionary(), NSDictionary(), NSAttributedString(string: "probe"),
            NSIndexSet(index: 3), NSNull(),
        ]
    }

    /// The empty value of a type that has no nil; nil for a type without one.
    static func emptyValue<Value>(of type: Value.Type) -> Value? {
        if let empty = (type as? any EmptyValue.Type)?.emptyValue as? Value { return empty }
        let objects: [NSObject] = [
            NSDecimalNumber.zero, NSNumber(value: 0), NSMutableString(capacity: 0), NSString(),
            NSDate(timeIntervalSinceReferenceDate: 0), NSMutableData(), NSData(), NSMutableOrderedSet(), NSOrderedSet(),
            NSMutableSet(), NSSet(), NSMutableArray(), NSArray(), NSMutableDictionary(), NSDictionary(),
        ]
        return type is AnyClass ? objects.lazy.compactMap { $0 as? Value }.first : nil
    }

    private static func hasProbe(_ type: Any.Type) -> Bool {
        func has<Wanted>(_ type: Wanted.Type) -> Bool { probes.contains { $0 is Wanted } }
        return _openExistential(type, do: has)
    }

    /// All values of a type that lists them.
    private static func cases(of type: Any.Type) -> [Any] {
        func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }
        return (type as? any CaseIterable.Type).map { all($0) } ?? []
    }

    /// Whether there is a value for ``probe(_:)``: a type of the application's own has none, unless
    /// it is optional.
    static func hasProbeValue(_ type: Any.Type) -> Bool {
        if type is any OptionalValue.Type || type is any EmptyValue.Type || type is NSManagedObject.Type { return true }
        if !cases(of: type).isEmpty || hasProbe(type) { return true }
        return (type as? any RawRepresentable.Type).flatMap { rawValue($0, NSNumber(value: 0)) } != nil
    }

    private static func wrapped(_ type: Any.Type) -> Any.Type { (type as? any OptionalValue.Type)?.wrapped ?? type }
}
