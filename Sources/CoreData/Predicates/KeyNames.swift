public import ObjectGraph
import Query
import Schema
import Synchronization

/// The names of properties by their key paths.
///
/// Key paths carry no names at run time. A class lists them (``ManagedObject/namesByKeyPath``), or
/// they are found by reading the key path of an object that notes which key it is asked for: this
/// is how accessors of `@Managed` are found.
enum KeyNames {
    private static let known = Mutex<[Key: String]>([:])

    /// A key path of one class.
    // Sendable because a key path is immutable after its creation, and one of a property of an
    // object captures nothing; one with a subscript captures its arguments, which are only hashed
    // and compared here, under the lock of `known`.
    private struct Key: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    static func name(of keyPath: AnyKeyPath) -> String? {
        let key = Key(keyPath: keyPath)
        if let name = known.withLock({ $0[key] }) { return name }
        guard let root = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        let name = root.namesByKeyPath[keyPath] ?? KeyProbe.keys(of: keyPath, root)
        if let name { known.withLock { $0[key] = name } }
        return name
    }

    static func required(_ keyPath: AnyKeyPath) -> String {
        guard let name = name(of: keyPath) else {
            preconditionFailure(
                "The key path \(keyPath) has no name: declare the property with @Managed and a type of Foundation's or an optional one, or list it in namesByKeyPath"
            )
        }
        return name
    }
}

/// The name of a property, as `#keyPath(Book.title)` has it on Apple's platforms. The compiler
/// checks the key path.
///
/// ```swift
/// NSSortDescriptor(key: NSStringFromKeyPath(\Book.title), ascending: true)
/// ```
/// Linux's compiler keeps `#keyPath` for itself and then asks for the Objective-C runtime. Traps
/// for a key path without a name: one of a computed property. The name is found by reading the key
/// path once, and kept.
public func NSStringFromKeyPath<Root: ManagedObject, Value>(_ keyPath: KeyPath<Root, Value>) -> String {
    KeyNames.required(keyPath)
}

extension AnyKeyPath {
    /// The names of the properties of a managed object, separated by dots; nil where the key path
    /// has none, and `self` for one without properties. The standard library's property of this
    /// name, which libraries build predicates with, is always nil on Linux.
    public var _kvcKeyPathString: String? {
        let types = type(of: self)
        return types.rootType == types.valueType && "\(self)".hasSuffix(".self") ? "self" : KeyNames.name(of: self)
    }
}
