public import Foundation
import Schema
internal import Synchronization

/// The name of a transformer.
public struct NSValueTransformerName: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The transformer of keyed archives of Foundation's values.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
    /// The transformer of attributes that name none: Foundation's values, and objects of the
    /// program's classes that declare `NSSecureCoding`.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
}

/// Converts values to others and back, for transformable attributes.
///
/// ```swift
/// final class ColorTransformer: ValueTransformer {
///     override func transformedValue(_ value: Any?) -> Any? { (value as? Color).map { $0.data } }
///     override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap(Color.init) }
/// }
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
/// ```
/// `transformedValue` makes the data that a store keeps, as Core Data has it, except for those that
/// inherit from ``NSSecureUnarchiveFromDataTransformer``. Foundation has no such class on Linux.
// Sendable because the class has no stored properties: there is nothing that two threads could
// change. A subclass that adds some keeps them safe itself, as on Apple's platforms.
open class ValueTransformer: NSObject, ValueTransformerNaming, @unchecked Sendable {
    /// Creates a transformer.
    public override init() { super.init() }

    /// The class of transformed values; informative only.
    open class func transformedValueClass() -> AnyClass { NSData.self }

    /// Whether values can be converted back.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Converts a value: for an attribute, to data.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Converts a value back: for an attribute, from data.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// Registers a transformer, or with nil removes it.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        known.withLock { $0[name.rawValue] = transformer }
        guard let transformer else { return AttributeTransformers.unregister(name.rawValue) }
        AttributeTransformers.register(TransformerAdapter(transformer), named: name.rawValue)
    }

    /// The transformer with this name, registered or named as a class; nil if there is none.
    open class func transformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        if let found = known.withLock({ $0[name.rawValue] }) { return found }
        if name == .secureUnarchiveFromDataTransformerName { return NSSecureUnarchiveFromDataTransformer() }
        guard let type = ObjectClasses.type(named: name.rawValue, as: ValueTransformer.self) else { return nil }
        return ProgramClasses.instance(of: type) as? ValueTransformer
    }

    /// The names of all registered transformers, sorted.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
        AttributeTransformers.names.map { NSValueTransformerName($0) }
    }

    private static let known = Mutex<[String: ValueTransformer]>([:])
}

/// What lets `ValueTransformer(forName:)` give the one that is registered. Not for other types.
public protocol ValueTransformerNaming {}

extension ValueTransformerNaming where Self: ValueTransformer {
    /// The transformer with this name, registered or named as a class; nil if there is none.
    public init?(forName name: NSValueTransformerName) {
        guard let found = ValueTransformer.transformer(forName: name) as? Self else { return nil }
        self = found
    }
}

/// The transformer of keyed archives: from data to a value, and back. Values are of the classes
/// that ``allowedTopLevelClasses`` lists, which a subclass overrides for classes of its own.
///
/// ```swift
/// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///     override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
/// }
/// ```
/// No other class is instantiated, whatever an archive names, but those that the listed ones ask
/// for as they decode themselves.
// Sendable for the same reason as its superclass.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    /// The classes of values, with those that inherit from them: Foundation's classes of values
    /// unless a subclass says otherwise.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    private var archives: SecureArchiveTransformer {
        let allowed = type(of: self).allowedTopLevelClasses
        return SecureArchiveTransformer(
            allowedClassNames: SecureArchiveTransformer.standardClassNames.intersection(
                allowed.map { ArchivedClasses.name($0) }),
            classes: .listed(allowed))
    }

    /// The value of an archive; nil for data that are none, and for a value of a class that is not
    /// allowed.
    open override func transformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { try? archives.value(from: $0) }
    }

    /// The archive of a value; nil for a value that is not allowed, or that no archive gives back.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, let data = try? archives.data(from: value), transformedValue(data) != nil else { return nil }
        return data
    }
}

/// A transformer of Foundation's shape as one of Folio's.
struct TransformerAdapter: AttributeTransformer {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private let transformer: ValueTransformer

    init(_ transformer: ValueTransformer) { self.transformer = transformer }

    /// One that unarchives makes values of data, and others make data of values.
    private var isReversed: Bool { transformer is NSSecureUnarchiveFromDataTransformer }

    func data(from value: Any) throws -> Data {
        switch isReversed ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value) {
        case let data as Data: return data
        case let other:
            throw Refusal(description: "\(type(of: transformer)) made \(other ?? "nil") of a value, not data")
        }
    }

    func value(from data: Data) throws -> Any {
        let made = isReversed ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        guard let value = made else {
            throw Refusal(description: "\(type(of: transformer)) makes no value of the data")
        }
        return value
    }
}
