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

/// The transformer of keyed archives of Foundation's values: from data to a value, and back. A
/// subclass names the classes that it takes, or makes values of its own of Foundation's.
// Sendable for the same reason as its superclass.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    /// The classes that archives may contain at the top; informative only: Foundation's values are
    /// taken.
    open class var allowedTopLevelClasses: [AnyClass] { [] }

    /// The value of an archive; nil for data that are none.
    open override func transformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { try? SecureArchiveTransformer().value(from: $0) }
    }

    /// The archive of a value; nil for a value that archives don't keep.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { try? SecureArchiveTransformer().data(from: $0) }
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
