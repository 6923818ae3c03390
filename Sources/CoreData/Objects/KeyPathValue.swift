import Foundation
import ObjectGraph

/// The value at the end of a key path, as key-value coding has it.
enum KeyPathValue {
    /// The value of the keys after each other: of a collection, the collection of its elements'
    /// values. A set has no element for a value that there is not, an array `NSNull`.
    static func value(_ value: Any?, _ keys: ArraySlice<Substring>) -> Any? {
        guard let key = keys.first else { return value }
        return self.value(step(value, String(key)), keys.dropFirst())
    }

    private static func step(_ value: Any?, _ key: String) -> Any? {
        switch value {
        case nil: nil
        case let object as NSManagedObject: object.value(forKey: key)
        case let parts as [String: Any]: parts[key]
        case let objects as NSOrderedSet: NSOrderedSet(array: objects.array.compactMap { step($0, key) })
        case let objects as Set<AnyHashable>: set(objects.compactMap { step($0.base, key) })
        case let objects as [Any]: objects.map { step($0, key) ?? NSNull() }
        case let value?: preconditionFailure("A value of the type \(type(of: value)) has no key \(key)")
        }
    }

    private static func set(_ values: [Any]) -> Any {
        let objects = values.compactMap { $0 as? NSManagedObject }
        if !objects.isEmpty, objects.count == values.count { return Set(objects) }
        return Set(
            values.map { value in
                (value as? AnyHashable) ?? AnyHashable(ObjectIdentifier(value as AnyObject))
            })
    }
}
