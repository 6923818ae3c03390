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

    /// The operators that collect values, which expressions of predicates don't have.
    private static let collecting: Set<Substring> = [
        "@unionOfObjects", "@distinctUnionOfObjects", "@unionOfArrays", "@distinctUnionOfArrays",
        "@distinctUnionOfSets",
    ]

    /// The value of keys among which one of these operators is; nil for other keys.
    static func collected(_ value: Any?, _ keys: [Substring]) -> Any?? {
        guard let index = keys.firstIndex(where: { collecting.contains($0) }) else { return nil }
        let owner = self.value(value, keys[..<index]), rest = keys[(index + 1)...]
        guard let elements = owner.flatMap({ BridgedValue.elements(of: $0) }) else { return .some(nil) }
        let isNested = keys[index].hasSuffix("Arrays") || keys[index].hasSuffix("Sets")
        var found = elements.compactMap { self.value($0, rest) }
        if isNested { found = found.flatMap { BridgedValue.elements(of: $0) ?? [$0] } }
        if owner is Set<AnyHashable> || owner is NSSet { return .some(set(found)) }
        guard keys[index].hasPrefix("@distinct") else { return .some(found) }
        var seen: Set<AnyHashable> = []
        return .some(found.filter { ($0 as? AnyHashable).map { seen.insert($0).inserted } ?? true })
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
